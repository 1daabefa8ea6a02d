"""What the daemon is doing, as it happens."""

import msgspec

from memoryd_client.wire.traces import Trace


class PipelineRan(msgspec.Struct, frozen=True, tag="pipeline"):
    """A context update went through the recall pipeline."""

    trace: Trace
    """Where an agent has an allowlist, only when and on which turn, on the daemon's machine: `Why` has all of it."""
    owner: str = ""


class Surfaced(msgspec.Struct, frozen=True, kw_only=True, tag="surfaced"):
    """Memories were handed to an agent."""

    session: str
    """Empty where an agent has an allowlist, on the daemon's machine."""
    turn: int
    memories: tuple[str, ...]
    owner: str = ""


class Wrote(msgspec.Struct, frozen=True, kw_only=True, tag="wrote"):
    """A memory was written."""

    event: str
    memory_id: str
    owner: str


class Warned(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="warned"):
    """Something a person should know."""

    component: str
    message: str
    hint: str = ""


class IndexProgress(msgspec.Struct, frozen=True, kw_only=True, tag="index"):
    """The index moved towards the ledger."""

    applied: int
    target: int


class ContextFilled(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="context"):
    """The context of an agent has become so full that it was warned of."""

    session: str
    """Empty, as the agent, where one has an allowlist, on the daemon's machine."""
    agent: str = ""
    owner: str = ""
    tokens: int
    """Of the conversation that is not archived and of all that stands before it."""
    budget: int
    percent: int


Event = PipelineRan | Surfaced | Wrote | Warned | IndexProgress | ContextFilled
"""Published with its topic as the first ZeroMQ frame, the encoded event as the second."""
