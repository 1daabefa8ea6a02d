"""How costs grow with size, as a picture and as a table in the documentation."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from pathlib import Path

Figures = Mapping[str, Mapping[str, float]]
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP = 210, 150, 48, 32, 40
_OURS, _FLOOR, _GREY = "#337e4a", "#a86d1c", "#6c6c6c"


@dataclass(frozen=True, slots=True)
class Cost:
    """A cost, and what it is held against."""

    title: str
    unit: str
    ours: str
    floor: str
    floor_title: str


COSTS = (
    Cost(
        "a search of everything",
        "ms",
        "search_everywhere_best_ms",
        "exact_scan_everywhere_best_ms",
        "exact scan of the vectors",
    ),
    Cost("opening", "ms", "open_ms", "open_bare_ms", "bare LanceDB table"),
    Cost("writing 100 memories", "ms", "apply_100_best_ms", "add_bare_100_best_ms", "bare LanceDB add"),
    Cost("on the disk", "MB", "disk_mb", "vectors_mb", "bare vectors"),
    Cost("in memory", "MB", "resident_mb", "vectors_mb", "bare vectors"),
)


def write_table(figures: Figures, page: Path) -> None:
    """Put the table into a page, between the comments that are there for it."""
    text = page.read_text(encoding="utf-8")
    marked = re.compile(r"(<!-- sizes -->\n).*(<!-- /sizes -->)", re.DOTALL)
    page.write_text(marked.sub(lambda found: f"{found[1]}{table(figures)}\n{found[2]}", text), encoding="utf-8")


def table(figures: Figures) -> str:
    """Return every cost at every size, beside its floor."""
    sizes = sorted(figures, key=int)
    rows = [f"| | {' | '.join(f'{int(size):,}' for size in sizes)} |", f"|---|{'---|' * len(sizes)}"]

    def row(title: str, name: str, digits: int | None = None) -> None:
        cells = [f"{figures[size][name]:.{digits}f}" if digits else told(figures[size][name]) for size in sizes]
        rows.append(f"| {title} | {' | '.join(cells)} |")

    for cost in COSTS:
        row(f"{cost.title}, {cost.unit}", cost.ours)
        row(f"  floor: {cost.floor_title}", cost.floor)
    row("recall at 10", "recall_at_10", 3)
    row("of the memory, anonymous (not pages of files), MB", "anonymous_mb")
    row("opening without the files beside the table, ms", "open_reading_ms")
    row("a search of one project, ms", "search_best_ms")
    return "\n".join(rows)


def told(value: float) -> str:
    """Return a figure with two digits that count."""
    return f"{value:,.0f}" if value >= 10 else f"{max(value, 0):.2g}"


def draw(figures: Figures, path: Path) -> None:
    """Draw a panel for each cost; both axes are logarithmic."""
    across = 3
    shown = [_panel(figures, cost, number % across, number // across) for number, cost in enumerate(COSTS)]
    width, height = across * (_WIDTH + _LEFT + _RIGHT), -(-len(COSTS) // across) * (_HEIGHT + _TOP + 30)
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">'
    ground = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    path.write_text("\n".join([opening, ground, *shown, "</svg>", ""]), encoding="utf-8")


def _panel(figures: Figures, cost: Cost, column: int, line: int) -> str:
    sizes = sorted(int(size) for size in figures)
    lines = {
        colour: [max(figures[str(size)][name], 0.1) for size in sizes]
        for colour, name in ((_OURS, cost.ours), (_FLOOR, cost.floor))
    }
    values = [value for line in lines.values() for value in line]
    low, high = floor(log10(min(values))), ceil(log10(max(values)))
    left, top = column * (_WIDTH + _LEFT + _RIGHT) + _LEFT, line * (_HEIGHT + _TOP + 30) + _TOP

    def x(size: int) -> float:
        return left + (log10(size) - log10(sizes[0])) / max(log10(sizes[-1] / sizes[0]), 1) * _WIDTH

    def y(value: float) -> float:
        return top + (high - log10(value)) / max(high - low, 1) * _HEIGHT

    parts = [
        _text(left, top - 24, f"{cost.title}, {cost.unit}", "#000000", 13),
        _text(left, top - 9, f"beside {cost.floor_title}", _FLOOR, 10),
    ]
    for power in range(low, high + 1):
        parts.append(_stroke([(left, y(10.0**power)), (left + _WIDTH, y(10.0**power))], "#e0e0e0", 1))
        parts.append(_text(left - 5, y(10.0**power) + 3, f"{10.0**power:g}", _GREY, 10, "end"))
    parts += [_text(x(size), top + _HEIGHT + 14, f"{size:,}", _GREY, 10, "middle") for size in sizes]
    for colour, line_values in lines.items():
        places = [(x(size), y(value)) for size, value in zip(sizes, line_values, strict=True)]
        parts += [_stroke(pair, colour, 2) for pair in pairwise(places)]
        parts += [f'<circle cx="{across:.1f}" cy="{down:.1f}" r="3" fill="{colour}"/>' for across, down in places]
    parts += [
        _text(x(size), y(value) - 7, told(value), _OURS, 10, "middle")
        for size, value in zip(sizes, lines[_OURS], strict=True)
    ]
    return "\n".join(parts)


def _stroke(places: Sequence[tuple[float, float]], colour: str, width: int) -> str:
    points = " ".join(f"{across:.1f},{down:.1f}" for across, down in places)
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def _text(across: float, down: float, said: str, colour: str, size: int, *anchor: str) -> str:
    place = f'x="{across:.1f}" y="{down:.1f}" font-size="{size}"'
    return f'<text {place} fill="{colour}" text-anchor="{"".join(anchor) or "start"}">{said}</text>'
