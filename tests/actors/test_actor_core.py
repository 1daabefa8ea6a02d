"""The actor core keeps its promises: order, refusal, restart, drain, latest-wins."""

import gc
import weakref
from collections.abc import Callable

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd_actors.core.actor import Actor, ActorRef
from memoryd_actors.core.errors import ActorCrashed, ActorStopped, ActorTimeout, Refused, Superseded


class Recorder(Actor[str, str]):
    """Notes what it handles; `boom` crashes it, `no` is refused, `wait` blocks until released."""

    def __init__(self, seen: list[str], gate: anyio.Event | None = None, started: anyio.Event | None = None) -> None:
        self.seen = seen
        self.gate = gate
        self.started = started

    async def handle(self, message: str) -> str:
        if message == "boom":
            raise RuntimeError("boom")
        if message == "no":
            raise Refused("no", "ask for something else")
        if message == "wait":
            assert self.gate is not None
            if self.started is not None:
                self.started.set()
            await self.gate.wait()
        self.seen.append(message)
        return message.upper()


def ignore(name: str, bug: Exception) -> None:
    del name, bug


def actor_on(factory: Callable[[], Actor[str, str]], *, capacity: int | None = 10) -> ActorRef[str, str]:
    return ActorRef("recorder", factory, on_crash=ignore, capacity=capacity)


async def drained(ref: ActorRef[str, str]) -> None:
    ref.close()
    with anyio.fail_after(5):
        await ref.stopped.wait()


async def test_messages_are_handled_in_order_and_answered() -> None:
    seen: list[str] = []
    async with anyio.create_task_group() as tasks:
        ref = actor_on(lambda: Recorder(seen))
        tasks.start_soon(ref.run)
        for word in ("a", "b", "c"):
            await ref.tell(word)
        assert await ref.ask("d", deadline_s=5) == "D"
        await drained(ref)
    assert seen == ["a", "b", "c", "d"]


async def test_a_refusal_is_answered_and_does_not_restart_the_actor() -> None:
    built: list[int] = []

    def build() -> Recorder:
        built.append(1)
        return Recorder([])

    ref = actor_on(build)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ref.run)
        with pytest.raises(Refused) as refused:
            await ref.ask("no", deadline_s=5)
        assert refused.value.hint == "ask for something else"
        await drained(ref)
    assert len(built) == 1
    assert ref.statistics().refused == 1


async def test_a_crash_tells_the_asker_and_rebuilds_without_the_poisonous_message() -> None:
    seen: list[str] = []
    crashes: list[str] = []
    async with anyio.create_task_group() as tasks:
        ref: ActorRef[str, str] = ActorRef(
            "recorder", lambda: Recorder(seen), on_crash=lambda name, bug: crashes.append(f"{name}: {bug}"), capacity=10
        )
        await ref.tell("before")
        tasks.start_soon(ref.run)
        with pytest.raises(ActorCrashed, match="RuntimeError: boom"):
            await ref.ask("boom", deadline_s=5)
        assert await ref.ask("after", deadline_s=5) == "AFTER"
        await drained(ref)
    assert seen == ["before", "after"]
    assert crashes == ["recorder: boom"]


async def test_an_actor_that_cannot_be_built_again_leaves_the_task_group_and_settles_what_was_waiting() -> None:
    built: list[int] = []
    errors: list[Exception] = []

    def build() -> Recorder:
        if built:
            raise OSError("no more of these")
        built.append(1)
        return Recorder([])

    ref = actor_on(build)

    async def ask_last() -> None:
        try:
            await ref.ask("left over", deadline_s=5)
        except ActorStopped as stopped:
            errors.append(stopped)

    with pytest.raises(ExceptionGroup) as group:
        async with anyio.create_task_group() as tasks:
            await ref.tell("boom")
            tasks.start_soon(ask_last)
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(ref.run)
    assert group.group_contains(OSError)
    assert len(errors) == 1
    assert not ref.offer("later")


async def test_bad_messages_never_end_the_actor_however_many_come_and_however_fast() -> None:
    async with anyio.create_task_group() as tasks:
        ref = actor_on(lambda: Recorder([]))
        tasks.start_soon(ref.run)
        for _ in range(50):
            with pytest.raises(ActorCrashed):
                await ref.ask("boom", deadline_s=5)
        assert await ref.ask("alive", deadline_s=5) == "ALIVE"
        assert ref.statistics().crashed == 50
        await drained(ref)


async def test_closing_drains_what_was_accepted_and_refuses_what_comes_later() -> None:
    seen: list[str] = []
    ref = actor_on(lambda: Recorder(seen))
    for n in range(5):
        await ref.tell(str(n))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ref.run)
        await drained(ref)
    assert seen == ["0", "1", "2", "3", "4"]
    with pytest.raises(ActorStopped):
        await ref.tell("late")
    with pytest.raises(ActorStopped):
        await ref.ask("late", deadline_s=1)


class Holder(Recorder):
    """Holds the address under which it is found, as a session does."""

    def __init__(self) -> None:
        super().__init__([])
        self.ref = actor_on(lambda: self)


