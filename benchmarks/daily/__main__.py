"""`python -m benchmarks.daily FOLDER`: what an agent has in its context of what it needs, on persons' days.

FOLDER holds a file a person (JSONL; see `data.py`). Beside the daemon's figures stands the floor: the three nearest by
cosine on every turn, which is what most products do.
"""

import argparse
from collections.abc import Iterable
from pathlib import Path
from statistics import mean

import numpy as np

from benchmarks.daily import data, labels
from benchmarks.daily.play import Played, Week, add_documents, play, store
from benchmarks.home import bare_model, daemon, home, wait_for_model
from benchmarks.record import write
from memoryd.embedding.onnx import OnnxModel

FLOOR = 3
"""Memories that the floor hands over on each turn."""


def main() -> None:
    arguments = _arguments()
    people = [one for one in data.read(arguments.folder) if not arguments.person or one.name in arguments.person]
    settings = {f"MEMORYD_{name.upper().replace('.', '_')}": value for name, value in arguments.set}
    weeks: list[list[Week]] = [[] for _ in range(arguments.weeks)]
    floors: list[Week] = []
    for person in people:
        with home() as paths, labels.judge(person, arguments.judge) as judge, daemon(paths, **judge, **settings) as run:
            wait_for_model(run)
            names = store(run, person)
            if arguments.documents:
                print(f"{add_documents(run, arguments.documents)} passages of documents")
            for number, played in enumerate(weeks):
                told = _tell if arguments.turns else _nothing
                played.append(play(run, person, names, week=number, told=told))
                _show(f"{person.name}, week {number + 1}" if arguments.weeks > 1 else person.name, [played[-1]])
            floors.append(_floor(person, bare_model(paths)))
    for number, played in enumerate(weeks):
        _show(f"all, week {number + 1}" if arguments.weeks > 1 else "all", played)
    _show(f"floor: {FLOOR} nearest, every turn", floors)
    figures = {"judge": arguments.judge, "floor": _mean(floors), "weeks": [_mean(played) for played in weeks]}
    print(write(arguments.out, "daily", figures))


def _floor(person: data.Person, model: OnnxModel) -> Week:
    """Return what the nearest memories by cosine to each message would have done."""
    vectors = model.encode([memory.text for memory in person.memories], max_tokens=256)
    result = Week()
    for _, turns in person.sessions():
        context: set[str] = set()
        characters = 0
        for turn, vector in zip(turns, model.encode([turn.user for turn in turns], max_tokens=256), strict=True):
            nearest = [person.memories[n] for n in np.argsort(-(vectors @ vector))[:FLOOR]]
            context |= {memory.id for memory in nearest}
            characters += sum(len(memory.text) for memory in nearest)
            result.turns.append(Played(turn, [memory.id for memory in nearest], frozenset(context)))
        result.characters.append(characters)
    return result


def _mean(weeks: Iterable[Week]) -> dict[str, float]:
    found = [week.figures() for week in weeks]
    return {name: mean(figures[name] for figures in found) for name in found[0]}


def _show(name: str, weeks: list[Week]) -> None:
    figures = ", ".join(
        f"{key} {value:.3f}" if value <= 1 else f"{key} {value:.0f}" for key, value in _mean(weeks).items()
    )
    kinds = [week.by_kind() for week in weeks]
    by_kind = {kind: mean(found[kind] for found in kinds if kind in found) for kind in sorted(set().union(*kinds))}
    print(f"{name}: {figures}")
    print("   in context by kind: " + ", ".join(f"{kind} {share:.2f}" for kind, share in by_kind.items()), flush=True)


def _tell(played: Played) -> None:
    turn = played.turn
    marks = [("+" if name in turn.relevant else "~" if name in turn.fine else "-") + name for name in played.recalled]
    missed = [f"?{name}" for name in sorted(turn.relevant - played.context)]
    print(f"   {turn.kind:10} {turn.user[:70]!r}: {' '.join(marks + missed) or 'quiet'}")


def _nothing(_played: Played) -> None:
    """Tell nothing."""


def _setting(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    if "." not in name or not value:
        raise argparse.ArgumentTypeError(f"{text!r} is no setting; write it like recall.strictness=quiet")
    return name, value


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.daily", description=__doc__)
    parser.add_argument("folder", type=Path, help="a file a person")
    parser.add_argument("--person", action="append", help="only this one; may be given several times")
    parser.add_argument(
        "--judge", choices=labels.JUDGES, default="none", help="who decides (default: none, the local one)"
    )
    parser.add_argument("--weeks", type=int, default=1, help="how often the same days are played, word for word")
    parser.add_argument("--set", type=_setting, action="append", default=[], help="a setting: recall.strictness=quiet")
    parser.add_argument("--documents", type=Path, help="a folder that everybody has as knowledge beside their memories")
    parser.add_argument("--turns", action="store_true", help="show what came up on each turn")
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "results")
    return parser.parse_args()


if __name__ == "__main__":
    main()
