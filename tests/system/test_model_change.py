"""Another embedding model while the daemon runs: two small ones made on the spot, a real daemon, real indexes."""

import itertools
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryd_client import Client
from memoryd_client.wire.importing import MemoryRecord
from memoryd_client.wire.status import ComponentStatus
from memoryd_client.wire.transcripts import Entry
from running import RunningDaemon, until
from small_models import WORDS, make_model

MANY = 1_500


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two models that have nothing in common, not even the length of a vector."""
    prompts = {"query": "query: ", "document": "passage: "}
    return (
        make_model(tmp_path / "first", dimensions=24, seed=1),
        make_model(tmp_path / "second", dimensions=40, seed=2, pooling="mean", prompts=prompts),
    )


@pytest.fixture
def daemon(short_home: Path, models: Path, folders: tuple[Path, Path]) -> Iterator[RunningDaemon]:
    """A daemon that the first model serves."""
    running = RunningDaemon(short_home, models, MEMORYD_CONSOLIDATION_AT="never")
    configure(running, folders[0])
    with running:
        wait_for(running, "first")
        yield running


def configure(daemon: RunningDaemon, folder: Path) -> None:
    daemon.paths.config.write_text(f'[embedding]\nmodel = "{folder.name}"\nfolder = "{folder}"\n', encoding="utf-8")


def change(daemon: RunningDaemon, folder: Path) -> None:
    configure(daemon, folder)
    with daemon.client() as client:
        client.reembed()


def embedding(client: Client) -> ComponentStatus:
    return client.status().components["embedding"]


def wait_for(daemon: RunningDaemon, name: str) -> None:
    with daemon.client() as client:
        until(lambda: embedding(client).facts["serving"].startswith(f"{name}@"), f"{name} to serve")


def fill(client: Client, count: int) -> list[str]:
    """Store so many different memories, at once."""
    words = itertools.islice(itertools.combinations(WORDS, 3), 0, count * 7, 7)
    contents = [f"entry{n} {' '.join(three)}" for n, three in enumerate(words)]
    records = [MemoryRecord(id=f"m{n:05}", content=content) for n, content in enumerate(contents)]
    for start in range(0, count, 500):
        client.import_records(records[start : start + 500])
    return contents


def building(client: Client, applied: int = 0) -> Callable[[], ComponentStatus | None]:
    """Ask whether the successor's index has more than so many changes."""

    def ask() -> ComponentStatus | None:
        status = embedding(client)
        return status if status.numbers.get("applied", 0) > applied else None

    return ask


def has_changed(client: Client) -> ComponentStatus | None:
    status = embedding(client)
    return status if status.facts["serving"].startswith("second@") else None


def finds(client: Client, query: str, content: str = "") -> bool:
    return (content or query) in {hit.summary for hit in client.search(query, limit=10)}


def files_with(home: Path, needle: str) -> list[str]:
    found: list[str] = []
    for file in sorted(home.rglob("*")):
        try:
            if file.is_file() and needle.encode() in file.read_bytes():
                found.append(str(file))
        except FileNotFoundError:
            continue  # compacted away meanwhile
    return found


@pytest.mark.timeout(240)
@pytest.mark.slow
def test_a_change_survives_a_kill_while_the_old_index_serves_and_can_be_taken_back(
    daemon: RunningDaemon, folders: tuple[Path, Path]
) -> None:
    with daemon.client() as client:
        contents = fill(client, MANY)
        daemon.indexed(client)
        change(daemon, folders[1])
        seen = until(building(client), "the building to begin")
        assert seen.state == "loading"
        assert seen.facts["serving"].startswith("first@")
        assert seen.facts["building"].startswith("second@")
        assert finds(client, contents[700])
        client.remember("a broken lamp in the kitchen")
        assert finds(client, "broken kitchen lamp", "a broken lamp in the kitchen")
        before = until(building(client, 200), "a part to be there").numbers["applied"]
    daemon.kill()
    daemon.start()
    with daemon.client() as client:
        resumed = embedding(client)
        if resumed.facts["serving"].startswith("first@"):
            assert finds(client, contents[700])
            # It goes on from where it was, and does not begin anew: the first that is seen is more than before.
            begun = until(building(client), "the building to go on")
            assert begun.numbers["applied"] >= before
    wait_for(daemon, "second")
    with daemon.client() as client:
        now = embedding(client)
        assert now.state == "ok"
        assert now.facts["previous"].startswith("first@")
        assert client.status().components["model"].facts["identity"] == now.facts["serving"]
        assert finds(client, contents[700])
        assert finds(client, "kitchen lamp", "a broken lamp in the kitchen")
        client.remember("green tea beside the violin")
        assert finds(client, "violin and tea", "green tea beside the violin")
        daemon.indexed(client)
        # Back again: what was written meanwhile is there, too, and nothing else has to be embedded.
        change(daemon, folders[0])
    wait_for(daemon, "first")
    with daemon.client() as client:
        assert client.status().components["model"].numbers["texts"] < 200
        assert finds(client, "violin and tea", "green tea beside the violin")
        assert finds(client, contents[700])
        assert embedding(client).facts["previous"].startswith("second@")
    # And it stays so.
    daemon.stop()
    daemon.start()
    with daemon.client() as client:
        assert embedding(client).facts["serving"].startswith("first@")
        assert finds(client, "violin and tea", "green tea beside the violin")


