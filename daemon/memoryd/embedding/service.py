"""The one embedder of the daemon: loads the model when it is needed, joins requests, lets it go when it is not."""

import gc
import math
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from functools import partial
from time import perf_counter
from types import TracebackType
from typing import Literal, Self

import anyio
import msgspec
import numpy as np
from anyio.abc import TaskGroup

from memoryd.embedding.model import MAXIMUM_TOKENS, EmbeddingModel
from memoryd.embedding.recent import RecentVectors
from memoryd.embedding.requests import EmbeddingRequest, Queue
from memoryd.embedding.thread import ModelThread
from memoryd.heap import trim
from memoryd_actors.core.errors import ModelUnavailable, Unavailable
from memoryd_actors.core.worker_threads import WorkerThreads
from memoryd_actors.ports.embedder import Vectors

State = Literal["idle", "loading", "ready", "failed"]
RECENT_VECTORS = 2048
"""3 MB."""


class ModelStatistics(msgspec.Struct):
    """How the embedder is, and what it did since it was entered."""

    state: State = "idle"
    """idle: not in memory, and loaded when it is needed."""
    message: str = ""
    """What is wrong, where the state is failed."""
    hint: str = ""
    last_error: str = ""
    """What went wrong last, kept after it was mended."""
    loads: int = 0
    load_s: float = 0.0
    """How long the last load took, in seconds."""
    device: str = ""
    """What runs the model, once it was loaded."""
    runs: int = 0
    """Runs of the model."""
    texts: int = 0
    """Texts that went through the model."""
    recalled: int = 0
    """Texts whose vector was still known."""
    waiting: int = 0
    """Requests that wait now."""


