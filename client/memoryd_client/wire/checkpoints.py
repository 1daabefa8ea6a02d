"""The wire of checkpoints: an agent's state, kept by version and given back byte by byte."""

from datetime import datetime
from typing import Annotated

import msgspec

from memoryd_client.wire.core_memory import MAX_THREAD, Revision, WriteId
from memoryd_client.wire.request import Done, Request

MAX_CHECKPOINT_BYTES = 3_670_016
"""3.5 MiB: a frame has 4 MiB, and the rest is room for what else it carries."""
MAX_META = 20
CheckpointThread = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_THREAD)]
Label = Annotated[str, msgspec.Meta(max_length=500)]
Meta = Annotated[dict[Label, Label], msgspec.Meta(max_length=MAX_META)]


class CheckpointInfo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of a checkpoint without its content."""

    thread: str
    version: int
    """Counts the saves of a thread from 1 on; never given out twice."""
    size: int
    """Bytes."""
    checksum: str
    """SHA-256 of the content, in hexadecimal digits."""
    created_at: datetime
    meta: dict[str, str] = {}
    agent: str = ""
    """Who saved it; empty where nobody said so."""


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="checkpoint"):
    """A checkpoint with its content, whose checksum was right when it was read."""

    info: CheckpointInfo
    data: bytes


class LoadCheckpoint(Request[Checkpoint], frozen=True, kw_only=True, omit_defaults=True, tag="checkpoint_load"):
    """A state, exactly as it was saved."""

    thread: CheckpointThread
    version: Revision | None = None
    """None: the newest."""


class DeleteCheckpoint(Request[Done], frozen=True, kw_only=True, omit_defaults=True, tag="checkpoint_delete"):
    """Delete states of a thread."""

    thread: CheckpointThread
    version: Revision | None = None
    """None: all of them."""
    purge: bool = False
    """Take them out of every backup, too, and rewrite the files, so that no byte is left."""
    below: bool = False
    """Of all threads whose name begins so: they are gone then, and their versions begin anew."""


class Checkpoints(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="checkpoints"):
    """What is kept, newest first."""

    checkpoints: tuple[CheckpointInfo, ...]

    @property
    def only(self) -> CheckpointInfo:
        """The one that was asked for."""
        (only,) = self.checkpoints
        return only


class SaveCheckpoint(Request[Checkpoints], frozen=True, kw_only=True, omit_defaults=True, tag="checkpoint_save"):
    """Keep a state as the newest of its thread; answered when it is durable."""

    needs_memory = True

    id: WriteId
    thread: CheckpointThread
    data: bytes
    meta: Meta = msgspec.field(default_factory=dict)
    expected: Revision | None = None
    """Refused where the newest version is another one; 0: where there is any. None: whatever there is."""


class ListCheckpoints(Request[Checkpoints], frozen=True, kw_only=True, omit_defaults=True, tag="checkpoint_list"):
    """Which states are kept, newest first."""

    thread: Annotated[str, msgspec.Meta(max_length=MAX_THREAD)] = ""
    """Empty: of all threads."""
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 100
    below: bool = False
    """The newest of every thread whose name begins so, by name, from the last to the first."""
    before: Annotated[str, msgspec.Meta(max_length=MAX_THREAD)] = ""
    """With `below`: only threads whose name comes before this one."""


CheckpointRequest = SaveCheckpoint | LoadCheckpoint | ListCheckpoints | DeleteCheckpoint
