"""Random edits on both sides against each other: nothing is lost, both say the same at last, and then nothing moves."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import anyio
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.steps import Add, ChangeState, Revise
from memoryd_actors.mirroring.document import says_the_same
from memoryd_client import Memory, Scope
from memoryd_client.wire.memory import State, new_memory_id

from .play import EVERY_STATE, OWNER, PROJECT, MirroredHome, mirrored_home

Deed = Literal[
    "remember", "edit memory", "title", "forget", "restore", "purge", "undo",
    "edit file", "create", "delete", "rename", "move", "empty", "break", "copy", "touch",
    "sync", "restart", "lose state",
]  # fmt: skip
DEEDS: tuple[Deed, ...] = Deed.__args__  # type: ignore[attr-defined]
deeds = st.lists(st.tuples(st.sampled_from(DEEDS), st.integers(0, 5)), max_size=14)


async def to_memory(home: MirroredHome, deed: str, number: int, text: str) -> None:
    there = sorted((await home.memories(*EVERY_STATE)).values(), key=lambda one: one.id)
    one = there[number % len(there)] if there else None
    now = datetime.now(UTC)
    if deed == "remember":
        new = Memory(
            id=new_memory_id(), owner=OWNER, content=text, scope=Scope.PROJECT, project=PROJECT,
            title=f"Title {number}", created_at=now, updated_at=now,
        )  # fmt: skip
        await home.perform(Add(new))
    elif deed == "undo":
        await home.undo()
    elif one is None:
        return
    elif deed == "edit memory":
        await home.perform(Revise(replace(one, content=text)))
    elif deed == "title":
        await home.perform(Revise(replace(one, title=f"Title {number}")))
    elif deed == "forget":
        await home.perform(ChangeState(one.id, State.FORGOTTEN, "DELETE"))
    elif deed == "restore":
        await home.perform(ChangeState(one.id, State.ACTIVE, "RESTORE"))
    elif deed == "purge":
        await home.purge(one.id)


def to_files(home: MirroredHome, deed: str, number: int, text: str) -> None:
    there = [path for path in home.files() if ".conflict-" not in path]
    path = home.folder / there[number % len(there)] if there else None
    if deed == "create":
        new = home.folder / "fact" / f"File {number}.md"
        new.parent.mkdir(exist_ok=True)
        new.write_text(text)
    elif path is None:
        return
    elif deed == "edit file":
        head = path.read_text().rpartition("---\n")[0]
        path.write_text(f"{head}---\n\n{text}\n" if head else text)
    elif deed == "delete":
        path.unlink()
    elif deed == "rename":
        path.rename(path.with_name(f"Renamed {number}.md"))
    elif deed == "move":
        (home.folder / "preference").mkdir(exist_ok=True)
        path.rename(home.folder / "preference" / path.name)
    elif deed == "empty":
        path.write_bytes(b"")
    elif deed == "break":
        path.write_text(path.read_text().replace("\n---\n", "\n", 1))
    elif deed == "copy":
        path.with_name(f"Copy {number}.md").write_bytes(path.read_bytes())
    elif deed == "touch":
        path.touch()


async def play(what: list[tuple[Deed, int]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        async with mirrored_home(Path(place)) as home:
            purged: set[str] = set()
            for step, (deed, number) in enumerate([*what, ("sync", 0), ("sync", 0)]):
                text = f"Text {step} of {deed}."
                if deed == "sync":
                    await sync_and_look(home, purged)
                elif deed == "restart":
                    await home.restart()
                elif deed == "lose state":
                    await home.lose_state()
                elif deed in {"remember", "edit memory", "title", "forget", "restore", "purge", "undo"}:
                    before = await home.told()
                    try:
                        await to_memory(home, deed, number, text)
                    except Refused:
                        continue
                    if deed == "purge":
                        purged |= set(before.splitlines()) - set((await home.told()).splitlines())
                else:
                    to_files(home, deed, number, text)
            await check_at_rest(home)


async def sync_and_look(home: MirroredHome, purged: set[str]) -> None:
    """Have both brought together: what any file said is still somewhere, unless it was purged."""
    said = {note.content.strip() for note in home.notes().values()} - {""}
    states = home.states
    if await states.mirrors():
        home.remember_state()
    await home.sync()
    left = {note.content.strip() for note in home.notes().values()}
    beside = b"\n".join(home.files().values()).decode()
    told = await home.told()
    lost = {one for one in said - left if one not in told and one not in beside}
    assert purged or not lost  # with a purge goes whatever was written into the memory's file


async def check_at_rest(home: MirroredHome) -> None:
    """Both say the same, each once, and nothing moves any more."""
    problems = {one.path for one in home.mirror.status().troubles}
    notes = {path: note for path, note in home.notes().items() if path not in problems}
    if home.mirror.status().state == "paused":
        assert "gone" in home.mirror.status().message
        return
    active = await home.memories("active", "archived")
    assert len({note.id for note in notes.values()}) == len(notes)
    assert {note.id for note in notes.values()} <= active.keys()
    troubled = len(active) - len(notes)
    assert 0 <= troubled <= len(problems)
    for path, note in notes.items():
        assert says_the_same(note, active[note.id]), path
    files, sequence = home.files(), await home.memory.ledger.memories.last_sequence()
    await home.sync()
    await home.restart()
    await home.sync()
    assert home.files() == files
    assert await home.memory.ledger.memories.last_sequence() == sequence


@given(deeds)
@example([("remember", 0), ("sync", 0), ("edit file", 0), ("edit memory", 0)])
@example([("remember", 0), ("remember", 1), ("sync", 0), ("delete", 0), ("edit memory", 0), ("sync", 0)])
@example([("create", 0), ("sync", 0), ("forget", 0), ("edit file", 0), ("sync", 0), ("restore", 0)])
@example([("remember", 0), ("sync", 0), ("edit file", 0), ("sync", 0), ("lose state", 0)])
@example([("create", 0), ("copy", 0), ("sync", 0), ("delete", 0)])
@example([("remember", 0), ("sync", 0), ("copy", 0), ("sync", 0), ("delete", 0)])
@example([("remember", 0), ("sync", 0), ("copy", 0), ("sync", 0), ("delete", 1)])
@settings(max_examples=25)
@pytest.mark.slow
def test_random_edits_on_both_sides(what: list[tuple[Deed, int]]) -> None:
    anyio.run(play, what)
