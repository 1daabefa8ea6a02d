"""Who decides what is worth interrupting for: the verdicts on a case, or why there are none."""

from dataclasses import dataclass
from typing import Literal, Protocol

from memoryd_actors.memory.case import Case, Lookup


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement on one exhibit."""

    index: int
    relevant: bool
    actionable: bool
    score: float
    """0 to 1."""
    reason: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts on a case, by whom, and at what price."""

    verdicts: tuple[Verdict, ...]
    judge: str
    """`local`, or the model's name."""
    note: str = ""
    """How it came about, where that is worth a word: why the stand-in answered, or what became of a second call."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    wanted: tuple[Lookup, ...] = ()
    """What the judge would like to see before it decides for good."""

    @property
    def kept(self) -> tuple[Verdict, ...]:
        """The verdicts that keep their exhibit."""
        return tuple(one for one in self.verdicts if one.relevant and one.actionable)


FailureKind = Literal[
    "timeout",
    "connection",
    "rate_limit",
    "auth",  # the key is wrong, or may not do this
    "model",  # there is no such model
    "request",  # the request itself was rejected
    "refusal",
    "truncated",
    "nonsense",
    "server",
]


class JudgeFailed(Exception):
    """Raised by a judge that could not answer; the sidecar then asks the local one."""

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        hint: str = "",
        input_tokens: int = 0,
        output_tokens: int = 0,
        cost_usd: float = 0.0,
    ) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind
        self.hint = hint
        """What a person can do about it; empty where waiting is all there is."""
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens
        self.cost_usd = cost_usd


class Judge(Protocol):
    """Decides what is worth interrupting for."""

    @property
    def name(self) -> str:
        """`local`, or the model's name."""
        ...

    async def judge(self, case: Case) -> Judgement:
        """Return one verdict per exhibit that is worth a word; an exhibit without a verdict is not relevant.

        Raises:
            JudgeFailed: there is no usable answer.

        """
        ...
