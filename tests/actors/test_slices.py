"""Long work takes turns: one piece in each round of the loop, in order, whatever becomes of the others."""

import asyncio
from itertools import pairwise

import anyio
from anyio.lowlevel import checkpoint

from memoryd_actors.core.slices import Slices


async def piece(slices: Slices, name: int, done: list[int]) -> None:
    for _ in range(3):
        slices._until = 0.0  # its slice is over
        await slices.pause()
        done.append(name)


async def test_one_piece_of_work_goes_on_in_each_round_of_the_loop() -> None:
    slices, done, rounds = Slices(), list[int](), list[int]()
    async with anyio.create_task_group() as tasks:
        for name in range(4):
            tasks.start_soon(piece, slices, name, done)
        while len(done) < 12:
            await checkpoint()
            rounds.append(len(done))
    assert done == [0, 1, 2, 3] * 3
    assert max(after - before for before, after in pairwise(rounds)) == 1


async def test_work_goes_on_at_once_as_long_as_its_slice_is_not_over() -> None:
    slices = Slices()
    slices._until = float("inf")
    with anyio.CancelScope() as scope:
        scope.cancel()  # whatever waited now would be cancelled
        await slices.pause()
    assert not scope.cancelled_caught


async def test_who_is_cancelled_while_others_work_takes_nobodys_turn() -> None:
    slices, done = Slices(), list[int]()
    async with anyio.create_task_group() as tasks:
        with anyio.CancelScope() as scope:
            tasks.start_soon(piece, slices, 1, done)
            await checkpoint()
            scope.cancel()
            await slices.pause()
        tasks.start_soon(piece, slices, 2, done)
    assert sorted(done) == [1, 1, 1, 2, 2, 2]


def test_what_waited_on_a_loop_that_has_ended_holds_up_nobody_on_the_next() -> None:
    slices, done = Slices(), list[int]()

    async def left_behind() -> None:
        asyncio.get_running_loop().create_task(slices.pause())
        await asyncio.sleep(0)

    asyncio.run(left_behind())
    asyncio.run(piece(slices, 1, done))
    assert done == [1, 1, 1]


def test_who_waits_on_one_loop_goes_on_though_another_has_run_meanwhile() -> None:
    slices, done = Slices(), list[int]()

    async def begin() -> "asyncio.Future[list[None]]":
        waiting = asyncio.gather(*(piece(slices, 1, done) for _ in range(4)))
        await asyncio.sleep(0)
        return waiting

    async def end(waiting: "asyncio.Future[list[None]]") -> None:
        await asyncio.wait_for(waiting, 10)

    with asyncio.Runner() as first, asyncio.Runner() as second:
        waiting = first.run(begin())
        second.run(piece(slices, 2, done))
        first.run(end(waiting))
    assert sorted(done) == [1] * 12 + [2] * 3
