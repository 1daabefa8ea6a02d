# ruff: noqa: ASYNC240 - these tests have the loop to themselves, and break files on purpose
import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import anyio
import pytest

from memoryd.config import IndexConfig
from memoryd.index import LanceIndex
from memoryd.index.failures import translated
from memoryd.index.messages import LanceMessages
from memoryd_actors.core.errors import IndexDamaged, Unavailable
from memoryd_actors.ports.transcripts import MessageRow, Wanted

from .rows import DIMENSIONS, axis, row, seen_by, unit_vectors


async def texts(index: LanceIndex, words: str) -> set[str]:
    return {hit.id for hit in await index.search(vector=None, words=words, visible=seen_by(), limit=100)}


async def test_applying_twice_changes_nothing(index: LanceIndex) -> None:
    rows = [row("a", text="apple"), row("b", text="pear"), row("c", text="plum")]
    for _ in range(2):
        await index.apply(rows, removed=["c"], sequence=3)
        assert await index.count() == 2
        assert await texts(index, "apple pear plum") == {"a", "b"}


async def test_a_row_replaces_the_one_with_its_id(index: LanceIndex) -> None:
    await index.apply([row("a", text="apple")], removed=[], sequence=1)
    await index.apply([row("a", text="pear", vector=axis(1), sequence=2)], removed=[], sequence=2)
    assert await texts(index, "apple") == set()
    assert await texts(index, "pear") == {"a"}
    (hit,) = await index.search(vector=axis(1), words="", visible=seen_by(), limit=5)
    assert hit.vector_score == pytest.approx(1.0)


async def test_an_older_row_that_comes_late_does_not_replace_a_newer_one(index: LanceIndex, folder: Path) -> None:
    await index.apply([row("a", text="new", sequence=9)], removed=[], sequence=9)
    await index.apply([row("a", text="old", sequence=2), row("b", text="old", sequence=3)], removed=[], sequence=3)
    assert await texts(index, "new") == {"a"}
    assert await texts(index, "old") == {"b"}
    await index.close()
    assert await index.open(model="m", dimensions=DIMENSIONS) == 9


async def test_of_several_rows_with_one_id_in_a_batch_the_latest_is_kept(index: LanceIndex) -> None:
    batch = [
        row("a", text="first", sequence=1),
        row("a", text="third", sequence=3),
        row("a", text="second", sequence=2),
    ]
    await index.apply(batch, removed=[], sequence=3)
    assert await index.count() == 1
    assert await texts(index, "first second third") == {"a"}
    assert await texts(index, "third") == {"a"}


async def test_the_applied_sequence_and_the_rows_survive_a_restart(index: LanceIndex) -> None:
    await index.apply([row("a", text="apple")], removed=[], sequence=5)
    await index.apply([], removed=["nobody"], sequence=6)
    await index.apply([], removed=[], sequence=7)
    await index.close()
    with pytest.raises(Unavailable, match="not open"):
        await index.count()
    assert await index.open(model="m", dimensions=DIMENSIONS) == 7
    assert await texts(index, "apple") == {"a"}
    await index.optimise()
    await index.close()
    assert await index.open(model="m", dimensions=DIMENSIONS) == 7


async def test_an_index_of_another_model_is_set_aside(index: LanceIndex, folder: Path) -> None:
    await index.apply([row("a")], removed=[], sequence=5)
    await index.close()
    assert await index.open(model="another", dimensions=DIMENSIONS) == 0
    assert await index.count() == 0
    assert sorted(path.name for path in folder.parent.iterdir()) == ["index", "index.set-aside"]
    await index.close()
    assert await index.open(model="another", dimensions=DIMENSIONS * 2) == 0
    assert len(list(folder.parent.iterdir())) == 2


async def test_a_reset_leaves_nothing_behind(index: LanceIndex, folder: Path) -> None:
    await index.apply([row("a", text="the purged secret lived here")], removed=[], sequence=5)
    await index.reset(model="m", dimensions=DIMENSIONS)
    assert await index.count() == 0
    assert list(folder.parent.iterdir()) == [folder]
    assert not [path for path in folder.rglob("*") if path.is_file() and b"purg" in path.read_bytes()]
    await index.close()
    assert await index.open(model="m", dimensions=DIMENSIONS) == 0


@pytest.mark.parametrize("part", ["data", "_versions", "_indices"])
@pytest.mark.parametrize("damage", ["emptied", "truncated", "garbage", "deleted"])
async def test_a_damaged_folder_is_set_aside_and_begun_anew(
    index: LanceIndex, folder: Path, part: str, damage: str
) -> None:
    rows = [row(f"m{number}", text=f"word{number}") for number in range(50)]
    await index.apply(rows, removed=[], sequence=50)
    await index.optimise()
    await index.close()
    for path in sorted((folder / "memories.lance" / part).rglob("*")):
        if path.is_file():
            match damage:
                case "emptied":
                    path.write_bytes(b"")
                case "truncated":
                    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
                case "garbage":
                    path.write_bytes(b"\xa5" * path.stat().st_size)
                case _:
                    path.unlink()
    assert await index.open(model="m", dimensions=DIMENSIONS) == 0
    assert (folder.parent / "index.set-aside").is_dir()
    await index.apply(rows, removed=[], sequence=50)
    assert await texts(index, "word7") == {"m7"}


