"""A checkpointer for LangGraph, kept by memoryd: graphs resume after a crash, on the daemon's ledger and its backups.

    graph = builder.compile(checkpointer=MemorydSaver(Client()))

Needs the package `langgraph-checkpoint` (the extra `langgraph`).
"""

import asyncio
import builtins
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from hashlib import sha256
from typing import Any, TypeVar, cast
from urllib.parse import quote

import msgspec
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
    writes_sort_key,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from memoryd_client.async_client import AsyncClient
from memoryd_client.base.errors import InvalidArgument, RequestFailed
from memoryd_client.client import Client
from memoryd_client.requests import new_checkpoint
from memoryd_client.transport.exchange import finish
from memoryd_client.wire.checkpoints import DeleteCheckpoint, ListCheckpoints, LoadCheckpoint
from memoryd_client.wire.request import Ask, R, Request

T = TypeVar("T")
Typed = tuple[str, bytes]
"""A value as LangGraph's serializer makes it: what it is, and its bytes."""
_ROOT = "langgraph"
_LONGEST_PART = 120
_PAGE = 1_000
_ATTEMPTS = 8
"""At adding to the writes of one task while somebody else adds to them, too."""


class GraphState(msgspec.Struct, frozen=True):
    """One checkpoint of a graph, as it is kept."""

    thread: str
    namespace: str
    id: str
    parent: str
    checkpoint: Typed
    metadata: Typed


class GraphWrite(msgspec.Struct, frozen=True):
    """One write of a task, as it is kept."""

    task: str
    index: int
    channel: str
    value: Typed
    path: str


_encode = msgspec.msgpack.Encoder().encode
_decode_state = msgspec.msgpack.Decoder(GraphState).decode
_decode_writes = msgspec.msgpack.Decoder(list[GraphWrite]).decode


