"""Worker threads do what they are given, once, in order; what is the same is done together; nothing is left behind."""

import threading
from functools import partial

import anyio
import pytest
from anyio.lowlevel import checkpoint

from memoryd_actors.core.worker_threads import WorkerThreads


class Door:
    """Work that waits in its thread until it is let through."""

    def __init__(self) -> None:
        self.passed = 0
        self._open = threading.Event()

    def work(self) -> None:
        assert self._open.wait(30)
        self.passed += 1

    def open(self) -> None:
        self._open.set()


async def test_each_call_gets_what_its_own_work_returned() -> None:
    threads = WorkerThreads(3, name="test")
    results: dict[int, int] = {}

    async def call(number: int) -> None:
        results[number] = await threads.run(lambda: number * number)

    async with anyio.create_task_group() as tasks:
        for number in range(500):
            tasks.start_soon(call, number)
    assert results == {number: number * number for number in range(500)}


async def test_one_thread_does_one_thing_at_a_time_and_in_order() -> None:
    threads = WorkerThreads(1, name="test")
    seen: list[int] = []
    async with anyio.create_task_group() as tasks:
        for number in range(200):
            tasks.start_soon(threads.run, partial(seen.append, number))
    assert seen == list(range(200))


async def test_several_threads_wait_at_the_same_time() -> None:
    threads = WorkerThreads(4, name="test")
    together = threading.Barrier(4, timeout=30)
    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(threads.run, together.wait)
    assert not together.broken


async def test_what_work_raises_reaches_its_caller_and_nobody_else() -> None:
    threads = WorkerThreads(1, name="test")

    def fail() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        await threads.run(fail)
    assert await threads.run(lambda: "still there") == "still there"


async def test_the_same_work_is_done_once_for_all_who_wait_and_again_for_who_comes_once_it_has_begun() -> None:
    threads = WorkerThreads(1, name="test")
    door = Door()
    looked: list[int] = []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(threads.run, door.work)
        await checkpoint()
        for _ in range(50):
            tasks.start_soon(lambda: threads.run(partial(looked.append, 1), same_as="look"))
        await checkpoint()
        await checkpoint()
        door.open()
    assert looked == [1]
    await threads.run(partial(looked.append, 2), same_as="look")
    assert looked == [1, 2]


async def test_work_that_was_cancelled_before_it_began_is_never_done() -> None:
    threads = WorkerThreads(1, name="test")
    door = Door()
    done: list[str] = []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(threads.run, door.work)
        await checkpoint()
        with anyio.move_on_after(0):
            await threads.run(partial(done.append, "cancelled"))
        door.open()
    await threads.run(partial(done.append, "afterwards"))
    assert done == ["afterwards"]


async def test_work_that_has_begun_is_waited_for_when_its_caller_is_cancelled() -> None:
    threads = WorkerThreads(1, name="test")
    entered = threading.Event()
    door = Door()

    def work() -> None:
        entered.set()
        door.work()

    async def let_through() -> None:
        await anyio.to_thread.run_sync(entered.wait, 30)
        caller.cancel()
        await checkpoint()
        door.open()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(let_through)
        with anyio.CancelScope() as caller:
            await threads.run(work)
        # Whoever holds a lock around it lets nobody in while the thread is still at work.
        assert door.passed == 1
        assert caller.cancelled_caught


async def test_the_threads_end_when_nobody_has_them_any_more() -> None:
    threads = WorkerThreads(2, name="short-lived")
    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(threads.run, lambda: None)
    mine = [one for one in threading.enumerate() if one.name.startswith("short-lived")]
    assert mine
    del threads
    for one in mine:
        await anyio.to_thread.run_sync(one.join, 30)
    assert not any(one.is_alive() for one in mine)