async def test_a_folder_that_vanished_is_begun_anew(index: LanceIndex, folder: Path) -> None:
    await index.apply([row("a")], removed=[], sequence=5)
    await index.close()
    folder.rename(folder.with_name("gone"))
    assert await index.open(model="m", dimensions=DIMENSIONS) == 0
    assert await index.count() == 0


async def test_damage_while_it_is_open_is_named_with_the_way_out(index: LanceIndex, folder: Path) -> None:
    await index.apply([row("a", text="apple")], removed=[], sequence=1)
    for path in (folder / "memories.lance" / "data").iterdir():
        path.unlink()
    with pytest.raises(Unavailable, match="damaged") as refusal:
        await index.apply([row("a", text="pear", sequence=2)], removed=[], sequence=2)
    assert "memoryd reindex" in refusal.value.hint
    assert await texts(index, "apple") == {"a"}


@pytest.mark.slow
async def test_versions_and_files_stay_bounded(index: LanceIndex, folder: Path) -> None:
    for number in range(200):
        await index.apply([row(f"m{number % 50}", sequence=number + 1)], removed=[], sequence=number + 1)
    grown = sum(1 for path in folder.rglob("*") if path.is_file())
    done = await index.optimise()
    left = sum(1 for path in folder.rglob("*") if path.is_file())
    assert done["versions_removed"] >= 200
    assert done["fragments_removed"] > done["fragments_added"]
    assert grown > 400
    assert left < 40
    assert await index.count() == 50


async def test_removed_text_is_gone_from_the_disk_after_upkeep(index: LanceIndex, folder: Path) -> None:
    await index.apply([row("a", text="purgeable"), row("b", text="stays")], removed=[], sequence=1)
    await index.optimise()
    await index.apply([], removed=["a"], sequence=2)
    await index.optimise()
    await index.optimise()
    assert not [path for path in folder.rglob("*") if path.is_file() and b"purgeabl" in path.read_bytes()]
    assert await texts(index, "stays") == {"b"}


async def test_upkeep_leaves_nothing_of_replaced_rows_in_memory(index: LanceIndex) -> None:
    vectors = unit_vectors(40)
    for number in range(40):
        batch = [row(f"m{place}", text=f"word{number} here", vector=vectors[number]) for place in range(number, 40)]
        await index.apply(batch, removed=[], sequence=number + 1)
    await index.apply([], removed=["m39"], sequence=41)
    for _ in range(2):
        assert await index.count() == 39
        assert await texts(index, "word39") == set()
        found = await index.search(vector=vectors[7], words="here", visible=seen_by(), limit=40)
        assert {hit.id for hit in found} == {f"m{number}" for number in range(39)}
        assert found[0].id == "m7"
        assert (await index.optimise())["rows"] == 39


def test_naming_an_index_does_not_import_lancedb() -> None:
    program = (
        "import sys, memoryd.config, memoryd.index\n"
        "memoryd.index.LanceIndex('/nowhere', memoryd.config.IndexConfig())\n"
        "print([name for name in ('lancedb', 'pyarrow') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


async def test_searches_and_writes_go_on_together(folder: Path) -> None:
    index = LanceIndex(folder, IndexConfig(keep_versions_s=600))
    await index.open(model="m", dimensions=DIMENSIONS)
    await index.apply([row("first", text="first")], removed=[], sequence=1)
    found: list[bool] = []

    async def search() -> None:
        while len(found) < 30:
            found.append("first" in await texts(index, "first"))

    async def write(task: int) -> None:
        for number in range(10):
            await index.apply([row(f"m{task}-{number}")], removed=[], sequence=2 + number)

    async def look_after() -> None:
        for _ in range(5):
            await index.optimise()

    async with anyio.create_task_group() as group:
        group.start_soon(search)
        group.start_soon(write, 1)
        group.start_soon(write, 2)
        group.start_soon(look_after)
    assert found == [True] * 30
    assert await index.count() == 21
    await index.close()


def test_an_index_on_a_disk_that_may_only_be_read_is_not_taken_for_damaged() -> None:
    for error in (OSError(errno.EROFS, os.strerror(errno.EROFS)), RuntimeError("lance error: (os error 30)")):
        with pytest.raises(Unavailable, match="cannot be written") as told, translated("/home/index"):
            raise error
        assert not isinstance(told.value, IndexDamaged)


async def test_without_a_folder_for_temporary_files_it_is_named_and_the_index_is_not_taken_for_damaged(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages = LanceMessages(folder, IndexConfig())
    await messages.open(model="m", dimensions=DIMENSIONS)
    said = MessageRow("local", "s1", 1, "apple", None, "message", "user", "", 0)
    for cleared_away in (tmp_path / "nowhere", tmp_path / "file"):
        monkeypatch.setenv("TMPDIR", str(cleared_away))
        monkeypatch.setattr(tempfile, "tempdir", str(cleared_away))
        with pytest.raises(Unavailable, match=f"temporary files, {cleared_away}") as told:
            await messages.apply([said])
        assert not isinstance(told.value, IndexDamaged)
        (tmp_path / "file").touch()
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    await messages.apply([said])
    assert await messages.newest(Wanted("local"), limit=9, offset=0) == [("s1", 1)]
    await messages.close()