class EmbeddingService:
    """An `Embedder`; an async context manager whose tasks and thread end with it."""

    def __init__(
        self,
        load: Callable[[], EmbeddingModel],
        *,
        identity: str,
        dimensions: int | None,
        query_prefix: str = "",
        document_prefix: str = "",
        max_batch: int = 32,
        idle_unload_s: float = 900.0,
        observe: Callable[[ModelStatistics], None] = lambda _: None,
    ) -> None:
        """Prepare; `load` runs in the model's thread and raises ModelUnavailable.

        `dimensions` is None where only the loaded model knows. The prefixes are put before what is searched with, and
        before all else. `observe` is called in the event loop at each change of
        state; the same failure again is told once, until a load succeeds.
        """
        self._load = load
        self._identity = identity
        self._dimensions = dimensions
        self._prefixes = {True: query_prefix, False: document_prefix}
        self._idle_unload_s = idle_unload_s
        self._observe = observe
        self._model: EmbeddingModel | None = None
        self._counter: Callable[[Sequence[str]], list[int]] | None = None
        self._counter_lock = anyio.Lock(fast_acquire=True)
        self._counting = WorkerThreads(name="counting")
        self._statistics = ModelStatistics()
        self._told = ""
        self._queue = Queue(max_batch)
        self._max_batch = max_batch
        self._recent = RecentVectors(RECENT_VECTORS)
        self._arrived = anyio.Event()
        self._open = False
        self._stack = AsyncExitStack()
        self._tasks: TaskGroup
        self._thread: ModelThread

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def dimensions(self) -> int:
        """Length of a vector.

        Raises:
            ModelUnavailable: the model is one that only knows once it is loaded; await `warm` first.
        """
        if self._dimensions is None:
            raise ModelUnavailable(f"the dimensions of {self._identity} are not known before it is loaded")
        return self._dimensions

    def statistics(self) -> ModelStatistics:
        return msgspec.structs.replace(self._statistics, waiting=len(self._queue))

    async def warm(self) -> None:
        """Load the model ahead of its first use.

        Raises:
            ModelUnavailable: there are no weights, or they fail their checksum; the hint says what to do.
        """
        await self._finished(EmbeddingRequest.of([], MAXIMUM_TOKENS, self._max_batch))

    async def embed(
        self, texts: Sequence[str], *, max_tokens: int = 256, background: bool = False, query: bool = False
    ) -> Vectors:
        """Return one unit vector per text; shape (len(texts), dimensions), float32.

        A text longer than `max_tokens` (2 to 512) keeps its beginning. Loads the model where it is not loaded.
        Requests of more than `max_batch` texts, and those in the background, are bulk: they give way to others.

        Raises:
            ModelUnavailable: there are no weights, or they fail their checksum; the hint says what to do.
            Unavailable: the embedder has been left.
        """
        if not 2 <= max_tokens <= MAXIMUM_TOKENS:
            raise ValueError(f"max_tokens must be from 2 to {MAXIMUM_TOKENS}, not {max_tokens}")
        if prefix := self._prefixes[query]:
            texts = [prefix + text for text in texts]
        request = EmbeddingRequest.of(texts, max_tokens, self._max_batch, background=background)
        self._recall(request)
        if request.texts or (not texts and self._dimensions is None):
            await self._finished(request)
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        return np.stack([request.vectors[key] for key in request.keys])

    async def count(self, texts: Sequence[str]) -> list[int] | None:
        """Return the number of tokens of each text, whole; None where the model was never loaded.

        Beside the model's runs, never behind them.
        """
        try:
            async with self._counter_lock:
                if self._counter is None:
                    if self._model is None:
                        return None
                    # Once: it takes 0.2 s of the interpreter, and thirty callers who each did so waited for six.
                    self._counter = await self._counting.run(self._model.counter)
            return await self._counting.run(partial(self._counter, list(texts)))
        except ModelUnavailable:
            return None

    async def _finished(self, request: EmbeddingRequest) -> None:
        if not self._open:
            raise Unavailable("the embedder is not running")
        self._queue.add(request)
        self._arrived.set()
        try:
            await request.done.wait()
        finally:
            request.abandoned = True
        if request.error is not None:
            raise request.error

    def _recall(self, request: EmbeddingRequest) -> None:
        found = self._recent.find(request.texts)
        request.supply(found)
        self._statistics.recalled += len(found)

    async def __aenter__(self) -> Self:
        self._thread = await self._stack.enter_async_context(ModelThread())
        self._tasks = await self._stack.enter_async_context(anyio.create_task_group())
        self._open = True
        self._tasks.start_soon(self._serve, name="embedding")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open = False
        self._tasks.cancel_scope.cancel()
        for request in self._queue.drain():
            request.settle(Unavailable("the embedder has stopped"))
        # Not told of `error`, which then leaves as it is and not in a group.
        await self._stack.aclose()

    async def _serve(self) -> None:
        while True:
            self._queue.forget_abandoned()
            if not self._queue:
                self._arrived = anyio.Event()
                with anyio.move_on_after(self._idle_unload_s if self._model else math.inf) as idle:
                    await self._arrived.wait()
                if idle.cancelled_caught and not self._queue:
                    await self._unload()
                continue
            if self._model is None:
                await self._try_to_load()
            if self._model is not None:
                await self._run(self._model)

    async def _try_to_load(self) -> None:
        """Load the model; where that fails, everybody who waits learns why, and the next request tries again."""
        if not self._told:
            self._enter("loading")
        start = perf_counter()
        outcome = await self._thread.run(partial(_loaded, self._load))
        problem = outcome.exception()
        if problem is not None:
            self._fail(problem)
            return
        self._model = outcome.result()
        self._dimensions = self._model.dimensions
        self._told = ""
        self._statistics.loads += 1
        self._statistics.device = self._model.device
        self._statistics.load_s = perf_counter() - start
        self._enter("ready")

    def _fail(self, problem: BaseException) -> None:
        expected = isinstance(problem, ModelUnavailable)
        message = str(problem) if expected else f"loading the embedding model failed: {problem!r}"
        hint = problem.hint if isinstance(problem, ModelUnavailable) else ""
        for request in self._queue.drain():
            # One each: a raised exception grows a traceback, which they must not share.
            error = ModelUnavailable(message, hint) if expected else RuntimeError(message)
            error.__cause__ = problem
            request.settle(error)
        if self._told != message:
            self._told = message
            self._enter("failed", message, hint)

    async def _run(self, model: EmbeddingModel) -> None:
        max_tokens, run = self._queue.next_run()
        if run:
            outcome = await self._thread.run(partial(model.encode, list(run.values()), max_tokens=max_tokens))
            problem = outcome.exception()
            if problem is not None:
                self._statistics.last_error = repr(problem)
                self._queue.fail(run, problem)
                return
            # Copies, because a row would keep its whole run in memory.
            vectors = {key: row.copy() for key, row in zip(run, outcome.result(), strict=True)}
            self._recent.add(vectors)
            self._queue.supply(vectors)
            self._statistics.runs += 1
            self._statistics.texts += len(run)
        self._queue.settle_finished()

    async def _unload(self) -> None:
        # The thread lets go of it last: to free 100 MB takes long enough for the event loop to notice.
        last = [self._model]
        self._model = None
        await self._thread.run(partial(_give_back, last))
        self._enter("idle")

    def _enter(self, state: State, message: str = "", hint: str = "") -> None:
        now = self._statistics
        now.state, now.message, now.hint = state, message, hint
        now.last_error = message or now.last_error
        self._observe(self.statistics())


def _loaded(load: Callable[[], EmbeddingModel]) -> EmbeddingModel:
    """Load the model, and hand back what only the loading took."""
    model = load()
    trim()
    return model


def _give_back(last: list[EmbeddingModel | None]) -> None:
    """Free the model, and hand its memory back to the system."""
    last.clear()
    gc.collect()
    trim()
