"""What is told of a folder that was taken away, and is back, or has another one in its place."""

import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from memoryd.mirror.watching import watch_folder

Told = Callable[[], Awaitable[None]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "memory" / "fact").mkdir(parents=True)
    return tmp_path / "memory"


def move(folder: Path, to: Path) -> Path:
    return folder.rename(to)


@asynccontextmanager
async def watched(folder: Path) -> AsyncGenerator[Told]:
    """Watch a folder; what comes back waits until the next time that something is told of it."""
    send, receive = anyio.create_memory_object_stream[None](1_000)

    async def told() -> None:
        with anyio.fail_after(20):
            await receive.receive()

    async with anyio.create_task_group() as tasks, send, receive:
        tasks.start_soon(watch_folder, folder, lambda: send.send_nowait(None))
        await told()
        yield told
        tasks.cancel_scope.cancel()


async def is_told(folder: Path, told: Told) -> None:
    """Edit until the watch has nothing else left to tell: the last edit is told only by a watch of this very folder."""
    for number in range(3):
        (folder / "fact" / "Deploys.md").write_text(f"Never on day {number}.")
        await told()


async def test_a_folder_that_was_away_is_watched_again(folder: Path) -> None:
    async with watched(folder) as told:
        away = move(folder, folder.with_name("away"))
        for _ in range(3):
            await told()
        move(away, folder)
        await is_told(folder, told)


async def test_another_folder_in_the_place_of_one_is_watched(folder: Path) -> None:
    async with watched(folder) as told:
        shutil.rmtree(folder)
        (folder / "fact").mkdir(parents=True)
        await told()
        await is_told(folder, told)