@pytest.mark.timeout(240)
@pytest.mark.slow
def test_nothing_written_and_nothing_said_during_a_change_is_lost_or_unfindable(
    daemon: RunningDaemon, folders: tuple[Path, Path]
) -> None:
    written: list[str] = []
    problems: list[object] = []
    done = threading.Event()

    def write() -> None:
        pairs = itertools.combinations(WORDS, 2)
        with daemon.client(session="writer") as client:
            while not done.wait(0.05):  # a change is not to wait for what it is beside
                text = f"note {len(written)} about {' '.join(next(pairs))}"
                client.remember(text, category="fact")
                client.append([Entry(role="user", content=f"said {text}")])
                written.append(text)
                found = client.search(text, limit=30)
                if text not in {hit.summary for hit in found}:
                    problems.append((text, found[:3]))

    with daemon.client() as client:
        fill(client, 600)
        daemon.indexed(client)
        writer = threading.Thread(target=write)
        writer.start()
        try:
            until(lambda: len(written) > 5, "writes")
            change(daemon, folders[1])
            wait_for(daemon, "second")
            after = len(written)
            until(lambda: len(written) > after + 5, "writes with the new model")
        finally:
            done.set()
            writer.join()
        assert problems == []
        assert set(written) <= {memory.content for memory in client.list(limit=1000, category="fact")}
        for text in (written[0], written[after // 2], written[-1]):
            found = client.search_messages(f"said {text}", limit=5).found
            assert f"said {text}" in {one.record.content for one in found}


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_purge_reaches_the_index_that_is_built_and_the_one_that_is_kept(
    daemon: RunningDaemon, folders: tuple[Path, Path]
) -> None:
    home = daemon.paths.home
    with daemon.client() as client:
        first = client.remember("the quokkabanana opens the drawer")
        second = client.remember("the wombatmelon opens the office")
        fill(client, MANY)
        daemon.indexed(client)
        change(daemon, folders[1])
        until(building(client, 100), "a part to be there")
        assert any("indexes/second" in file for file in files_with(home, "quokkabanana"))
        client.purge([first.id])
        assert files_with(home, "quokkabanana") == []
    wait_for(daemon, "second")
    with daemon.client() as client:
        assert any("indexes/first" in file for file in files_with(home, "wombatmelon"))
        client.purge([second.id])
        assert files_with(home, "wombatmelon") == []
        assert client.search("drawer office", limit=3)
        # What was kept went with it: to go back takes embedding anew, and nothing that was purged comes with it.
        change(daemon, folders[0])
    wait_for(daemon, "first")
    assert files_with(home, "quokkabanana") + files_with(home, "wombatmelon") == []


@pytest.mark.timeout(120)
def test_a_model_that_is_not_there_changes_nothing_and_is_told(
    daemon: RunningDaemon, folders: tuple[Path, Path], tmp_path: Path
) -> None:
    with daemon.client() as client:
        client.remember("coffee in the garden")
        change(daemon, tmp_path / "nowhere")
        told = until(lambda: status if (status := embedding(client)).message else None, "the reason")
        assert told.state == "degraded"
        assert "there is no folder" in told.message
        assert told.facts["serving"].startswith("first@")
        assert finds(client, "garden coffee", "coffee in the garden")
        change(daemon, folders[0])
        until(lambda: embedding(client).state == "ok", "it to be forgotten")
