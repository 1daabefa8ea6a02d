"""Checkpoints: an agent's state, version by version. Their content is opaque: it is kept and returned byte by byte."""

from collections.abc import Mapping
from typing import Annotated, Final, Protocol, assert_never

import msgspec

from memoryd_actors.access.categories import Categories
from memoryd_actors.access.presets import CHECKPOINT
from memoryd_actors.access.view import CheckThread
from memoryd_actors.admission.names import check_names
from memoryd_actors.admission.project_rules import ProjectRules
from memoryd_actors.core.errors import NoCheckpoint, Refused
from memoryd_actors.memory.signature import signed
from memoryd_actors.redaction import Rules, redact
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.checkpoints import (
    MAX_CHECKPOINT_BYTES,
    Checkpoint,
    CheckpointInfo,
    CheckpointRequest,
    Checkpoints,
    DeleteCheckpoint,
    ListCheckpoints,
    LoadCheckpoint,
    SaveCheckpoint,
)
from memoryd_client.wire.request import Done

MOST_LISTED: Final = 1_000
"""In one step: more than a thread may keep."""


class CheckpointSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """States that agents save."""

    keep: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 10
    """The newest of each thread; older ones are deleted when a newer one is saved."""


class CheckpointRepository(Protocol):
    """Where checkpoints rest."""

    async def save_checkpoint(
        self,
        owner: str,
        thread: str,
        data: bytes,
        *,
        save_id: str,
        meta: Mapping[str, str],
        expected: int | None,
        keep: int,
        agent: str = "",
    ) -> CheckpointInfo:
        """Keep a state; the same `save_id` again keeps it once."""
        ...

    async def load_checkpoint(self, owner: str, thread: str, version: int | None) -> Checkpoint:
        """Return a state after its checksum was verified."""
        ...

    async def checkpoints(self, owner: str, thread: str, *, limit: int) -> list[CheckpointInfo]:
        """Return what is kept, newest first; of all threads where `thread` is empty."""
        ...

    @property
    def leaves(self) -> str:
        """What a purge does not reach, in words; empty where it reaches every byte."""
        ...

    async def newest_checkpoints(self, owner: str, begin: str, *, before: str, limit: int) -> list[CheckpointInfo]:
        """Return the newest of each thread whose name begins so, by name, from the last to the first."""
        ...

    async def delete_checkpoints(
        self, owner: str, thread: str, version: int | None, *, purge: bool, below: bool = False
    ) -> int:
        """Delete states and return how many there were."""
        ...


