"""Which files show what memories have to do with each other, and when: a file that nobody meant to change stays."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from memoryd.mirror import mirror
from memoryd_actors.consolidating.comparer import ACTOR
from memoryd_actors.memory.steps import RELATED, AddEdge, ChangeState, RemoveEdge, Revise
from memoryd_client.wire.memory import State

from .play import MirroredHome, mirrored_home
from .test_two_machines import remember


async def two(home: MirroredHome) -> tuple[str, str, Path]:
    """Have two memories with files, and a link that memory itself found meanwhile; the file is that of the first."""
    expiry = await remember(home, "Token expiry", "Token expiry is computed in UTC.")
    login = await remember(home, "Login test", "The login test fails at midnight.")
    await home.sync()
    await home.perform(AddEdge(expiry, login, RELATED, 0.7), actor=ACTOR)
    return expiry, login, home.folder / "fact" / "Token expiry.md"


async def test_links_that_memory_finds_by_itself_change_no_file_until_its_memory_changes(tmp_path: Path) -> None:
    async with mirrored_home(tmp_path) as home:
        expiry, _, file = await two(home)
        before = home.files()
        await home.sync()
        await home.perform(ChangeState(expiry, State.ARCHIVED, "ARCHIVE"), actor=ACTOR)
        await home.sync()
        file.write_text(file.read_text().replace("UTC", "local time"))
        await home.sync()
        assert {path for path, said in home.files().items() if said != before[path]} == {"fact/Token expiry.md"}
        assert "related_to" not in file.read_text()
        one = (await home.memories())[expiry]
        await home.perform(Revise(replace(one, tags=("auth",))))
        await home.sync()
        assert 'related_to: ["[[Login test]]"]' in file.read_text()


async def test_a_link_that_somebody_makes_or_removes_is_in_the_file(tmp_path: Path) -> None:
    async with mirrored_home(tmp_path) as home:
        expiry, login, file = await two(home)
        await home.perform(AddEdge(expiry, login, "depends on", 1.0, told=True))
        await home.sync()
        assert 'relations: ["depends on [[Login test]]"]' in file.read_text()
        assert 'related_to: ["[[Login test]]"]' in file.read_text()
        await home.perform(RemoveEdge(expiry, login, "depends on"))
        await home.sync()
        assert "depends on" not in file.read_text()
        await home.undo()
        await home.sync()
        assert "depends on" in file.read_text()


async def test_a_link_follows_the_name_of_what_it_leads_to(tmp_path: Path) -> None:
    async with mirrored_home(tmp_path) as home:
        _, login, file = await two(home)
        await home.perform(Revise(replace((await home.memories())[login], title="Test of the login")))
        await home.sync()
        assert 'related_to: ["[[Test of the login]]"]' in file.read_text()


async def test_a_purge_takes_the_links_to_what_is_purged_and_the_index_page_along(tmp_path: Path) -> None:
    async with mirrored_home(tmp_path) as home:
        expiry, login, file = await two(home)
        await home.perform(Revise(replace((await home.memories())[expiry], tags=("auth",))))
        await home.sync()
        assert "Login test" in file.read_text()
        await home.purge(login)
        await home.mirror.purge([login])
        left = [path for path in home.folder.rglob("*") if path.is_file() and b"Login test" in path.read_bytes()]
        assert left == []
        await home.sync()
        assert "auth" in file.read_text()
        assert home.mirror.status().conflicts == ()


@pytest.mark.parametrize(
    ("was", "becomes", "cut"),
    [
        ("---\n", "---\nbroken: [\n", ""),  # not taken
        ("Login test]]", "LOGIN  test!]]", ""),  # taken, as links are memory's own affair
        ("UTC.", "UTC. See [[Login test]], [[Other]].", "UTC. See [[Other]]."),
    ],
)
async def test_a_purge_takes_links_out_of_files_that_are_not_as_memory_wrote_them(
    tmp_path: Path, was: str, becomes: str, cut: str
) -> None:
    async with mirrored_home(tmp_path) as home:
        expiry, login, file = await two(home)
        await home.perform(Revise(replace((await home.memories())[expiry], tags=("auth",))))
        await home.sync()
        edited = file.read_text().replace(was, becomes, 1)
        if cut:
            edited = edited.replace("---\n", "---\nbroken: [\n", 1)
        file.write_text(edited)
        await home.sync()
        await home.purge(login)
        assert await home.mirror.purge([login]) == ""
        left = [path for path in home.folder.rglob("*") if path.is_file() and b"login" in path.read_bytes().lower()]
        assert left == []
        assert "Token expiry is computed in UTC." in file.read_text()
        assert cut in file.read_text()
        assert ("broken" in file.read_text()) == ("broken" in edited)


async def test_a_purge_names_files_that_may_tell_it_and_are_not_in_memory(tmp_path: Path) -> None:
    async with mirrored_home(tmp_path) as home:
        _, login, file = await two(home)
        edited = file.read_text().replace("---\n", "---\nbroken: [\n", 1) + "After that came the login test.\n"
        file.write_text(edited)
        await home.sync()
        await home.purge(login)
        assert await home.mirror.purge([login]) == f"{file}, which is not in memory as it is, may tell it"
        assert file.read_text() == edited


async def test_a_purge_that_the_mirror_itself_was_faster_with_tells_the_same(tmp_path: Path) -> None:
    async with mirrored_home(tmp_path) as home:
        _, login, file = await two(home)
        file.write_text(file.read_text().replace("---\n", "---\nbroken: [\n", 1) + "After that came the login test.\n")
        (home.folder / ".git").mkdir()
        await home.sync()
        await home.purge(login)
        await home.sync()
        left = await home.mirror.purge([login])
        assert f"{file}, which is not in memory as it is, may tell it" in left
        assert "repository" in left
        assert await home.mirror.purge([login]) == ""


async def test_a_file_links_to_one_that_is_written_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with mirrored_home(tmp_path) as home:
        await two(home)
        monkeypatch.setattr(mirror, "PAGE", 1)
        home.use(tmp_path / "another")
        await home.sync()
        assert 'related_to: ["[[Login test]]"]' in (home.folder / "fact" / "Token expiry.md").read_text()
