"""Any order of operations keeps memories, history, edges and aliases consistent, and each can be taken back."""

import tempfile
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from sqlalchemy import create_engine, delete

from memoryd.ledger import SqlLedger
from memoryd.ledger.tables import metadata
from memoryd_actors.admission.gate import content_hash
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.steps import (
    CONTRADICTS,
    RELATED,
    Absorb,
    Add,
    AddCandidatePair,
    AddEdge,
    Applied,
    ChangeState,
    MarkCompared,
    Merge,
    RemoveEdge,
    RevertOperation,
    Revise,
    Step,
    Supersede,
)
from memoryd_client.wire.memory import Memory, Scope, State
from postgresql import database, missing

from .samples import HandClock, insert, memory
from .whole import Whole, check, explained, read

T = TypeVar("T")
OWNERS = ("ada", "bob")
_IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""What a disk keeps, other tests ask; here each commit would wait for it."""
_CONTENTS = st.sampled_from(["tea", "Tea ", "coffee", "water", "milk\0", "mil\ud800k"])
_PLACES = st.sampled_from([(Scope.GLOBAL, ""), (Scope.GLOBAL, ""), (Scope.PROJECT, "/a")])
_STRENGTHS = st.sampled_from([0.5, 0.7, 0.9])
_STATES = [*(state for state in State if state is not State.PROPOSED), State.ACTIVE]
"""What is proposed has steps of its own."""
_RELATIONS = st.sampled_from([RELATED, CONTRADICTS])


class OperationsMachine(RuleBasedStateMachine):
    """Performs operations of random steps on random memories, real ones for the most part, of one of two owners."""

    where: Path | str

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.portal: BlockingPortal = self.stack.enter_context(start_blocking_portal())
        self.clock = HandClock()
        self.drawn = 0
        self.purged: set[str] = set()
        self.done: list[tuple[str, int, Whole, Whole]] = []
        """Operations that can be undone, with everything before and after; none from before a purge."""
        self.begin()
        url = self.where if isinstance(self.where, str) else f"sqlite:///{self.where}"
        self.engine = create_engine(url)
        self.stack.callback(self.engine.dispose)
        with self.engine.begin() as connection:
            for table in metadata.sorted_tables:
                if table.name != "alembic_version":
                    connection.execute(delete(table))
        self.now = read(self.engine)

    def call(self, work: Callable[[], Awaitable[T]]) -> T:
        return self.portal.call(work)

    def begin(self) -> None:
        self.ledger = SqlLedger(self.where, clock=self.clock)
        self.call(self.ledger.open)

    # --- drawing

    def new(self, data: st.DataObject, owner: str) -> Memory:
        self.drawn += 1
        ids = [f"mem_{self.drawn:04}", *self.now.memories, *self.now.aliases]
        scope, project = data.draw(_PLACES)
        content = data.draw(_CONTENTS)
        drawn = memory(
            content,
            id=data.draw(st.sampled_from(ids[:1] * (2 + len(ids)) + ids)),
            owner=owner,
            scope=scope,
            project=project,
            session=data.draw(st.sampled_from(["", "s1", "s2"])),
            tags=data.draw(st.sampled_from([(), ("a",), ("a", "b")])),
        )
        return msgspec.structs.replace(drawn, content_hash=content_hash(drawn.content))

    def some(self, data: st.DataObject, owner: str) -> str:
        """Draw a memory: of the owner, active, mostly; sometimes another's, one that is gone or never was."""
        mine = [one for one, row in self.now.memories.items() if row["owner"] == owner]
        active = [one for one in mine if self.now.memories[one]["state"] == "active"]
        others = [one for one in self.now.memories if one not in mine][:1]
        return data.draw(st.sampled_from(active * 4 + mine * 2 + others + sorted(self.purged)[:1] + ["mem_none"]))

    def step(self, data: st.DataObject, owner: str, added: list[str]) -> Step:  # noqa: PLR0911 - one case a step
        def one() -> str:
            from_here = data.draw(st.sampled_from([True, False])) if added else False
            return data.draw(st.sampled_from(added)) if from_here else self.some(data, owner)

        kind = data.draw(
            st.sampled_from(
                [
                    Add,
                    Merge,
                    Absorb,
                    Revise,
                    Supersede,
                    AddEdge,
                    RemoveEdge,
                    ChangeState,
                    AddCandidatePair,
                    MarkCompared,
                ]
            )
        )
        if kind in {Add, Merge}:
            new = self.new(data, owner)
            added.append(new.id)
            return Add(new) if kind is Add else Merge(new, one(), data.draw(_CONTENTS))
        if kind is Absorb:
            return Absorb(one(), one(), data.draw(_CONTENTS))
        if kind is Revise:
            return self.revise(data, owner, one())
        if kind is Supersede:
            return Supersede(one(), one(), "said so")
        if kind is AddEdge:
            return AddEdge(one(), one(), data.draw(_RELATIONS), data.draw(_STRENGTHS), told=data.draw(st.booleans()))
        if kind is RemoveEdge:
            return RemoveEdge(one(), one(), data.draw(_RELATIONS))
        if kind is ChangeState:
            return ChangeState(one(), data.draw(st.sampled_from(_STATES)), "UPDATE")
        if kind is AddCandidatePair:
            ids = [*added, *(each for each, row in self.now.memories.items() if row["owner"] == owner)]
            if not ids:
                return MarkCompared(())
            return AddCandidatePair(data.draw(st.sampled_from(ids)), data.draw(st.sampled_from(ids)), 0.8, "alike")
        return MarkCompared((one(),))

    def revise(self, data: st.DataObject, owner: str, memory_id: str) -> Step:
        there = self.call(lambda: self.ledger.memories.get(owner, [memory_id])).get(memory_id)
        if there is None:
            return Revise(self.new(data, owner))
        content = data.draw(_CONTENTS)
        return Revise(
            msgspec.structs.replace(
                there,
                content=content,
                content_hash=content_hash(content),
                tags=data.draw(st.sampled_from([(), ("a",), ("b", "c")])),
                importance=data.draw(st.integers(1, 5)),
                revision=there.revision - data.draw(st.sampled_from([0, 0, 0, 1])),
            )
        )

    # --- doing

    def apply(self, owner: str, *steps: Step) -> Applied | None:
        """Perform an operation; None where it was refused, which changes nothing."""
        before = self.now
        try:
            applied = self.call(lambda: self.ledger.memories.apply(owner, steps, actor="test"))
        except Refused:
            assert read(self.engine) == before
            return None
        self.now = read(self.engine)
        explained(before, self.now)
        assert applied.sequence == (self.now.changes[-1]["sequence"] if self.now.changes else 0)
        assert [(row["event"], row["memory_id"]) for row in self.now.history[len(before.history) :]] == list(
            applied.events
        )
        if applied.operation:
            assert {row["operation"] for row in self.now.history[len(before.history) :]} == {applied.operation}
            self.done.append((owner, applied.operation, before, self.now))
        elif before.edges != self.now.edges:
            self.done.clear()  # neighbours found later: what was before them is no measure any more
        return applied

    @rule(data=st.data(), owner=st.sampled_from(OWNERS))
    def operate(self, data: st.DataObject, owner: str) -> None:
        added: list[str] = []
        self.apply(owner, *[self.step(data, owner, added) for _ in range(data.draw(st.integers(1, 4)))])

    @rule(data=st.data(), owner=st.sampled_from(OWNERS))
    def import_several(self, data: st.DataObject, owner: str) -> None:
        before = self.now
        new = [self.new(data, owner) for _ in range(data.draw(st.integers(1, 3)))]
        try:
            standing, _ = self.call(lambda: insert(self.ledger, new, actor="test"))
        except Refused:
            assert read(self.engine) == before
            return
        self.now = read(self.engine)
        explained(before, self.now)
        assert {one.id for one in standing} <= set(self.now.memories)
        if len(self.now.history) > len(before.history):
            self.done.append((owner, self.now.history[-1]["operation"], before, self.now))

    @precondition(lambda self: self.done)
    @rule(data=st.data())
    def undo_the_latest(self, data: st.DataObject) -> None:
        """Newest first, any number of operations, undos among them: everything is as it was before each."""
        for owner, operation, before, _ in list(reversed(self.done))[: data.draw(st.integers(1, 4))]:
            assert self.apply(owner, RevertOperation(operation)) is not None, f"operation {operation} cannot be undone"
            standing = self.now.standing()
            assert {one: standing[one] for one in before.memories} == before.standing()
            assert self.now.edges == before.edges
            for one in standing.keys() - before.memories.keys():
                assert standing[one]["state"] == "forgotten"

    @precondition(lambda self: self.done)
    @rule(data=st.data())
    def redo(self, data: st.DataObject) -> None:
        """An undo is an operation: undone at once, it brings back what the operation had done."""
        owner, operation, _, after = self.done[-1]
        undone = self.apply(owner, RevertOperation(operation))
        assert undone is not None
        assert self.apply(owner, RevertOperation(undone.operation)) is not None
        assert self.now.standing() == after.standing()
        assert self.now.edges == after.edges

    @precondition(lambda self: self.now.history)
    @rule(data=st.data(), owner=st.sampled_from(OWNERS))
    def undo_any(self, data: st.DataObject, owner: str) -> None:
        self.apply(
            owner, RevertOperation(data.draw(st.sampled_from(sorted({row["operation"] for row in self.now.history}))))
        )

    @rule(data=st.data(), owner=st.sampled_from(OWNERS))
    def purge(self, data: st.DataObject, owner: str) -> None:
        before, one = self.now, self.some(data, owner)
        gone = self.call(lambda: self.ledger.purges.purge(owner, [one], actor="test"))
        self.purged |= set(gone)
        self.now = read(self.engine)
        explained(before, self.now)
        assert one in gone or before.memories.get(one, {"owner": ""})["owner"] != owner
        for row in self.now.history:
            assert row["memory_id"] not in self.purged or not (row["undo"] or row["old"] or row["new"])
        for row in self.now.history[: len(before.history)]:
            if row["memory_id"] in gone:
                self.refused(row["owner"], row["operation"])
        self.done.clear()

    def refused(self, owner: str, operation: int) -> None:
        with pytest.raises(Refused, match="cannot be undone"):
            self.call(lambda: self.ledger.memories.apply(owner, [RevertOperation(operation)], actor="test"))

    @rule()
    def restart(self) -> None:
        self.call(self.ledger.close)
        self.begin()

    @invariant()
    def everything_is_consistent(self) -> None:
        check(self.now, self.purged)

    def teardown(self) -> None:
        self.call(self.ledger.close)
        self.stack.close()


FEW = settings(
    max_examples=15,
    stateful_step_count=20,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # shrinking takes minutes: each step commits
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


FEWER = settings(FEW, max_examples=5)
"""Where a step takes longer: what is asked of the rules, SQLite has answered."""


def perform(on: Path | str, how_often: settings) -> None:
    class Machine(OperationsMachine):
        where = on

    run_state_machine_as_test(Machine, settings=how_often)


def test_operations_in_any_order_keep_the_ledger_consistent_in_sqlite() -> None:
    with tempfile.TemporaryDirectory(dir=_IN_MEMORY) as folder:
        perform(Path(folder) / "ledger.db", FEW)


@pytest.mark.skipif(bool(missing()), reason=missing() or "PostgreSQL is here")
def test_operations_in_any_order_keep_the_ledger_consistent_in_postgresql(server: str) -> None:
    with database(server, "memoryd_operations") as url:
        perform(url, FEWER)
