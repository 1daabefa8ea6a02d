"""Who decides what is worth interrupting for: the verdicts on a case."""

from typing import Final, Protocol

import msgspec

from memoryd_actors.memory.budget import Usage
from memoryd_actors.memory.case import Case, Lookup

LOCAL: Final = "local"
"""The name of the judge that needs no model."""


class Verdict(msgspec.Struct, frozen=True):
    """The judgement on one exhibit."""

    index: int
    relevant: bool
    actionable: bool
    score: float
    """0 to 1."""
    reason: str


class Judgement(msgspec.Struct, frozen=True):
    """The verdicts on a case, by whom, and at what price."""

    verdicts: tuple[Verdict, ...]
    judge: str
    """`local`, or the model's name."""
    note: str = ""
    """How it came about, where that is worth a word: why the stand-in answered, or what became of a second call."""
    usage: Usage = msgspec.field(default_factory=Usage)
    wanted: tuple[Lookup, ...] = ()
    """What the judge would like to see before it decides for good."""

    @property
    def kept(self) -> tuple[Verdict, ...]:
        """The verdicts that keep their exhibit."""
        return tuple(verdict for verdict in self.verdicts if verdict.relevant and verdict.actionable)


class Judge(Protocol):
    """Decides what is worth interrupting for."""

    @property
    def name(self) -> str:
        """`local`, or the model's name."""
        ...

    async def judge(self, case: Case) -> Judgement:
        """Return one verdict per exhibit that is worth a word; an exhibit without a verdict is not relevant."""
        ...
