"""How often the rules of capture fire on real conversations, and on what: precision is for a reader to judge.

Plays every user message of BEAM, and every message of LoCoMo, with the message before it. Nobody in them asks an
assistant to remember anything in so many words, and LoCoMo is people among themselves: whatever the explicit
rule finds there is a false alarm, or close to one. BEAM has standing instructions (`Always ... when I ask about ...`),
marked by their kind in the data; of these the rule for standing instructions is measured for recall, too. The floor is
the plainest rule: every message that holds `remember`, or that begins with `always` or `never`.

Reads `beam100k` and `locomo` from a data folder, which is not part of this repository.
"""

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import msgspec

from memoryd_actors.capture import Captured, explicit, standing_instruction
from memoryd_actors.texts.clean import clean_text

DATA = Path(__file__).parents[2] / "shared" / "data"
SETS = ("beam100k", "locomo")
_REMEMBER = re.compile(r"\b(?:remember|keep in mind|save this|don't forget)\b", re.IGNORECASE)
_ALWAYS = re.compile(r"\W*(?:please )?(?:always|never|from now on)\b", re.IGNORECASE)
_MARKED = re.compile(r"\A\W*Always\b.*\bwhen I ask\b", re.IGNORECASE)


class Line(msgspec.Struct):
    """One message of a set."""

    id: str
    group: str
    speaker: str
    text: str


@dataclass(frozen=True)
class Fired:
    """A message on which a rule fired."""

    id: str
    captured: Captured


@dataclass(frozen=True)
class Said:
    """A user's message and the one before it, cleaned."""

    id: str
    raw: str
    text: str
    before: str


def read(folder: Path) -> list[Said]:
    """Return the user messages of a set; of people among themselves, everybody's."""
    lines = [msgspec.json.decode(line, type=Line) for line in (folder / "memories.jsonl").read_bytes().splitlines()]
    said: list[Said] = []
    before = ("", "")
    for line in lines:
        text = clean_text(line.text)
        if line.speaker != "assistant":
            said.append(Said(line.id, line.text, text, before[1] if before[0] == line.group else ""))
        before = (line.group, text)
    return said


def fired(messages: Sequence[Said], rule: Callable[[Said], Sequence[Captured]]) -> list[Fired]:
    """Return what a rule captures."""
    return [Fired(one.id, captured) for one in messages for captured in rule(one)]


def _standing(one: Said) -> Sequence[Captured]:
    captured = standing_instruction(one.text)
    return () if captured is None else (captured,)


def _print(name: str, found: Sequence[Fired], messages: int, floor: int, seconds: float) -> None:
    each = 1e6 * seconds / max(messages, 1)
    print(f"  {name}: {len(found)} of {messages} messages (floor {floor}), {each:.1f} us a message")
    for one in found:
        content = " ".join(one.captured.content.split())[:140]
        print(f"    {one.id:18} {one.captured.category:10} {one.captured.asked!r} -> {content}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what fires."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.capture", description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DATA, help="a folder with beam100k and locomo")
    folder = parser.parse_args(arguments).data
    if not all((folder / name / "memories.jsonl").exists() for name in SETS):
        print(f"{folder} has no {' or '.join(SETS)}; give the folder of the data sets", file=sys.stderr)
        return 2
    for name in SETS:
        messages = read(folder / name)
        print(name)
        began = perf_counter()
        asked = fired(messages, lambda one: explicit(one.text, one.before))
        middle = perf_counter()
        standing = fired(messages, _standing)
        ended = perf_counter()
        said = sum(bool(_REMEMBER.search(one.text)) for one in messages)
        begun = sum(bool(_ALWAYS.match(one.text)) for one in messages)
        _print("explicit", asked, len(messages), said, middle - began)
        _print("standing", standing, len(messages), begun, ended - middle)
        marked = {one.id for one in messages if _MARKED.match(one.text)}
        if marked:
            hit = len(marked & {one.id for one in standing})
            print(f"  standing instructions by their wording: {len(marked)}, found {hit}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
