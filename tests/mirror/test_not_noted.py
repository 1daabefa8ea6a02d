"""What a crash kept from being noted: a file that says what its memory once said is no edit of anybody's."""

from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from memoryd_actors.memory.steps import Add, Revise
from memoryd_client import Memory, Scope
from memoryd_client.wire.memory import new_memory_id

from .play import OWNER, PROJECT, MirroredHome, mirrored_home


async def remember(home: MirroredHome, text: str, *, title: str = "", category: str = "fact") -> Memory:
    now = datetime.now(UTC)
    new = Memory(
        id=new_memory_id(), owner=OWNER, content=text, scope=Scope.PROJECT, project=PROJECT, created_at=now,
        updated_at=now, title=title, category=category, metadata={"path": "notes.md"} if category == "file" else {},
    )  # fmt: skip
    await home.perform(Add(new))
    return new


async def edit(home: MirroredHome, memory_id: str, text: str, *, title: str = "") -> None:
    before = (await home.memories())[memory_id]
    await home.perform(Revise(replace(before, content=text, title=title)))


def conflicts(home: MirroredHome) -> list[str]:
    return [path for path in home.files() if ".conflict-" in path]


async def test_a_file_written_and_not_noted_follows_its_memory(tmp_path: Path) -> None:
    async with mirrored_home(tmp_path) as home:
        await home.sync()
        home.remember_state()
        memory = await remember(home, "The shop ships on Mondays.")
        await home.sync()
        await edit(home, memory.id, "The shop ships on Tuesdays.")
        await home.lose_state()
        await home.sync()
        assert conflicts(home) == []
        assert [note.content for note in home.notes().values()] == ["The shop ships on Tuesdays."]


async def test_a_file_written_again_and_not_noted_follows_its_memory(tmp_path: Path) -> None:
    async with mirrored_home(tmp_path) as home:
        memory = await remember(home, "The shop ships on Mondays.")
        await home.sync()
        home.remember_state()
        await edit(home, memory.id, "The shop ships on Tuesdays.")
        await home.sync()
        await edit(home, memory.id, "The shop ships on Fridays.")
        await home.lose_state()
        await home.sync()
        assert conflicts(home) == []
        assert [note.content for note in home.notes().values()] == ["The shop ships on Fridays."]


async def test_a_memory_file_written_again_and_not_noted_follows_its_memory(tmp_path: Path) -> None:
    async with mirrored_home(tmp_path) as home:
        await home.sync()
        home.remember_state()
        memory = await remember(home, "The shop ships on Mondays.", title="The shop ships on Mondays.", category="file")
        await home.sync()
        await edit(home, memory.id, "Ships leave on Tuesdays.", title="Ships leave on Tuesdays.")
        await home.lose_state()
        await home.sync()
        assert conflicts(home) == []
        assert [note.content for note in home.notes().values()] == ["Ships leave on Tuesdays."]


async def test_a_file_taken_and_not_noted_is_edited_as_if_it_was(tmp_path: Path) -> None:
    async with mirrored_home(tmp_path) as home:
        await home.sync()
        home.remember_state()
        path = home.folder / "fact" / "Shipping.md"
        path.parent.mkdir()
        memory_id = new_memory_id()
        path.write_text(f"---\nid: {memory_id}\n---\n\nThe shop ships on Mondays.\n")
        await home.sync()
        path.write_text(f"---\nid: {memory_id}\n---\n\nThe shop ships on Tuesdays.\n")
        await home.lose_state()
        await home.sync()
        assert conflicts(home) == []
        assert (await home.memories())[memory_id].content == "The shop ships on Tuesdays."


async def test_an_earlier_wording_that_somebody_put_back_while_memory_changed_stays_beside_it(tmp_path: Path) -> None:
    async with mirrored_home(tmp_path) as home:
        memory = await remember(home, "The shop ships on Mondays.")
        await home.sync()
        await edit(home, memory.id, "The shop ships on Tuesdays.")
        await home.sync()
        (path,) = (home.folder / one for one in home.files())
        path.write_text(path.read_text().replace("Tuesdays", "Mondays"))
        await edit(home, memory.id, "The shop ships on Fridays.")
        await home.sync()
        assert len(conflicts(home)) == 1
