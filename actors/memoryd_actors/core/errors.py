"""What can go wrong inside the system.

DaemonError
├── ActorError
│   ├── ActorStopped
│   ├── ActorCrashed
│   └── DeadlineExceeded
└── Refused                  expected: answered to the caller, never a crash
    ├── Superseded
    ├── NotFound
    │   └── NoCheckpoint
    ├── DamagedCheckpoint
    ├── Ambiguous
    ├── Unavailable
    │   ├── ModelUnavailable
    │   └── PurgeUnfinished
    ├── LedgerCorrupt
    └── DiskFull
"""

from collections.abc import Sequence

import msgspec

_LONGEST = 100
"""Characters of a name that a message repeats."""
MOST_THREADS = 5
"""Named where a checkpoint is not found."""


def _shown(name: str) -> str:
    return repr(name) if len(name) <= _LONGEST else f"{name[:_LONGEST]!r}… ({len(name):,} characters)"


class DaemonError(Exception):
    """Base of everything memoryd raises on purpose."""

    hint = ""
    """What to do about it, in one sentence."""


class ActorError(DaemonError):
    """Raised when an actor could not answer."""


class ActorStopped(ActorError):
    """Raised when an actor no longer takes messages."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} has stopped")


class ActorCrashed(ActorError):
    """Raised to the caller whose message hit a bug; the actor itself is rebuilt."""

    def __init__(self, name: str, cause: BaseException) -> None:
        super().__init__(f"{name} failed on this message: {type(cause).__name__}: {cause}")


class ActorTimeout(ActorError):
    """Raised when an answer did not come in time."""

    def __init__(self, name: str, deadline_s: float) -> None:
        super().__init__(f"{name} did not answer within {deadline_s:g} s")


class Refused(DaemonError):
    """Raised when a message is understood and declined."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class Superseded(Refused):
    """Raised to whoever asks about a message that a newer one replaced."""

    def __init__(self, name: str) -> None:
        super().__init__(f"a newer message to {name} replaced this one")


class OutOfStep(Refused):
    """Somebody else came further meanwhile, and nothing was written: it is to be begun again with what is there now."""


class PurgedMeanwhile(OutOfStep):
    """Something was purged since words were read: what was made of them is not written, but made anew."""

    def __init__(self) -> None:
        super().__init__("something was purged meanwhile", "It is done anew with what is there now.")


class NotFound(Refused):
    """Raised when no memory has the id."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(
            f"no memory {_shown(memory_id)}", "`memoryd list` and `memoryd search` show the ids there are."
        )


class NoSection(NotFound):
    """Raised when nothing was ever written to a section of core memory."""

    def __init__(self, section: str, thread: str) -> None:
        where = f"the thread {_shown(thread)}" if thread else "what all threads share"
        Refused.__init__(
            self,
            f"core memory has no section {_shown(section)} in {where}",
            "`memoryd core view` shows those there are.",
        )


class KeptCheckpoints(msgspec.Struct, frozen=True):
    """What there is where a checkpoint was looked for."""

    versions: tuple[int, ...] = ()
    """Of the thread, oldest first."""
    last: int = 0
    """The newest version that the thread ever had; 0: none."""
    threads: tuple[str, ...] | None = ()
    """Others of the owner that have some, the latest first; None: not told."""


def _ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as people write them: 3 to 5, 8."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]} to {part[-1]}" for part in parts)


class NoCheckpoint(NotFound):
    """Raised when a thread has no such checkpoint."""

    def __init__(self, owner: str, thread: str, version: int | None, kept: KeptCheckpoints) -> None:
        self._about = owner, thread, version
        self._kept = kept
        there = _ranges(kept.versions)
        hint = "Load one of those, or name no version: that is the newest."
        if version is not None and kept.versions:
            what = f"checkpoint {version} of {_shown(thread)} is not kept any more; kept: {there}"
            if not 0 < version <= kept.last:
                what = f"checkpoint {version} of {_shown(thread)} was never saved; kept: {there}"
            elif version < kept.versions[0]:
                hint += " `memoryd config set checkpoints.keep NUMBER` keeps more of them."
        else:
            which = "no checkpoint" if version is None else f"no checkpoint {version}"
            what = f"the owner {_shown(owner)} has {which} of the thread {_shown(thread)}"
            if kept.last:
                what += f", whose last was version {kept.last} and was deleted"
            others = kept.threads or ()
            threads = ", ".join(_shown(one) for one in others[:MOST_THREADS])
            more = " and others" if len(others) > MOST_THREADS else ""
            if threads:
                what += f"; there are some of {threads}{more}"
            elif kept.threads is not None:
                what += "; nor has it any of another thread"
            hint = "Name the thread and the owner that saved it; `memoryd checkpoint list` shows what is kept."
        Refused.__init__(self, what, hint)

    def without_others(self) -> "NoCheckpoint":
        """Return the same for somebody who may not see every thread."""
        return NoCheckpoint(*self._about, msgspec.structs.replace(self._kept, threads=None))


class DamagedCheckpoint(Refused):
    """Raised when a checkpoint's bytes are not those that were saved."""

    def __init__(self, thread: str, version: int, reason: str, sound: Sequence[int]) -> None:
        what = f"checkpoint {version} of {_shown(thread)} is damaged: {reason}"
        if sound:
            hint = f"Sound are, of what is kept: {', '.join(map(str, sound))}. Load one of those."
        else:
            hint = "No other version is kept and sound."
        super().__init__(what, f"{hint} `memoryd doctor` looks at the ledger and names its newest sound backup.")


class Ambiguous(Refused):
    """Raised when a shortened id fits several memories."""

    def __init__(self, memory_id: str, matches: Sequence[str]) -> None:
        super().__init__(f"{_shown(memory_id)} fits several memories: {', '.join(matches)}", "Give more of the id.")
        self.matches = tuple(matches)


class Unavailable(Refused):
    """Raised when a part of the daemon that the request needs is not there (now)."""


class ModelUnavailable(Unavailable):
    """Raised when the embedding model cannot be loaded; the hint says how to get it."""


class IndexDamaged(Unavailable):
    """Raised when files of the index are missing or unreadable; it can be rebuilt from the ledger."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(
            f"the index at {where} is damaged: {reason}",
            "It rebuilds itself from the ledger, and `memoryd reindex` does it at once; no memory is lost.",
        )


class PurgeUnfinished(Unavailable):
    """Raised when what was purged is gone from memory, but not yet every byte of it from the disk."""

    def __init__(self, reason: DaemonError) -> None:
        super().__init__(
            f"what was purged is gone from memory, but not yet every byte of it from the disk: {reason}",
            f"memoryd finishes it by itself; `memoryd status` says so once it is done. {reason.hint}".strip(),
        )


class LedgerCorrupt(Refused):
    """Raised when the ledger fails its integrity check; it is left exactly as it is."""


class DiskFull(Refused):
    """Raised when a write found no space; nothing was stored, and reads go on."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"no space left on the device that holds {path}", "Free some space; memoryd recovers by itself."
        )


def first_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first failure that a task group has wrapped: one line says more than a tree."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
