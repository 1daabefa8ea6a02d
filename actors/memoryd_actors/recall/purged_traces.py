"""What a trace has of memories that are destroyed."""

from collections.abc import Collection

from msgspec.structs import replace

from memoryd_client.wire.traces import Trace


def without_purged(trace: Trace, purged: Collection[str]) -> Trace:
    """Return a trace without memories that are destroyed, nor what was asked, nor why anything was kept or dropped.

    Why another one was kept may be said in their words: a model has them all before it.
    """
    kept = tuple(replace(one, reason="") for one in trace.candidates if one.id not in purged)
    return replace(trace, focus="", candidates=kept)
