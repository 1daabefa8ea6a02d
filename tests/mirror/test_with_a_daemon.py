"""A folder of files beside a daemon: what people do to files, and what is done to memory elsewhere."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryd_client import Client, Memory, RequestFailed
from memoryd_client.wire.mirroring import MirrorStatus
from running import RunningDaemon, until


@pytest.fixture
def client(served: RunningDaemon) -> Iterator[Client]:
    with served.client() as client:
        yield client


@pytest.fixture
def folder(client: Client, tmp_path: Path) -> Iterator[Path]:
    client.remember("Token expiry is computed in UTC.", title="Token expiry", tags=["auth"])
    client.remember("Use uv, never pip.", category="preference", scope="global")
    mirror(client, tmp_path / "memory")
    yield tmp_path / "memory"
    client.end_mirror(tmp_path / "memory")


def mirror(client: Client, folder: Path) -> MirrorStatus:
    client.mirror(folder)

    def together() -> MirrorStatus | None:
        return next((one for one in client.mirrors() if one.folder == str(folder) and one.state == "ok"), None)

    return until(together, "folder and memory to be together")


def known(client: Client, says: Callable[[Memory], bool]) -> Memory:
    """Wait for a memory, in whatever state."""
    states = ("active", "forgotten", "superseded", "archived")

    def found() -> Memory | None:
        return next((one for one in client.list(states=states, scope="everywhere") if says(one)), None)

    return until(found, "memory to follow the folder")


def test_what_is_done_to_files_is_done_to_memory_and_can_be_undone(client: Client, folder: Path) -> None:
    file = folder / "demo" / "fact" / "Token expiry.md"
    file.write_text(file.read_text().replace("UTC", "local time"))
    known(client, lambda one: "local time" in one.content and one.tags == ("auth",))
    added = folder / "demo" / "fact" / "Deploys.md"
    added.write_text("Never on Fridays.\n")
    deploys = known(client, lambda one: one.content == "Never on Fridays.")
    assert (deploys.title, deploys.category, deploys.project) == ("Deploys", "fact", "/projects/demo")
    until(lambda: f"id: {deploys.id}" in added.read_text(), "the file to get its id")
    added.rename(added.with_name("When to deploy.md"))
    known(client, lambda one: one.title == "When to deploy")
    file.unlink()
    forgotten = known(client, lambda one: one.state == "forgotten")
    newest = client.history(limit=1)[0]
    assert (newest.actor, newest.event, newest.memory_id) == ("mirror:memory", "DELETE", forgotten.id)
    client.undo(newest.operation)
    until(file.exists, "the file to be back")
    assert "local time" in file.read_text()


def test_what_is_done_to_memory_is_done_to_its_file(client: Client, folder: Path) -> None:
    known_one = client.list(scope="project")[0]
    file = folder / "demo" / "fact" / "Token expiry.md"
    client.update(known_one.id, content="Token expiry is a setting now.")
    until(lambda: "a setting now" in file.read_text(), "the file to follow")
    client.update(known_one.id, title="How long tokens live")
    renamed = file.with_name("How long tokens live.md")
    until(renamed.exists, "the file to get its new name")
    assert not file.exists()
    until(lambda: "[[How long tokens live]]" in (folder / "index.md").read_text(), "the index page to follow")
    (folder / ".git").mkdir()
    assert "repository" in client.purge([known_one.id])
    assert not renamed.exists()


def test_many_files_at_once_are_one_operation(client: Client, folder: Path) -> None:
    for number in range(30):
        (folder / "demo" / "fact" / f"Fact {number}.md").write_text(f"The house number {number} is painted.\n")
    until(lambda: len(client.list(limit=100)) == 32, "all files to be memories")
    added = [entry for entry in client.history(limit=30) if entry.event == "ADD"]
    assert len({entry.operation for entry in added}) == 1
    client.undo(added[0].operation)
    until(lambda: not list(folder.glob("demo/fact/Fact*.md")), "the files to be gone again")


def test_a_folder_of_somebodys_notes_is_not_taken_by_surprise(client: Client, tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "Diary.md").write_text("Dear diary.")
    with pytest.raises(RequestFailed, match="no mirror has written"):
        client.mirror(tmp_path / "vault")
    assert client.mirrors() == []


def test_a_folder_that_is_taken_away_is_no_order_to_forget(client: Client, folder: Path) -> None:
    aside = folder.with_name("aside")
    folder.rename(aside)
    paused = until(lambda: [one for one in client.mirrors() if one.state == "paused"], "the mirror to pause")
    assert "is away" in paused[0].message
    assert any("is away" in warning for warning in client.status().warnings)
    assert len(client.list()) == 2
    aside.rename(folder)
    until(lambda: client.mirrors()[0].state == "ok", "the mirror to go on")
    assert len(client.list()) == 2


def test_a_folder_is_the_mirror_of_one_owner(served: RunningDaemon, client: Client, folder: Path) -> None:
    with served.client(owner="somebody else") as other, pytest.raises(RequestFailed, match="mirrored already, for"):
        other.mirror(folder)
    assert [one.folder for one in client.mirrors()] == [str(folder)]
