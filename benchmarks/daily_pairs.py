"""What a second statement does to the first, on statements as persons and their agents make them.

Every pair is told to the write path, one after the other, to a person of its own, and it is counted by label how the
two stand afterwards: merged into one, the first superseded, linked as a contradiction, in doubt (queued until a model
can be asked), linked as near, or left apart. Nothing that stays true beside the other (`both`) may be merged or
superseded, and nothing that contradicts may be merged: either ends with an error.

Reads the `pair` lines (old, new, label) of every `.jsonl` of a folder and, where `--observations` names a file with
`group` and `text`, tells each group of statements to one person, too: there every action is worth a look.
"""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import msgspec

from benchmarks.consolidation import World, world
from benchmarks.record import RESULTS, write
from benchmarks.vectors import Embeddings
from memoryd_actors.keeping.orders import Store
from memoryd_actors.memory.steps import CONTRADICTS, RELATED
from memoryd_client import NewMemory, Scope, State
from memoryd_client.wire.caller import Caller

COLUMNS = ("merged", "superseded", "contradiction", "in doubt", "near", "apart")
FORBIDDEN = {"both": ("merged", "superseded"), "contradicts": ("merged",)}


class Line(msgspec.Struct):
    """One line of a file: of other types nothing is read."""

    type: str
    old: str = ""
    new: str = ""
    label: str = ""


class Observation(msgspec.Struct):
    """One statement about the persons of a conversation."""

    group: str
    text: str


async def tell(made: World, owner: str, texts: Sequence[str]) -> list[str]:
    """Store statements one after the other, as an agent would; return their ids."""
    ids: list[str] = []
    for text in texts:
        (stored,) = await made.keeper.ask(
            Store((NewMemory(content=text, scope=Scope.GLOBAL),), Caller(owner=owner, session="s")), deadline_s=60
        )
        ids.append(stored.id)
    return ids


async def outcome(made: World, owner: str, old: str, new: str) -> str:
    """Return how two memories stand to each other."""
    memories = await made.ledger.memories.get(owner, [old, new])
    relations = {edge.relation for edge in await made.ledger.memories.edges(owner, [old])}
    if old == new or "merged_into" in relations:
        return "merged"
    if memories[old].state is State.SUPERSEDED:
        return "superseded"
    if CONTRADICTS in relations:
        return "contradiction"
    if await made.repository.queued(owner):
        return "in doubt"
    return "near" if RELATED in relations else "apart"


async def told(made: World, pairs: Sequence[Line]) -> dict[str, Counter[str]]:
    """Tell pairs, and count by label how they stand."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for at, pair in enumerate(pairs):
        owner = f"person{at}"
        old, new = await tell(made, owner, (pair.old, pair.new))
        found = await outcome(made, owner, old, new)
        counts[pair.label][found] += 1
        if found in {"superseded", "merged", *FORBIDDEN.get(pair.label, ())}:
            print(f"{found} ({pair.label}): {pair.old} | {pair.new}")
    return counts


async def observed(made: World, observations: Sequence[Observation]) -> Counter[str]:
    """Tell the statements of each group, and count what became of them."""
    groups: dict[str, list[str]] = defaultdict(list)
    for one in observations:
        groups[one.group].append(one.text)
    counts: Counter[str] = Counter(statements=len(observations))
    for group, texts in groups.items():
        ids = await tell(made, group, texts)
        memories = await made.ledger.memories.get(group, ids)
        edges = {
            (edge.from_id, edge.to_id, edge.relation)
            for edge in await made.ledger.memories.edges(group, list(memories))
        }
        for old, new, relation in sorted(edges):
            if relation in {"merged_into", "supersedes", CONTRADICTS}:
                counts[relation] += 1
                print(f"{relation}: {memories[old].content} | {memories[new].content}")
        counts["in doubt"] += len(await made.repository.queued(group))
    return counts


async def measure(
    pairs: Sequence[Line], observations: Sequence[Observation], embeddings: Embeddings
) -> dict[str, object]:
    """Tell everything, print the tables, return the figures."""
    embeddings.of([text for pair in pairs for text in (pair.old, pair.new)] + [one.text for one in observations])
    with TemporaryDirectory() as folder:
        async with world(Path(folder), embeddings) as (made, _):
            counts = await told(made, pairs)
            print(f"\n{'label':14}{'pairs':>8}" + "".join(f"{name:>15}" for name in COLUMNS))
            for label, found in sorted(counts.items()):
                print(f"{label:14}{found.total():8}" + "".join(f"{found[name]:15}" for name in COLUMNS))
            figures: dict[str, object] = {label: dict(found) for label, found in sorted(counts.items())}
            wrong = sum(counts[label][name] for label, names in FORBIDDEN.items() for name in names)
            figures["wrong"] = wrong
            print(f"\nwrong: {wrong}\n")
            if observations:
                figures["observations"] = dict(seen := await observed(made, observations))
                print("\nobservations: " + ", ".join(f"{count} {name}" for name, count in seen.items()))
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables, keep the JSON; fail where something was lost."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.daily_pairs", description=__doc__)
    parser.add_argument("data", type=Path, help="folder with .jsonl files that have pairs")
    parser.add_argument("--observations", type=Path, help="a .jsonl file of statements, by group")
    parser.add_argument("--cache", type=Path, help="keep the embeddings in this file")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON")
    given = parser.parse_args(arguments)
    lines = [line for path in sorted(given.data.glob("*.jsonl")) for line in path.read_bytes().splitlines() if line]
    pairs = [pair for line in lines if (pair := msgspec.json.decode(line, type=Line)).type == "pair"]
    if not pairs:
        sys.exit(f"no pairs in {given.data}; name a folder that has some: python -m benchmarks.daily_pairs FOLDER")
    told_of = given.observations.read_bytes().splitlines() if given.observations else []
    observations = [msgspec.json.decode(line, type=Observation) for line in told_of if line]
    figures = anyio.run(measure, pairs, observations, Embeddings(given.cache))
    print(f"JSON: {write(given.results, 'daily_pairs', figures)}")
    return 1 if figures["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
