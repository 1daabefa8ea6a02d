"""Who waits for vectors, and what runs next. Pure: no loop, no clock, no model."""

from collections import deque
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import anyio
import msgspec

from memoryd.embedding.model import MAXIMUM_CHARACTERS
from memoryd_actors.ports.embedder import Vector

RUN_CHARACTERS = 8192
"""Characters in one run, about two thousand tokens: how long (a quarter of a second on one core) a small request may
have to wait behind a bulk one."""
SMALL_RUNS_IN_A_ROW = 8
"""A bulk request that waits gets its turn after so many runs of small ones."""

Key = tuple[bytes, int]


class EmbeddingRequest(msgspec.Struct):
    """One call of `embed`: which vectors it has, which it still needs."""

    max_tokens: int
    keys: list[Key]
    texts: dict[Key, str]
    """What is not yet embedded, in the order in which it will be."""
    bulk: bool
    vectors: dict[Key, Vector] = msgspec.field(default_factory=dict)
    error: Exception | None = None
    done: anyio.Event = msgspec.field(default_factory=anyio.Event)
    abandoned: bool = False

    @classmethod
    def of(
        cls, texts: Sequence[str], max_tokens: int, max_batch: int, *, background: bool = False
    ) -> "EmbeddingRequest":
        """Return a request; the same text twice is embedded once."""
        keys = [_key(text, max_tokens) for text in texts]
        wanted = dict(zip(keys, texts, strict=True))
        bulk = background or len(wanted) > max_batch
        if bulk:
            # Texts of like length run together, so that padding is not wasted.
            wanted = dict(sorted(wanted.items(), key=lambda item: len(item[1])))
        return cls(max_tokens, keys, wanted, bulk)

    def supply(self, found: dict[Key, Vector]) -> None:
        """Take what is of use here; the request is done when nothing is missing any more."""
        for key in self.texts.keys() & found.keys():
            self.vectors[key] = found[key]
            del self.texts[key]

    def settle(self, error: Exception | None = None) -> None:
        """Wake whoever waits."""
        self.error = error
        self.done.set()


class Queue:
    """Requests in the order of their arrival, small ones before bulk ones."""

    def __init__(self, max_batch: int) -> None:
        self._max_batch = max_batch
        self._small: deque[EmbeddingRequest] = deque()
        self._bulk: deque[EmbeddingRequest] = deque()
        self._in_a_row = 0

    def __len__(self) -> int:
        return len(self._small) + len(self._bulk)

    def add(self, request: EmbeddingRequest) -> None:
        """Put a request in line."""
        (self._bulk if request.bulk else self._small).append(request)

    def supply(self, found: dict[Key, Vector]) -> None:
        """Give everybody who waits what is of use to them."""
        for request in (*self._small, *self._bulk):
            request.supply(found)

    def fail(self, run: Iterable[Key], cause: BaseException) -> None:
        """Tell those who wait for one of these texts that the run failed; the others go on waiting."""
        keys = frozenset(run)
        for request in (*self._small, *self._bulk):
            if not keys.isdisjoint(request.texts):
                # One each: a raised exception grows a traceback, which they must not share.
                error = RuntimeError(f"the embedding model failed on this text: {cause!r}")
                error.__cause__ = cause
                request.settle(error)
                request.abandoned = True

    def drain(self) -> list[EmbeddingRequest]:
        """Return all requests and forget them."""
        waiting = [*self._small, *self._bulk]
        self._small.clear()
        self._bulk.clear()
        return waiting

    def forget_abandoned(self) -> None:
        """Let go of requests that nobody waits for."""
        for line in (self._small, self._bulk):
            for request in [each for each in line if each.abandoned]:
                line.remove(request)

    def settle_finished(self) -> None:
        """Wake those who have what they need."""
        for line in (self._small, self._bulk):
            for request in [each for each in line if not each.texts]:
                line.remove(request)
                request.settle()

    def next_run(self) -> tuple[int, dict[Key, str]]:
        """Return the token limit and the texts of the next run; no texts if nobody waits.

        Whatever has the same limit as the first in line goes together, up to `max_batch` texts or RUN_CHARACTERS.
        """
        turn_of_bulk = bool(self._bulk) and (not self._small or self._in_a_row >= SMALL_RUNS_IN_A_ROW)
        self._in_a_row = 0 if turn_of_bulk else self._in_a_row + 1
        line = self._bulk if turn_of_bulk else self._small
        if not line:
            return 0, {}
        max_tokens = line[0].max_tokens
        # Characters that the model will not see cost nothing.
        longest = max_tokens * 5
        run: dict[Key, str] = {}
        room = RUN_CHARACTERS
        for request in line:
            if request.max_tokens != max_tokens:
                continue
            for key, text in request.texts.items():
                room -= min(len(text), longest)
                if run and (room < 0 or len(run) >= self._max_batch):
                    return max_tokens, run
                run[key] = text
        return max_tokens, run


def _key(text: str, max_tokens: int) -> Key:
    seen = text[:MAXIMUM_CHARACTERS].encode("utf-8", "surrogatepass")
    return blake2b(seen, digest_size=16).digest(), max_tokens