class CheckpointKeeper:
    """Answers what is asked of checkpoints."""

    def __init__(
        self,
        repository: CheckpointRepository,
        rules: ProjectRules,
        settings: CheckpointSettings,
        categories: Categories,
        *,
        check_thread: CheckThread | None = None,
    ) -> None:
        """Prepare; without `check_thread` every thread is open to every agent that may use checkpoints."""
        self._check_thread = check_thread
        self._repository = repository
        self._categories = categories
        self._rules = rules
        self._keep = settings.keep

    async def answer(self, request: CheckpointRequest, caller: Caller) -> Checkpoint | Checkpoints | Done:
        """Answer one request; what is saved is durable then.

        Raises:
            NotFound: there is no such checkpoint.
            Refused: it is too large, another version is the newest, or its bytes are damaged; or checkpoints are not on
                the agent's allowlist, or the thread is another agent's.
        """
        writes = isinstance(request, SaveCheckpoint | DeleteCheckpoint)
        self._categories.check_use(caller.agent, CHECKPOINT, writes=writes)
        if not isinstance(request, ListCheckpoints):
            begins = isinstance(request, DeleteCheckpoint) and request.below
            for thread in await self._beginning(request.thread, caller) if begins else [request.thread]:
                await self._check(thread, caller)
        match request:
            case SaveCheckpoint():
                check_names(thread=request.thread)
                check_size(len(request.data))
                rules, _ = await self._rules.look(caller.project)
                saved = await self._repository.save_checkpoint(
                    caller.owner,
                    request.thread,
                    request.data,
                    save_id=request.id,
                    meta={redact(name, rules).text: _entry(name, value, rules) for name, value in request.meta.items()},
                    expected=request.expected,
                    keep=self._keep,
                    agent=signed(caller, rules),
                )
                return Checkpoints(checkpoints=(saved,))
            case LoadCheckpoint():
                try:
                    return await self._repository.load_checkpoint(caller.owner, request.thread, request.version)
                except NoCheckpoint as missing:
                    raise missing.without_others() if self._limits(caller) else missing from None
            case ListCheckpoints():
                return Checkpoints(checkpoints=tuple(await self._listed(request, caller)))
            case DeleteCheckpoint(below=True, version=int()):
                raise Refused("a version is of one thread, not of all that begin so", "Leave out one of the two.")
            case DeleteCheckpoint():
                gone = await self._repository.delete_checkpoints(
                    caller.owner, request.thread, request.version, purge=request.purge, below=request.below
                )
                if not gone:
                    which = "" if request.version is None else f" {request.version}"
                    return Done(f"there was no checkpoint{which} of {request.thread!r}: nothing was deleted")
                if request.purge and self._repository.leaves:
                    return Done(f"{gone} checkpoints purged: {self._repository.leaves}")
                return Done(f"{gone} checkpoints {'destroyed' if request.purge else 'deleted'}")
            case _:
                assert_never(request)

    async def _listed(self, asked: ListCheckpoints, caller: Caller) -> list[CheckpointInfo]:
        owner = caller.owner
        if asked.below:
            found = await self._repository.newest_checkpoints(
                owner, asked.thread, before=asked.before, limit=asked.limit
            )
        else:
            found = await self._repository.checkpoints(owner, asked.thread, limit=asked.limit)
        closed: set[str] = set()
        for thread in dict.fromkeys(one.thread for one in found):
            try:
                await self._check(thread, caller)
            except Refused:
                if asked.thread == thread:
                    raise
                closed.add(thread)
        return [one for one in found if one.thread not in closed]

    async def _beginning(self, begin: str, caller: Caller) -> list[str]:
        """Return the threads whose names begin so, where not all are open to the caller."""
        if not self._limits(caller):
            return []
        threads: list[str] = []
        while page := await self._repository.newest_checkpoints(
            caller.owner, begin, before=threads[-1] if threads else "", limit=MOST_LISTED
        ):
            threads += [one.thread for one in page]
        return threads

    def _limits(self, caller: Caller) -> bool:
        return self._check_thread is not None and self._categories.allowed(caller.agent) is not None

    async def _check(self, thread: str, caller: Caller) -> None:
        if self._check_thread is not None and self._limits(caller):
            saved = await self._repository.checkpoints(caller.owner, thread, limit=MOST_LISTED)
            await self._check_thread(caller, thread, {one.agent for one in saved})


def _entry(name: str, value: str, rules: Rules) -> str:
    """Return the value of a note without secrets: `password: swordfish` is one, `swordfish` alone is a fish."""
    told = f'{name} = "'
    together = redact(f'{told}{value}"', rules).text
    return (
        together[len(told) : -1] if together.startswith(told) and together.endswith('"') else redact(value, rules).text
    )


def check_size(size_bytes: int) -> None:
    """Refuse what one frame cannot carry back.

    Raises:
        Refused: it is larger than 3.5 MiB.
    """
    if size_bytes > MAX_CHECKPOINT_BYTES:
        raise Refused(
            f"the checkpoint has {size_bytes} bytes and may have {MAX_CHECKPOINT_BYTES} (3.5 MiB)",
            "Compress it, or keep what is large in a file and save where it is.",
        )


def check_expected(thread: str, newest: int, expected: int | None) -> None:
    """Refuse to save over what somebody else has saved meanwhile.

    Raises:
        Refused: the newest version is not the expected one.
    """
    if expected is not None and expected != newest:
        state = f"version {newest} is the newest" if newest else "there is none"
        raise Refused(
            f"the checkpoint of {thread!r} was expected at version {expected}, but {state}",
            "Load the newest, bring your state up to it, and save with its version.",
        )