class MemorydSaver(BaseCheckpointSaver[int]):
    """LangGraph's checkpoints as memoryd's.

    On a `Client` both kinds of methods work, the asynchronous ones in threads; on an `AsyncClient` the asynchronous
    ones. Each checkpoint is a thread of its own, `langgraph/THREAD/c/NAMESPACE/ID/`, and so are the writes of each
    task. A checkpoint may have 3.5 MiB.
    """

    def __init__(self, client: Client | AsyncClient, *, serde: SerializerProtocol | None = None) -> None:
        super().__init__(serde=serde)
        self._client = client
        self._ask: Ask = client.call if isinstance(client, AsyncClient) else _blocking(client)

    # --- as LangGraph calls it

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint with what tasks wrote after it; the newest where the configuration names none."""
        return self._now(self._get(config))

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield checkpoints, newest first, of which the metadata are as `filter` says."""
        for name in self._now(self._names(config, before)):
            if limit is not None and limit <= 0:
                return
            if (found := self._now(self._listed(name, filter))) is not None:
                limit = None if limit is None else limit - 1
                yield found

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint; it is durable then."""
        return self._now(self._put(config, checkpoint, metadata))

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep what a task wrote after a checkpoint; what it wrote already stays."""
        self._now(self._put_writes(config, writes, task_id, task_path))

    def delete_thread(self, thread_id: str) -> None:
        """Delete all checkpoints of a thread and what was written after them."""
        self._now(self._delete(_prefix(thread_id)))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints that these runs made; looks at every one that there is."""
        self._now(self._delete_for_runs(run_ids))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints of a thread, and what was written after them, to another one."""
        self._now(self._copy_thread(source_thread_id, target_thread_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep the newest checkpoint of each namespace (`keep_latest`), or none (`delete`).

        A thread with delta channels is left as it is: its newest checkpoint needs the older ones.
        """
        self._now(self._prune(thread_ids, strategy))

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Do what `get_tuple` does."""
        return await self._later(self._get(config))

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Do what `list` does."""
        for name in await self._later(self._names(config, before)):
            if limit is not None and limit <= 0:
                return
            if (found := await self._later(self._listed(name, filter))) is not None:
                limit = None if limit is None else limit - 1
                yield found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Do what `put` does."""
        return await self._later(self._put(config, checkpoint, metadata))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Do what `put_writes` does."""
        await self._later(self._put_writes(config, writes, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        """Do what `delete_thread` does."""
        await self._later(self._delete(_prefix(thread_id)))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Do what `delete_for_runs` does."""
        await self._later(self._delete_for_runs(run_ids))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Do what `copy_thread` does."""
        await self._later(self._copy_thread(source_thread_id, target_thread_id))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Do what `prune` does."""
        await self._later(self._prune(thread_ids, strategy))

    # --- once for both kinds

    def _now(self, work: Coroutine[Any, Any, T]) -> T:
        if isinstance(self._client, AsyncClient):
            work.close()
            raise InvalidArgument("this checkpointer has an AsyncClient: await its methods, or give it a Client")
        return finish(work)

    async def _later(self, work: Coroutine[Any, Any, T]) -> T:
        return await (work if isinstance(self._client, AsyncClient) else asyncio.to_thread(finish, work))

    async def _get(self, config: RunnableConfig) -> CheckpointTuple | None:
        thread, namespace, one = _place(config)
        if not one:
            newest = await self._ask(ListCheckpoints(thread=_prefix(thread, "c", namespace), below=True, limit=1))
            names = [info.thread for info in newest.checkpoints]
        else:
            names = [_prefix(thread, "c", namespace, one)]
        return await self._listed(names[0], None) if names else None

    async def _listed(self, name: str, wanted: dict[str, Any] | None) -> CheckpointTuple | None:
        """Return a checkpoint by its name; None where it is gone, or has other metadata."""
        if (data := await self._load(name)) is None:
            return None
        state = _decode_state(data[0])
        metadata = cast("CheckpointMetadata", self.serde.loads_typed(state.metadata))
        if wanted and any(metadata.get(key) != value for key, value in wanted.items()):
            return None
        writes: list[GraphWrite] = []
        for task in await self._below(_prefix(state.thread, "w", state.namespace, state.id)):
            if (kept := await self._load(task)) is not None:
                writes += _decode_writes(kept[0])
        writes.sort(key=lambda write: writes_sort_key(write.path, write.task, write.index))
        return CheckpointTuple(
            config=_config(state.thread, state.namespace, state.id),
            checkpoint=self.serde.loads_typed(state.checkpoint),
            metadata=metadata,
            parent_config=_config(state.thread, state.namespace, state.parent) if state.parent else None,
            pending_writes=[(write.task, write.channel, self.serde.loads_typed(write.value)) for write in writes],
        )

    async def _names(self, config: RunnableConfig | None, before: RunnableConfig | None) -> builtins.list[str]:
        """Return the names of checkpoints, newest first."""
        if config is None:
            names = [name for name in await self._below(f"{_ROOT}/") if name.split("/")[2] == "c"]
        else:
            thread, namespace, one = _place(config)
            parts = ["c", namespace] if "checkpoint_ns" in config.get("configurable", {}) else ["c"]
            names = await self._below(_prefix(thread, *parts))
            if one:
                names = [name for name in names if name.endswith(f"/{_part(one)}/")]
        names.sort(key=_id_in, reverse=True)
        end = get_checkpoint_id(before) if before else None
        return [name for name in names if not end or _id_in(name) < _part(end)]

    async def _put(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata
    ) -> RunnableConfig:
        thread, namespace, parent = _place(config)
        state = GraphState(
            thread=thread,
            namespace=namespace,
            id=checkpoint["id"],
            parent=parent,
            checkpoint=self.serde.dumps_typed(checkpoint),
            metadata=self.serde.dumps_typed(get_checkpoint_metadata(config, metadata)),
        )
        await self._save(_prefix(thread, "c", namespace, state.id), _encode(state), None)
        return _config(thread, namespace, state.id)

    async def _put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task: str, path: str
    ) -> None:
        name = _prefix(*_split(config), task)
        for attempt in range(_ATTEMPTS):
            found = await self._load(name)
            kept = {write.index: write for write in (_decode_writes(found[0]) if found else [])}
            for at, (channel, value) in enumerate(writes):
                index = WRITES_IDX_MAP.get(channel, at)
                if index < 0 or index not in kept:
                    kept[index] = GraphWrite(task, index, channel, self.serde.dumps_typed(value), path)
            try:
                await self._save(name, _encode(list(kept.values())), found[1] if found else 0)
            except RequestFailed as exc:
                if exc.code != "refused" or attempt == _ATTEMPTS - 1:
                    raise
            else:
                return

    async def _delete(self, *names: str) -> None:
        for name in names:
            await self._ask(DeleteCheckpoint(thread=name, below=True))

    async def _delete_one(self, state: GraphState) -> None:
        place = state.namespace, state.id
        # The checkpoint last: where this is cut off, it is found again.
        await self._delete(_prefix(state.thread, "w", *place), _prefix(state.thread, "c", *place))

    async def _delete_for_runs(self, run_ids: Sequence[str]) -> None:
        runs = set(run_ids)
        for name in await self._names(None, None) if runs else ():
            for state in await self._states(name):
                if self.serde.loads_typed(state.metadata).get("run_id") in runs:
                    await self._delete_one(state)

    async def _copy_thread(self, source: str, target: str) -> None:
        begin = _prefix(source)
        for name in await self._below(begin):
            if (found := await self._load(name)) is not None:
                data = found[0]
                if name.startswith(_prefix(source, "c")):
                    data = _encode(msgspec.structs.replace(_decode_state(data), thread=target))
                await self._save(_prefix(target) + name.removeprefix(begin), data, None)

    async def _prune(self, threads: Sequence[str], strategy: str) -> None:
        if strategy not in {"keep_latest", "delete"}:
            raise InvalidArgument(f"strategy: {strategy!r} is neither 'keep_latest' nor 'delete'")
        for thread in threads:
            if strategy == "delete":
                await self._delete(_prefix(thread))
                continue
            names = await self._names({"configurable": {"thread_id": thread}}, None)
            states = [state for name in names for state in await self._states(name)]
            if any("counters_since_delta_snapshot" in self.serde.loads_typed(state.metadata) for state in states):
                continue
            newest: set[str] = set()
            for state in states:
                if state.namespace in newest:
                    await self._delete_one(state)
                newest.add(state.namespace)

    async def _states(self, name: str) -> builtins.list[GraphState]:
        found = await self._load(name)
        return [] if found is None else [_decode_state(found[0])]

    async def _below(self, begin: str) -> builtins.list[str]:
        """Return all names that begin so, from the last to the first."""
        names: builtins.list[str] = []
        while True:
            asked = ListCheckpoints(thread=begin, below=True, before=names[-1] if names else "", limit=_PAGE)
            page = (await self._ask(asked)).checkpoints
            names += [info.thread for info in page]
            if len(page) < _PAGE:
                return names

    async def _load(self, name: str) -> tuple[bytes, int] | None:
        try:
            found = await self._ask(LoadCheckpoint(thread=name))
        except RequestFailed as exc:
            if exc.code != "not_found":
                raise
            return None
        return found.data, found.info.version

    async def _save(self, name: str, data: bytes, expected: int | None) -> None:
        await self._ask(new_checkpoint(name, data, None, expected))


def _blocking(client: Client) -> Ask:
    async def ask(request: Request[R], deadline_s: float | None = None) -> R:
        return client.call(request, deadline_s)

    return ask


def _place(config: RunnableConfig) -> tuple[str, str, str]:
    """Return thread, namespace and checkpoint that a configuration names; what it does not is empty."""
    named = config.get("configurable", {})
    thread = named.get("thread_id")
    if not thread:
        raise InvalidArgument("the configuration names no thread_id: {'configurable': {'thread_id': ...}}")
    return str(thread), str(named.get("checkpoint_ns") or ""), str(named.get("checkpoint_id") or "")


def _split(config: RunnableConfig) -> tuple[str, str, str, str]:
    thread, namespace, one = _place(config)
    return thread, "w", namespace, one


def _config(thread: str, namespace: str, one: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": one}}


def _prefix(*parts: str) -> str:
    """Return the beginning of names that have these parts; each name ends like that, so that none begins another."""
    return "".join(f"{part}/" for part in (_ROOT, *map(_part, parts)))


def _part(text: str) -> str:
    """Return a text without slashes that is short enough to be part of a name."""
    quoted = quote(text, safe="")
    return quoted if len(quoted) <= _LONGEST_PART else f"sha256-{sha256(text.encode()).hexdigest()[:40]}"


def _id_in(name: str) -> str:
    return name.split("/")[-2]
