"""What the rules keep of the days of persons, without a model: to be read, and judged by a person.

`python -m benchmarks.daily.kept FOLDER` prints every statement that becomes a memory by itself, and how each session
ended where somebody said so, with what was said last.
"""

import argparse
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from memoryd_actors.extraction import InputMessage, capped, stated
from memoryd_actors.summarising.outcome import outcome
from memoryd_actors.summarising.summary import Spoken

SAID_ON = datetime(2026, 3, 1, tzinfo=UTC)


class Line(msgspec.Struct):
    """One line of a file: of other types nothing is read."""

    type: str
    session: str = ""
    user: str = ""
    assistant: str = ""


def main() -> None:
    """Read, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    turns = kept = ended = 0
    for file in sorted(parser.parse_args().folder.glob("*.jsonl")):
        sessions: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for text in file.read_bytes().splitlines():
            line = msgspec.json.decode(text, type=Line)
            if line.type == "turn":
                sessions[line.session] += [("user", line.user), ("assistant", line.assistant)]
        for name, said in sessions.items():
            turns += len(said) // 2
            messages = [
                InputMessage(number, "user" if role == "user" else "assistant", "", text, SAID_ON)
                for number, (role, text) in enumerate(said, 1)
            ]
            for one in capped(stated(messages), messages):
                kept += 1
                print(f"{file.stem} {name}  {one.category}: {one.content}")
            if told := outcome([Spoken(text, role) for role, text in said]):
                ended += 1
                print(f"{file.stem} {name}  outcome: {told}  (last: {said[-2][1][:100]!r})")
    print(f"\n{kept} memories and {ended} outcomes of {turns} turns")


if __name__ == "__main__":
    main()
