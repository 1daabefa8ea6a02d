"""How many secrets redaction replaces, how much clean text it touches and what it costs, beside a dozen naive patterns.

Reads `secrets/dev.jsonl.gz` from a data folder, which is not part of this repository: one JSON object a line with
source, rule, label (1: holds a secret), text and, where known, the secret. Ordinary text for the clean lines comes
from the conversations beside it (every text of every `*.jsonl`).

The gate is everything that a write passes, on
texts of 16 kB that were made to be slow, beside one pass of one expression over the same text.

`generic` is redaction without the table of vendor formats: what it does for vendors it has never heard of.
"""

import argparse
import gzip
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from time import process_time
from typing import Any

import msgspec

from memoryd_actors.admission.gate import admit
from memoryd_actors.core.errors import Refused
from memoryd_actors.redaction import redact
from memoryd_actors.redaction.assignments import find_assignments
from memoryd_actors.redaction.blocks import find_blocks
from memoryd_actors.redaction.locators import find_locators
from memoryd_actors.redaction.prose import find_prose
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import MAX_CONTENT_BYTES, NewMemory, Source

DATA = Path(__file__).parents[2] / "shared" / "data"
ORDINARY_CHARS = 2_000_000
"""How much ordinary text of each file is read."""

NAIVE = tuple(
    re.compile(pattern)
    for pattern in (
        r"sk-[A-Za-z0-9]{20,}",
        r"AKIA[0-9A-Z]{16}",
        r"gh[pousr]_[A-Za-z0-9]{36}",
        r"glpat-[\w-]{20}",
        r"xox[baprs]-[\w-]{10,}",
        r"AIza[\w-]{35}",
        r"eyJ[\w-]+\.[\w-]+\.[\w-]+",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
        r"[sr]k_live_[A-Za-z0-9]{24}",
        r"npm_[A-Za-z0-9]{36}",
        r"(?i)bearer [\w.=-]{20,}",
        r"(?i)password\s*=\s*\S+",
    )
)

Spans = list[tuple[int, int]]
Finder = Callable[[str], Spans]


class Line(msgspec.Struct, frozen=True):
    """One labelled line."""

    source: str
    rule: str
    label: int
    text: str
    secret: str = ""


def ours(text: str) -> Spans:
    return [(finding.start, finding.end) for finding in redact(text).findings]


def generic(text: str) -> Spans:
    lowered = text.replace("\u0130", "i").lower()
    finders = (
        find_blocks(text),
        find_locators(text, lowered),
        find_assignments(text, lowered),
        find_prose(text, lowered),
    )
    return sorted((finding.start, finding.end) for found in finders for finding in found)


def naive(text: str) -> Spans:
    return [match.span() for pattern in NAIVE for match in pattern.finditer(text)]


FINDERS: dict[str, Finder] = {"redact": ours, "generic": generic, "naive": naive}


def without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    parts: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if start >= at:
            parts.append(text[at:start])
        at = max(at, end)
    return "\n".join((*parts, text[at:]))


def replaced(line: Line, spans: Spans) -> bool:
    """Return whether the secret is gone; where the data does not say what it is, whether anything is."""
    return line.secret not in without(line.text, spans) if line.secret else bool(spans)


def kept(line: Line, spans: Spans) -> bool:
    """Return whether all that stands before and after the known secret, but quotes and blanks, is still there."""
    before, _, after = line.text.partition(line.secret)
    left = without(line.text, spans)
    return left.startswith(before.rstrip(" '\"`")) and left.endswith(after.lstrip(" '\"`,;"))


def strings(value: object) -> Iterator[str]:
    match value:
        case str() if len(value) >= 16:
            yield value
        case dict():
            for each in value.values():
                yield from strings(each)
        case list():
            for each in value:
                yield from strings(each)
        case _:
            return


def ordinary(folder: Path) -> Iterator[tuple[str, list[str]]]:
    for path in sorted(folder.glob("*/*.jsonl")):
        texts: list[str] = []
        size = 0
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                for text in strings(msgspec.json.decode(line)):
                    texts.append(text)
                    size += len(text)
                if size > ORDINARY_CHARS:
                    break
        yield f"{path.parent.name}/{path.stem}", texts


def milliseconds_per_kb(finder: Finder, texts: list[str]) -> float:
    """Return processor time over 1,000 characters."""
    began = process_time()
    for text in texts:
        finder(text)
    return (process_time() - began) * 1e6 / max(1, sum(map(len, texts)))


def labelled(lines: list[Line], finder: Finder) -> dict[str, Any]:
    hits: dict[str, Counter[bool]] = defaultdict(Counter)
    rules: dict[str, Counter[bool]] = defaultdict(Counter)
    touched: Counter[str] = Counter()
    whole = Counter[bool]()
    for line in lines:
        spans = finder(line.text)
        if line.label:
            hit = replaced(line, spans)
            hits[line.source][hit] += 1
            rules[line.rule][hit] += 1
            if line.secret and hit:
                whole[kept(line, spans)] += 1
        elif spans:
            touched[line.rule] += 1
    found = sum(count[True] for count in hits.values())
    secrets = sum(count.total() for count in hits.values())
    clean = sum(1 for line in lines if not line.label)
    return {
        "recall": found / secrets,
        "recall_by_set": {source: count[True] / count.total() for source, count in hits.items()},
        "rules_incomplete": {
            rule: f"{count[True]}/{count.total()}" for rule, count in sorted(rules.items()) if count[False]
        },
        "surroundings_kept": whole[True] / max(1, whole.total()),
        "look_alikes": clean,
        "look_alikes_touched": touched.total(),
        "look_alikes_touched_by_rule": dict(touched.most_common()),
    }


