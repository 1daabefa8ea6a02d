"""Who decides what two memories are to each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from memoryd_actors.comparison import Comparison, Statement


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories to be compared."""

    new: Statement
    old: Statement
    cosine: float


@dataclass(frozen=True, slots=True)
class Classified:
    """What the pairs are, in their order, by whom, and at what price."""

    comparisons: tuple[Comparison | None, ...]
    """None where a model said nothing about a pair."""
    judge: str
    """`local`, or the model's name."""
    note: str = ""
    """Why the local classifier answered, where it stood in."""
    by_model: tuple[bool, ...] = ()
    """Of each pair, whether a model had a say, in which a guard may have overruled it; empty: in none."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


class PairJudge(Protocol):
    """Decides what two memories are to each other, several pairs in one call."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    async def classify(self, pairs: Sequence[Pair]) -> Classified:
        """Return one comparison per pair, None for those that the answer leaves out.

        Raises:
            JudgeFailed: there is no usable answer.

        """
        ...
