"""Status: the health of every part, gathered from counters, never by asking the work loop to stop."""

import os
import resource
import sys
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from time import monotonic

from msgspec.structs import asdict, replace

from memoryd import __version__
from memoryd.assembly.consolidation import ConsolidationServices
from memoryd.assembly.conversations import ConversationServices
from memoryd.assembly.memory import MemoryServices
from memoryd.embedding import ModelStatistics
from memoryd.embedding.model_change import ModelChange
from memoryd.ipc import Guard, SocketStatistics
from memoryd.mirror.mirrors import MirrorKeeper
from memoryd.telemetry import Telemetry
from memoryd_actors.capture.capturer import Capturer
from memoryd_actors.context import Compactor
from memoryd_actors.conversations.counts import TranscriptCounts
from memoryd_actors.core.actor import MailboxStatistics
from memoryd_actors.core.errors import DaemonError, Refused
from memoryd_actors.extraction.extraction_store import DAILY, OF_SESSION
from memoryd_actors.extraction.extractor import Extractor
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.indexing.message_indexer import MessageIndexer
from memoryd_actors.recall.memory_actor import MemoryActor
from memoryd_actors.upkeep.curator import Curator
from memoryd_actors.upkeep.sharing import Sharing
from memoryd_client.base.wording import counted, sentence
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.events import Wrote
from memoryd_client.wire.memory import State
from memoryd_client.wire.status import ComponentStatus, Status

BAD = frozenset({"degraded", "failed"})