def run(folder: Path = DATA) -> dict[str, Any]:
    """Return the figures of every finder; empty where there is no data.

    Raises nothing: without data the benchmark says so and has nothing to say.
    """
    path = folder / "secrets" / "dev.jsonl.gz"
    if not path.exists():
        print(f"{path} is missing: give the data folder as argument (python -m benchmarks.redaction FOLDER).")
        return {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = [msgspec.json.decode(line, type=Line) for line in file]
    conversations = list(ordinary(folder))
    figures: dict[str, Any] = {}
    for name, finder in FINDERS.items():
        figures[name] = labelled(lines, finder)
        figures[name]["ms_per_kb_secrets"] = milliseconds_per_kb(finder, [line.text for line in lines])
        report(name, figures[name])
    figures["gate"] = gate()
    figures["ordinary"] = {}
    print(f"\n{'ordinary text':28}{'texts':>8}{'touched':>9}{'naive':>8}{'ms/kB':>9}{'naive':>8}")
    for name, texts in conversations:
        row: dict[str, Any] = {"texts": len(texts)}
        for finder_name in ("redact", "naive"):
            finder = FINDERS[finder_name]
            row[f"{finder_name}_touched"] = sum(1 for text in texts if finder(text))
            row[f"{finder_name}_ms_per_kb"] = milliseconds_per_kb(finder, texts)
        figures["ordinary"][name] = row
        print(
            f"{name:28}{row['texts']:8}{row['redact_touched']:9}{row['naive_touched']:8}"
            f"{row['redact_ms_per_kb']:9.3f}{row['naive_ms_per_kb']:8.3f}"
        )
    every = [text for _, texts in conversations for text in texts]
    pages = ["\n".join(every[start : start + 40]) for start in range(0, min(len(every), 8_000), 40)]
    figures["ms_per_kb_pages"] = milliseconds_per_kb(ours, pages)
    print(f"ordinary text in pages of 40 messages: {figures['ms_per_kb_pages']:.3f} ms/kB")
    return figures


SLOW = {
    "PEM headers": "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
    "base64": "QUJDRGVm0123ghij+/",
    "quotes": "'\"`",
    "announcements": "password=",
    "passwords": "password=hunter2 ",
    "passwords that differ": "password=hunter{} ",
    "names in a run without blanks": "api_key:/é.{}",
    "announcements in quotes": 'password "',
    "commands with passwords": "mysql -p ",
    "secrets that uncover each other": "密码是api_key://abc",
    "sentences about secrets": "my password is ",
    "tokens cut short": "sk-ant-api03-x ",
    "digits": "4 ",
    "openings": "<private>",
    "paths": "cat a/b.c\n",
    "prose": "The importer reads the tables of the shop and writes them into the ledger. ",
}
_FLOOR = re.compile(r"(?<![A-Za-z0-9_])gh[pousr]_[A-Za-z0-9]{36}")


def gate() -> dict[str, Any]:
    """Return what admission costs in ms/kB on hostile contents of full length, beside one pass of one expression."""
    figures: dict[str, Any] = {}
    caller, now = Caller(project="/p"), datetime(2026, 1, 1, tzinfo=UTC)
    print(f"\n{'gate, 16 kB of':32}{'ms/kB':>9}{'one regex':>11}")
    for name, unit in SLOW.items():
        pieces = (unit.replace("{}", str(number)) for number in range(MAX_CONTENT_BYTES))
        content = "".join(pieces).encode()[:MAX_CONTENT_BYTES].decode(errors="ignore")

        def passed(text: str) -> Spans:
            try:
                admit(NewMemory(content=text, source=Source.USER), caller, now)
            except Refused:
                return []
            return []

        def floor(text: str) -> Spans:
            return [match.span() for match in _FLOOR.finditer(text)]

        row = {
            "ms_per_kb": milliseconds_per_kb(passed, [content] * 8),
            "floor_ms_per_kb": milliseconds_per_kb(floor, [content] * 8),
        }
        figures[name] = row
        print(f"{name:32}{row['ms_per_kb']:9.3f}{row['floor_ms_per_kb']:11.4f}")
    return figures


def report(name: str, figures: dict[str, Any]) -> None:
    sets = ", ".join(f"{source} {recall:.1%}" for source, recall in figures["recall_by_set"].items())
    print(f"\n{name}: {figures['recall']:.1%} of the secrets replaced ({sets})")
    print(f"  surroundings kept {figures['surroundings_kept']:.1%}, {figures['ms_per_kb_secrets']:.3f} ms/kB")
    print(f"  look-alikes touched: {figures['look_alikes_touched']} of {figures['look_alikes']}")
    if name == "redact":
        print(f"    {figures['look_alikes_touched_by_rule']}")
        print(f"  incomplete: {figures['rules_incomplete']}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.redaction", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=DATA, help="the data folder")
    return 0 if run(parser.parse_args().folder) else 1


if __name__ == "__main__":
    sys.exit(main())
