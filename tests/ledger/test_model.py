"""The ledger against a dictionary that keeps the same promises."""

import tempfile
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from memoryd.ledger import SqlLedger
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.steps import ChangeState
from memoryd_actors.memory.visibility import Visibility
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.history import HistoryEntry
from memoryd_client.wire.memory import Memory, Scope, State

from .samples import HandClock, insert, memory

T = TypeVar("T")
_OWNERS = st.sampled_from(["ada", "bob"])
_CONTENTS = st.sampled_from(["tea", "coffee", "water", "milk"])
_PLACES = st.sampled_from([(Scope.GLOBAL, ""), (Scope.PROJECT, "/a"), (Scope.PROJECT, "/b")])


class LedgerMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.portal: BlockingPortal = self.stack.enter_context(start_blocking_portal())
        self.file = Path(self.stack.enter_context(tempfile.TemporaryDirectory())) / "ledger.db"
        self.kept: dict[str, tuple[Memory, State, int]] = {}
        self.sent: list[tuple[Memory, str]] = []
        self.writes = 0
        self.begin()

    def call(self, work: Callable[[], Awaitable[T]]) -> T:
        return self.portal.call(work)

    def begin(self) -> None:
        self.ledger = SqlLedger(self.file, clock=HandClock())
        self.call(self.ledger.open)

    def twin(self, of: Memory) -> str | None:
        return next(
            (
                one.id
                for one, state, _ in self.kept.values()
                if state is State.ACTIVE
                and (one.owner, one.scope, one.project, one.content) == (of.owner, of.scope, of.project, of.content)
            ),
            None,
        )

    @rule(owner=_OWNERS, content=_CONTENTS, place=_PLACES)
    def insert(self, owner: str, content: str, place: tuple[Scope, str]) -> None:
        new = memory(content, id=f"mem_{len(self.sent):04}", owner=owner, scope=place[0], project=place[1])
        (standing,), _ = self.call(lambda: insert(self.ledger, [new], actor="test"))
        twin = self.twin(new)
        self.writes += 1
        if twin is None:
            self.kept[new.id] = (new, State.ACTIVE, 1)
        else:
            one, state, strength = self.kept[twin]
            self.kept[twin] = (one, state, strength + 1)
        self.sent.append((new, twin or new.id))
        assert standing.id == (twin or new.id)

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def send_again(self, data: st.DataObject) -> None:
        again, became = data.draw(st.sampled_from(self.sent))
        (standing,), _ = self.call(lambda: insert(self.ledger, [again], actor="test"))
        assert (standing.id, standing.state) == (became, self.kept[became][1])

    @precondition(lambda self: self.kept)
    @rule(data=st.data(), state=st.sampled_from(list(State)))
    def change_state(self, data: st.DataObject, state: State) -> None:
        one, before, strength = self.kept[data.draw(st.sampled_from(list(self.kept)))]
        twin = self.twin(one)
        try:
            changed = self.call(
                lambda: self.ledger.memories.apply(one.owner, [ChangeState(one.id, state, "UPDATE")], actor="test")
            ).memories[0]
        except Refused:
            assert state is State.ACTIVE
            assert twin not in (None, one.id)
            return
        assert state is not State.ACTIVE or twin in (None, one.id)
        assert changed.state is state
        self.writes += before is not state
        self.kept[one.id] = (one, state, strength)

    @rule()
    def restart(self) -> None:
        self.call(self.ledger.close)
        self.begin()

    @invariant()
    def everything_is_as_the_model_says(self) -> None:
        for owner in ("ada", "bob"):
            mine = [one.id for one, _, _ in self.kept.values() if one.owner == owner]
            found = self.call(partial(self.ledger.memories.get, owner, mine))
            assert {key: (one.state, one.strength) for key, one in found.items()} == {
                one: self.kept[one][1:] for one in mine
            }
            here = Visibility(owner, "/a", Filters(states=()))
            page = self.call(partial(self.ledger.memories.page, here, limit=1000))
            assert [one.id for one in page] == [one for one in reversed(mine) if self.kept[one][0].project != "/b"]

    @invariant()
    def every_write_has_its_history_and_its_change(self) -> None:
        entries: list[HistoryEntry] = []
        for owner in ("ada", "bob"):
            entries += self.call(partial(self.ledger.memories.history, owner, limit=1000))
        assert len(entries) == self.writes == self.call(self.ledger.memories.last_sequence)
        changes = self.call(partial(self.ledger.memories.changes_after, 0, limit=1000))
        assert {change.memory_id for change in changes} == set(self.kept)

    def teardown(self) -> None:
        self.call(self.ledger.close)
        self.stack.close()


LedgerMachine.TestCase.settings = settings(
    max_examples=10, stateful_step_count=15, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestLedgerAgainstAModel = LedgerMachine.TestCase