def resident_bytes() -> int:
    """Return the resident memory of this process, in bytes."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError, ValueError):
        # Elsewhere only the peak is known: in bytes on macOS, in kilobytes on other systems.
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
    return pages * os.sysconf("SC_PAGE_SIZE")


_SEE_LOGS = "`memoryd logs` shows the details."


class Health:
    """Says how every part is, from what the parts count."""

    def __init__(
        self,
        home: Path,
        memory: MemoryServices,
        conversations: ConversationServices,
        consolidation: ConsolidationServices,
        curator: Curator,
        *,
        mirrors: MirrorKeeper,
        model_change: ModelChange,
        sockets: SocketStatistics,
        telemetry: Telemetry,
        network: tuple[SocketStatistics, Guard] | None = None,
    ) -> None:
        self.ready = False
        """Whether requests are answered: said by whoever brings the daemon up and down."""
        self._home = home
        self._memory = memory
        self._conversations = conversations
        self._consolidation = consolidation
        self._curator = curator
        self._mirrors = mirrors
        self._model_change = model_change
        self._sockets = sockets
        self._telemetry = telemetry
        self._network = network
        self._began = monotonic()
        self._written: Counter[str] = Counter()
        """Writes since the start, by event."""

    @property
    def uptime_s(self) -> float:
        """For how long the daemon has been there."""
        return monotonic() - self._began

    def count_write(self, event: Wrote) -> None:
        """Hear of a write."""
        self._written[event.event] += 1

    async def status(self, caller: Caller) -> Status:
        """Return the whole picture, with what is the caller's owner's.

        A part that is degraded or failed is also a warning with the way out, and so is that memory is off.
        """
        memory = self._memory.switches.status(caller)
        parts = {**await self._of_ledger(caller.owner), **self._of_others(caller), "memory": memory}
        warnings = [sentence(memory.message, memory.hint)] if memory.message else []
        warnings += [
            f"{name}: {sentence(part.message, part.hint)}" for name, part in parts.items() if part.state in BAD
        ]
        return Status(
            pid=os.getpid(),
            version=__version__,
            home=str(self._home),
            live=True,
            ready=self.ready,
            busy=self._memory.is_busy(),
            uptime_s=round(self.uptime_s, 3),
            rss_bytes=resident_bytes(),
            components=parts,
            warnings=tuple(warnings),
        )

    async def _of_ledger(self, owner: str) -> dict[str, ComponentStatus]:
        """Return the parts that the ledger has to be asked about."""
        sql = self._memory.ledger
        tallies: Mapping[str, int] = {}
        try:
            sql.database.check_in_place()
            sql.database.check_sound()
            kept = ledger(
                self._curator.last_backup,
                await sql.memories.counts(),
                sql.sharing,
                unfinished=await sql.purges.left(),
                problem=self._conversations.finisher.problem,
                beyond=self._memory.indexer.beyond,
                refusing=sql.database.refusing,
            )
            tallies = await sql.memories.tallies()
            counted = events(*await sql.events.lately())
        except Refused as refused:
            kept = counted = failed(refused)
        compared = consolidation(tallies, self._consolidation.comparer.compared, self._written)
        last = await self._consolidation.answers.last(owner)
        exported = await self._telemetry.status()
        return {
            "ledger": kept,
            "events": counted,
            "consolidation": replace(compared, facts=last),
            **({"telemetry": exported} if exported is not None else {}),
        }

    def _of_others(self, caller: Caller) -> dict[str, ComponentStatus]:
        memory, conversations = self._memory, self._conversations
        only = None if memory.view.sees_all(caller) else caller.agent
        return {
            "model": model(memory.embedder.statistics(), memory.embedder.identity),
            "embedding": self._model_change.status(),
            "index": index(memory.indexer, optimised=self._curator.optimised, cached_bytes=memory.index.cached_bytes),
            "sidecar": memory.judging.sidecar.status(),
            "context": contexts(
                conversations.compactor, conversations.usage.facts(caller.owner, only), conversations.usage.warnings
            ),
            "episodes": conversations.episodes.status(),
            "summaries": memory.judging.summariser.status(),
            "sessions": sessions(memory.recall),
            "keeper": keeper(memory.keeper.statistics()),
            "capture": capture(conversations.capturer, conversations.extractor),
            "transcripts": transcripts(
                conversations.scribe.counts,
                conversations.indexer,
                memory.transcript_files.damaged.values() if memory.transcript_files is not None else (),
                cached_bytes=conversations.messages.cached_bytes,
            ),
            "sockets": sockets(self._sockets),
            **({"network": served_network(*self._network)} if self._network is not None else {}),
            "mirror": self._mirrors.component(),
        }


def contexts(compactor: Compactor, full: Mapping[str, str], warnings: int) -> ComponentStatus:
    """Return what was compacted, and how full the last context of each agent is."""
    compacted = compactor.status()
    return replace(compacted, numbers={**compacted.numbers, "warnings": float(warnings)}, facts=full)


def model(statistics: ModelStatistics, identity: str) -> ComponentStatus:
    """Return how the embedding model is. Idle: not in memory, loaded when it is needed."""
    return ComponentStatus(
        state="ok" if statistics.state == "ready" else statistics.state,
        message=statistics.message,
        hint=statistics.hint,
        numbers={
            "loads": statistics.loads,
            "load_s": round(statistics.load_s, 3),
            "runs": statistics.runs,
            "texts": statistics.texts,
            "recalled": statistics.recalled,
            "waiting": statistics.waiting,
        },
        facts={"identity": identity, **({"device": statistics.device} if statistics.device else {})},
    )


def index(indexer: Indexer, *, optimised: int, cached_bytes: int) -> ComponentStatus:
    """Return how far the index is, and how much of it is in memory."""
    behind = max(0, indexer.target - indexer.applied)
    numbers: dict[str, float] = {
        "applied": indexer.applied,
        "behind": behind,
        "optimised": optimised,
        "cached_bytes": cached_bytes,
    }
    if (problem := indexer.problem) is not None:
        return ComponentStatus(state="degraded", message=str(problem), hint=problem.hint, numbers=numbers)
    return ComponentStatus(state="ok" if indexer.opened.is_set() and not behind else "loading", numbers=numbers)


def failed(refused: Refused) -> ComponentStatus:
    """Return a part that cannot say how it is."""
    return ComponentStatus(state="failed", message=str(refused), hint=refused.hint)


def ledger(
    last_backup: str,
    counts: Mapping[str, int],
    sharing: Sharing,
    *,
    unfinished: int,
    problem: DaemonError | None,
    beyond: int = 0,
    refusing: DaemonError | None = None,
) -> ComponentStatus:
    """Return what the ledger holds and, where others share it, whether this daemon works in the background for all.

    Beside it, how many purges are not finished, and what stands in their way; and how many changes the index knew that
    the ledger does not. Foremost, that nothing could be written the last time.
    """
    standing = {"leads": int(sharing.leads)} if sharing.shared else {}
    stuck = problem if unfinished else None
    message = hint = ""
    if refusing:
        message, hint = f"nothing could be written the last time: {refusing}", refusing.hint
    elif stuck:
        message = f"what was purged is not gone from the disk yet: {stuck}"
        hint = f"It is tried again by itself. {stuck.hint}".strip()
    elif beyond:
        changes = "change is" if beyond == 1 else f"{beyond} changes are"
        message = f"the last {changes} not in the ledger: it is an older copy, or its write-ahead log was lost"
        hint = (
            "Where you put a backup in its place all is well, and told until the next start; else see docs/backups.md."
        )
    return ComponentStatus(
        state="degraded" if message else "ok",
        message=message,
        hint=hint,
        numbers={
            "memories": sum(counts.get(state.value, 0) for state in State),
            **counts,
            **standing,
            "purges_unfinished": unfinished,
            "changes_missing": beyond,
        },
        facts={"last_backup": last_backup} if last_backup else {},
    )


def events(day: Mapping[tuple[str, str, str], int], week: Mapping[tuple[str, str, str], int]) -> ComponentStatus:
    """Return how often what was done in the last day and, where the name ends in `.7d`, in the last week."""
    numbers: dict[str, float] = {}
    for done in sorted(week):
        name = ".".join(done)
        numbers |= {name: float(day.get(done, 0)), f"{name}.7d": float(week[done])}
    return ComponentStatus(state="ok", numbers=numbers)


def sessions(recall: MemoryActor) -> ComponentStatus:
    """Return what the memory actor is doing."""
    counts = recall.counts
    share = round(counts.query_turns / counts.turns, 4) if counts.turns else 0.0
    numbers = {**_numbers({"loaded": recall.loaded(), "busy": recall.busy(), **asdict(counts)}), "query_share": share}
    if not counts.crashed:
        return ComponentStatus(state="ok", numbers=numbers)
    message = f"{counted(counts.crashed, 'context')} met a bug and brought nothing up"
    return ComponentStatus(state="degraded", message=message, hint=_SEE_LOGS, numbers=numbers)


def keeper(statistics: MailboxStatistics) -> ComponentStatus:
    """Return how writes are doing."""
    numbers = _numbers(asdict(statistics))
    if not statistics.crashed:
        return ComponentStatus(state="ok", numbers=numbers)
    message = f"{statistics.crashed} writes hit a bug"
    return ComponentStatus(state="degraded", message=message, hint=_SEE_LOGS, numbers=numbers)


def consolidation(tallies: Mapping[str, int], compared: int, written: Mapping[str, int]) -> ComponentStatus:
    """Return what memories are to each other: edges and open doubts now, the rest since the start."""
    since = {"compared": compared, "merged": written.get("MERGE", 0), "superseded": written.get("SUPERSEDE", 0)}
    return ComponentStatus(state="ok", numbers=_numbers({**tallies, **since}))


def capture(capturer: Capturer, extractor: Extractor) -> ComponentStatus:
    """Return what became of what users asked to have remembered, and of what was found in their conversations."""
    counts, reader = capturer.counts, extractor.reader
    facts = {"last_refusal": counts.last_refusal or extractor.last_refusal, "read_by": reader.name}
    state, message, hint = "ok" if extractor.begun else "loading", *_used_up(extractor)
    if message and extractor.full(DAILY):
        state = "degraded"
    if counts.crashed:
        message = f"{counted(counts.crashed, 'message')} met a bug while it was looked for what to remember"
        state, hint = "degraded", _SEE_LOGS
    if reader.trouble:
        state, message, hint = "degraded", f"conversations are not read: {reader.trouble}", reader.hint
    return ComponentStatus(
        state=state,
        message=message,
        hint=hint,
        numbers={
            "captured": counts.captured,
            "known": counts.known,
            "refused": counts.refused,
            "failed": counts.failed,
            "dropped": counts.dropped,
            "crashed": counts.crashed,
            "waiting": capturer.statistics().waiting,
            "sessions_waiting": extractor.waiting,
            **_numbers(asdict(extractor.counts)),
            **(_numbers(asdict(extractor.insights.counts)) if extractor.insights else {}),
            **{f"model_{name}": count for name, count in _numbers(asdict(reader.counts)).items()},
        },
        facts={name: fact for name, fact in facts.items() if fact},
    )


def _used_up(extractor: Extractor) -> tuple[str, str]:
    """Return what is said where conversations have brought what they may in a day: a message, and the way out."""
    settings = extractor.settings
    goes_on = "They go on at 00:00 UTC;"
    if waiting := extractor.full(DAILY):
        message = (
            f"{counted(waiting, 'session')} waiting: "
            f"conversations have brought the {settings.daily_memories} memories of today"
        )
        return message, f"{goes_on} `memoryd config set {DAILY} NUMBER` allows more."
    if waiting := extractor.full(OF_SESSION):
        message = (
            f"{counted(waiting, 'session')} waiting: each has brought the {settings.session_memories} memories of today"
        )
        return message, f"{goes_on} `memoryd config set {OF_SESSION} NUMBER` allows more."
    return "", ""


def sockets(statistics: SocketStatistics) -> ComponentStatus:
    """Return what crossed the sockets."""
    return ComponentStatus(state="ok", numbers=_numbers(asdict(statistics)))


def served_network(statistics: SocketStatistics, guard: Guard) -> ComponentStatus:
    """Return what crossed the ports of a network, and who was not let in there."""
    numbers = _numbers({**asdict(statistics), **asdict(guard.counts)})
    if (problem := guard.problem) is None:
        return ComponentStatus(state="ok", numbers=numbers)
    message = f"nobody on the network is let in: {problem}"
    return ComponentStatus(state="degraded", message=message, hint=problem.hint, numbers=numbers)


def _numbers(counts: Mapping[str, int]) -> dict[str, float]:
    return {name: float(count) for name, count in counts.items()}


def transcripts(
    counts: TranscriptCounts, indexer: MessageIndexer, damaged: Collection[int], *, cached_bytes: int
) -> ComponentStatus:
    """Return what was written down, how much of it cannot be found yet, and how much of it cannot be read any more.

    Beside it, how much of the index of messages is in memory.
    """
    numbers: dict[str, float] = {
        "stored": counts.stored,
        "known": counts.known,
        "left_out": counts.left_out,
        "pushes": counts.pushes,
        "dropped": counts.dropped,
        "refused": counts.refused,
        "behind": indexer.behind,
        "damaged": sum(damaged),
        "crashed": counts.crashed,
        "cached_bytes": cached_bytes,
    }
    message, hint = counts.problem, counts.hint
    if message:
        pass
    elif indexer.problem is not None:
        message, hint = str(indexer.problem), indexer.problem.hint
    elif counts.crashed:
        message = f"{counted(counts.crashed, 'message')} met a bug and went unwritten; who appended was told"
        hint = _SEE_LOGS
    elif damaged:
        message = (
            f"damaged lines: {counted(sum(damaged), 'entry')} in {counted(len(damaged), 'session')} cannot be read"
        )
        hint = "`memoryd doctor` says which, and what to do."
    return ComponentStatus(state="degraded" if message else "ok", message=message, hint=hint, numbers=numbers)