async def test_an_actor_that_holds_its_own_address_goes_at_once_when_it_has_stopped() -> None:
    gc.disable()
    try:
        async with anyio.create_task_group() as tasks:
            holder = Holder()
            gone = weakref.ref(holder)
            tasks.start_soon(holder.ref.run)
            assert await holder.ref.ask("a", deadline_s=5) == "A"
            await drained(holder.ref)
            del holder
            assert gone() is None
    finally:
        gc.enable()


async def test_a_bounded_mailbox_refuses_an_offer_when_full_and_makes_tell_wait() -> None:
    seen: list[str] = []
    ref = actor_on(lambda: Recorder(seen), capacity=2)
    assert ref.offer("a")
    assert ref.offer("b")
    assert not ref.offer("c")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ref.tell, "c")
        await anyio.wait_all_tasks_blocked()
        assert ref.statistics().waiting == 2
        tasks.start_soon(ref.run)
        await anyio.wait_all_tasks_blocked()
        await drained(ref)
    assert seen == ["a", "b", "c"]


async def test_latest_wins_replaces_the_waiting_message_and_says_so_to_its_asker() -> None:
    seen: list[str] = []
    gate, started = anyio.Event(), anyio.Event()
    outcome: list[Exception] = []

    async def ask_old(ref: ActorRef[str, str]) -> None:
        try:
            await ref.ask("old", deadline_s=5)
        except Superseded as replaced:
            outcome.append(replaced)

    ref = actor_on(lambda: Recorder(seen, gate, started), capacity=None)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ref.run)
        await ref.tell("wait")
        await started.wait()
        tasks.start_soon(ask_old, ref)
        await anyio.wait_all_tasks_blocked()
        assert ref.offer("new")
        assert ref.offer("newest")
        gate.set()
        await drained(ref)
    assert seen == ["wait", "newest"]
    assert len(outcome) == 1
    assert ref.statistics().replaced == 2


async def test_an_ask_past_its_deadline_is_skipped_when_its_turn_comes() -> None:
    seen: list[str] = []
    gate, started = anyio.Event(), anyio.Event()
    ref = actor_on(lambda: Recorder(seen, gate, started))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ref.run)
        await ref.tell("wait")
        await started.wait()
        with pytest.raises(ActorTimeout, match=r"0\.01 s"):
            await ref.ask("too late", deadline_s=0.01)
        gate.set()
        await drained(ref)
    assert seen == ["wait"]
    assert ref.statistics().abandoned == 1


async def test_an_ask_that_finds_no_room_before_its_deadline_was_never_accepted() -> None:
    ref = actor_on(lambda: Recorder([]), capacity=1)
    assert ref.offer("a")
    with pytest.raises(ActorTimeout):
        await ref.ask("no room", deadline_s=0.01)
    assert (ref.statistics().accepted, ref.statistics().waiting) == (1, 1)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ref.run)
        await drained(ref)
    count = ref.statistics()
    assert (count.accepted, count.handled, count.abandoned) == (1, 1, 0)


async def test_an_asker_whose_actor_is_cancelled_learns_that_it_stopped() -> None:
    gate, started = anyio.Event(), anyio.Event()
    ref = actor_on(lambda: Recorder([], gate, started))
    outcome: list[Exception] = []

    async def ask() -> None:
        try:
            await ref.ask("wait", deadline_s=5)
        except ActorStopped as stopped:
            outcome.append(stopped)

    async with anyio.create_task_group() as askers, anyio.create_task_group() as tasks:
        tasks.start_soon(ref.run)
        askers.start_soon(ask)
        await started.wait()
        tasks.cancel_scope.cancel()
    assert len(outcome) == 1
    assert ref.stopped.is_set()


@settings(max_examples=60, deadline=None)
@given(
    before=st.lists(st.tuples(st.sampled_from(["a", "no", "boom"]), st.booleans()), max_size=8),
    words=st.lists(st.sampled_from(["a", "b", "no", "boom"]), max_size=30),
    capacity=st.one_of(st.none(), st.integers(1, 5)),
)
def test_every_accepted_message_is_accounted_for_exactly_once(
    before: list[tuple[str, bool]], words: list[str], capacity: int | None
) -> None:
    seen: list[str] = []

    async def play() -> None:
        ref = actor_on(lambda: Recorder(seen), capacity=capacity)
        accepted = 0
        for word, asked in before:  # nobody serves yet: an ask times out, in the mailbox or waiting for room in it
            room = capacity is None or ref.statistics().waiting < capacity
            if asked:
                with pytest.raises(ActorTimeout):
                    await ref.ask(word, deadline_s=0.001)
                accepted += room
            else:
                assert ref.offer(word) is room
                accepted += room
            assert ref.statistics().accepted == accepted
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ref.run)
            for word in words:
                accepted += ref.offer(word)
                if accepted % 3 == 0:
                    await anyio.wait_all_tasks_blocked()
            await drained(ref)
        count = ref.statistics()
        assert count.accepted == accepted
        assert count.waiting == 0
        assert accepted == count.handled + count.refused + count.crashed + count.replaced + count.abandoned
        assert count.handled == len(seen)
        if capacity is None:
            assert accepted == len(before) + len(words)

    anyio.run(play)
