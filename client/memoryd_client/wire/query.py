"""`memory.query`: the one call by which an agent asks for memory itself."""

from typing import Annotated, Literal

import msgspec

from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.request import Request


class RelatedBullet(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory that was not found, beside one that was."""

    id: str
    category: str
    text: str
    """`contradicted by [category] what it says`."""
    relation: str
    """As of an `Edge`."""
    outgoing: bool = False
    """Whether the edge begins at the memory that it is shown beside."""


class Bullet(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One memory in one line."""

    id: str
    category: str
    text: str
    """`[category] what it says`."""
    score: float = 0.0
    """Fused relevance, 0 to 1; 0 where nothing was searched for."""
    related: tuple[RelatedBullet, ...] = ()
    """What contradicts it or is near to it: at most two of all bullets together, in what the budget has left."""


class Queried(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="queried"):
    """What an agent asked for, best first."""

    bullets: tuple[Bullet, ...] = ()
    memories: tuple[Memory, ...] = ()
    contradictions: tuple[tuple[str, str], ...] = ()
    """Pairs of ids that contradict each other, the one that was said to contradict first: of what came back, or one of
    it and one that did not."""
    tokens: int
    """Of all the bullets and what is related to them, or of the memories' titles and contents."""
    counted: bool = True
    """Whether the tokens were counted by the embedding model's tokenizer; else they are estimated by length."""
    left_out: int = 0
    """Found, and without room in the budget."""
    changes: tuple[str, ...] = ()
    """The change header."""
    note: str = ""
    """What was not as asked."""


class Query(Request[Queried], frozen=True, kw_only=True, omit_defaults=True, tag="query"):
    """Ask for what is relevant, within a budget of tokens.

    Without a query the newest that pass the filters. Categories that an ordinary recall leaves out have to be named.
    """

    needs_memory = True

    query: str = ""
    categories: tuple[str, ...] = ()
    """Beside those of `filters`."""
    filters: Filters = Filters()
    top_k: Annotated[int, msgspec.Meta(ge=1, le=50)] = 3
    threshold: Annotated[float, msgspec.Meta(ge=-1, le=1)] | None = None
    """Drop what has a lower cosine to the query, and nothing else."""
    everything: bool = False
    """Also what has nothing to do with the query."""
    return_: Literal["bullets", "full"] = msgspec.field(default="bullets", name="return")
    """bullets: one line each; full: memories with all their fields."""
    budget_tokens: Annotated[int, msgspec.Meta(ge=16, le=100_000)] = 512
    """Of all that comes back together."""
