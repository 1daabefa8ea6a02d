"""Work in the background: begun when asked, tried again, and no bug ends it."""

import math

import anyio
import pytest

from memoryd_actors.core.errors import ActorStopped, DaemonError, DiskFull, Unavailable
from memoryd_actors.core.worker import Worker


class Work:
    """Fails as often as it is told to, then waits to be asked."""

    def __init__(self, *problems: Exception) -> None:
        self.problems = list(problems)
        self.begun = 0
        self.done = anyio.Event()
        self.complaints: list[str] = []

    async def __call__(self) -> float:
        self.begun += 1
        if self.problems:
            raise self.problems.pop(0)
        self.done.set()
        return math.inf

    def complain(self, problem: DaemonError) -> None:
        self.complaints.append(str(problem))


@pytest.mark.asyncio
async def test_what_fails_is_told_and_tried_again_also_after_a_bug() -> None:
    work = Work(Unavailable("the disk is away"), KeyError("a bug of ours"))
    worker = Worker(work, complain=work.complain, retry_s=0.0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(worker.run)
        await work.done.wait()
        tasks.cancel_scope.cancel()
    assert work.begun == 3
    assert work.complaints == ["the disk is away", "a bug: KeyError"]


@pytest.mark.asyncio
async def test_what_finds_no_space_may_be_tried_again_sooner() -> None:
    work = Work(DiskFull("/somewhere"))
    worker = Worker(work, complain=work.complain, retry_s=math.inf, full_disk_s=0.0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(worker.run)
        await work.done.wait()
        tasks.cancel_scope.cancel()
    assert work.begun == 2


@pytest.mark.asyncio
async def test_it_works_again_when_it_is_asked_and_not_before() -> None:
    work = Work()
    worker = Worker(work, complain=work.complain, retry_s=0.0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(worker.run)
        await work.done.wait()
        await anyio.wait_all_tasks_blocked()
        assert work.begun == 1
        work.done = anyio.Event()
        worker.kick()
        await work.done.wait()
        tasks.cancel_scope.cancel()
    assert work.begun == 2


@pytest.mark.asyncio
async def test_what_is_asked_for_while_it_works_is_not_forgotten() -> None:
    work = Work()

    async def kicked_meanwhile() -> float:
        if not work.begun:
            worker.kick()
        return await work()

    worker = Worker(kicked_meanwhile, complain=work.complain, retry_s=0.0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(worker.run)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    assert work.begun == 2


@pytest.mark.asyncio
async def test_it_ends_where_the_daemon_goes_down() -> None:
    work = Work(ActorStopped("keeper"))
    await Worker(work, complain=work.complain, retry_s=0.0).run()
    assert (work.begun, work.complaints) == (1, [])
