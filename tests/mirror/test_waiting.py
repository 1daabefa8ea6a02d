"""Files that cannot be taken as they are: they wait for somebody, and so do their memories."""

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from msgspec.structs import replace

from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.steps import ChangeState, Revise
from memoryd_actors.mirroring.taking import FileChange, FileTaker
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import State

from . import play
from .play import mirrored_home
from .test_two_machines import remember

MERGING = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"


async def test_a_file_waits_while_its_memory_changes(tmp_path: Path) -> None:
    async with mirrored_home(tmp_path) as home:
        await remember(home, "Token expiry", "Token expiry is computed in UTC.")
        await home.sync()
        file = home.folder / "fact" / "Token expiry.md"
        file.write_text(file.read_text() + MERGING)
        await home.sync()
        (one,) = (await home.memories()).values()
        await home.perform(Revise(replace(one, content="Token expiry is a setting now.")))
        await home.sync()
        assert MERGING in file.read_text()
        assert home.mirror.status().not_taken == 1


async def test_a_file_waits_while_its_memory_goes(tmp_path: Path) -> None:
    async with mirrored_home(tmp_path) as home:
        await remember(home, "Token expiry", "Token expiry is computed in UTC.")
        await home.sync()
        file = home.folder / "fact" / "Token expiry.md"
        file.write_text(file.read_text() + MERGING)
        await home.sync()
        (one,) = (await home.memories()).values()
        await home.perform(ChangeState(one.id, State.FORGOTTEN, "DELETE"))
        await home.sync()
        assert MERGING in file.read_text()


async def test_a_link_in_the_place_of_a_file_has_its_name(tmp_path: Path) -> None:
    async with mirrored_home(tmp_path) as home:
        (home.folder / "fact" / "Deploys.md").mkdir(parents=True)
        (home.folder / "fact" / "Token expiry.md").symlink_to(tmp_path / "elsewhere.md")
        await remember(home, "Token expiry", "Token expiry is computed in UTC.")
        await remember(home, "Deploys", "Never deploy on Fridays.")
        await home.sync()
        assert len(list(home.folder.glob("fact/Deploys ????.md"))) == 1
        assert len(list(home.folder.glob("fact/Token expiry ????.md"))) == 1
        assert not (tmp_path / "elsewhere.md").exists()


@contextmanager
def nobody(place: Path) -> Generator[None]:
    """Be somebody to whom files can be closed, where root runs the tests."""
    if os.geteuid() != 0:
        yield
        return
    for path in (place, *place.rglob("*")):
        os.lchown(path, 65534, 65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


async def test_a_folder_that_cannot_be_read_is_no_order_to_forget() -> None:
    with TemporaryDirectory() as place:
        async with mirrored_home(Path(place)) as home:
            await remember(home, "Token expiry", "Token expiry is computed in UTC.")
            await remember(home, "Deploys", "Never deploy on Fridays.")
            await home.sync()
            (home.folder / "preference").mkdir()
            (home.folder / "fact" / "Deploys.md").rename(home.folder / "preference" / "Deploys.md")
            await home.sync()
            with nobody(Path(place)):
                (home.folder / "fact").chmod(0)
                await home.sync()
                assert [one.path for one in home.mirror.status().troubles] == ["fact/"]
                (home.folder / "fact").chmod(0o700)
                await home.sync()
            assert home.mirror.status().not_taken == 0
            assert len(await home.memories()) == 2


async def test_a_purge_reaches_what_a_conflict_left_without_an_id(tmp_path: Path) -> None:
    async with mirrored_home(tmp_path) as home:
        memory_id = await remember(home, "Token expiry", "Token expiry is computed in UTC.")
        await home.sync()
        (home.folder / "fact" / "Token expiry.md").write_text("The secret is plum.\n")
        await home.perform(Revise(replace((await home.memories())[memory_id], content="It is a setting now.")))
        await home.sync()
        assert len(home.mirror.status().conflicts) == 1
        await home.purge(memory_id)
        await home.mirror.purge([memory_id])
        assert home.files() == {}


async def test_a_memory_that_changes_while_its_file_is_taken_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with mirrored_home(tmp_path) as home:
        memory_id = await remember(home, "Token expiry", "Token expiry is computed in UTC.")
        await home.sync()

        class OvertakenTaker(FileTaker):
            async def take(self, found: Sequence[FileChange], caller: Caller) -> dict[str, Refused]:
                one = (await home.memories())[memory_id]
                await home.perform(Revise(replace(one, content="It is a setting now.")))
                return await super().take(found, caller)

        monkeypatch.setattr(play, "FileTaker", OvertakenTaker)
        await home.restart()
        file = home.folder / "fact" / "Token expiry.md"
        file.write_text(file.read_text().replace("UTC", "local time"))
        await home.sync()
        assert home.mirror.status().not_taken == 0
        assert "a setting now" in file.read_text()
        assert len(home.mirror.status().conflicts) == 1
