"""The wire of consolidation: what a run would do, what it did, and how far it is."""

from typing import Annotated

import msgspec

from memoryd_client.wire.request import Request


class Consolidation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One run, as far as it is."""

    number: int
    started_at: str
    """ISO 8601, UTC."""
    finished_at: str = ""
    """Empty: it is not finished."""
    asked: bool = False
    """Whether somebody asked for it, or it was due."""
    stage: str = ""
    """The last stage that is done: pairs, ageing, rollups, upkeep."""
    starts: int = 1
    """How often it was begun: more than once where the daemon went down meanwhile."""
    counts: dict[str, int] = {}
    """compared, merged, superseded, contradictions, left in doubt, changed, moot, tokens, forgotten, archived, purged,
    lapsed, rollups; what was not zero."""
    problem: str = ""
    """Why it does not get on; it is tried again."""
    doing: str = ""
    """The stage that it is at now."""
    done: int = 0
    total: int = 0
    """How far that is: pairs compared of those to be compared; 0 of 0 where nobody counts."""


class Consolidations(msgspec.Struct, frozen=True, kw_only=True, tag="consolidated"):
    """Runs, newest first."""

    runs: tuple[Consolidation, ...]

    @property
    def only(self) -> Consolidation:
        """The one that was asked for."""
        (only,) = self.runs
        return only


class Consolidate(Request[Consolidations], frozen=True, tag="consolidate"):
    """Consolidate the caller's memories now; answered when it has begun."""


class ListConsolidations(Request[Consolidations], frozen=True, kw_only=True, omit_defaults=True, tag="consolidations"):
    """The caller's last runs, newest first."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 10


class PlannedPair(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Two memories that would be compared."""

    older: str
    newer: str
    older_content: str
    newer_content: str
    """Each in one line of at most 200 characters."""
    similarity: float
    """Cosine."""
    relation: str
    """What the newer one is to the older, as the local classifier has it: same, changes, contradicts, resembles."""
    action: str
    """What would follow from that: merge, supersede, contradict, queue, keep. Where there is a model, it decides."""
    reason: str = ""
    doubted: bool = False
    """Whether the pair is in doubt since it was written."""


class PlannedChange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory that nobody uses, and what would become of it."""

    id: str
    summary: str
    becomes: str
    """archived, forgotten, purged or lapsed."""
    reason: str = ""


class PlannedRollup(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Episodes that would be gathered into the summary of their project."""

    project: str
    episodes: int
    path: str
    updates: str = ""
    """The summary that would be written anew; empty: a first one."""


class ConsolidationPlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="consolidation_plan"):
    """What a run would do."""

    judge: str
    """Who would compare: local, or a model's name."""
    pairs: tuple[PlannedPair, ...] = ()
    changes: tuple[PlannedChange, ...] = ()
    rollups: tuple[PlannedRollup, ...] = ()
    pairs_left: int = 0
    """That may be compared today."""
    tokens_left: int = 0
    """That a model may use for it today."""


class Rollup(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of the episodes of one project that waited to be gathered."""

    project: str
    path: str
    """Of its summary, as a memory file."""
    memory: str = ""
    """The summary's id; empty: there is none."""
    episodes: int = 0
    """That were gathered."""
    by: str = ""
    """Who wrote it: extracted, or a model's name."""
    reason: str = ""
    """Why nothing was done; empty where the summary was written."""


class Rollups(msgspec.Struct, frozen=True, kw_only=True, tag="rolled_up"):
    """What became of each project; none has episodes that wait where it is empty."""

    rollups: tuple[Rollup, ...]


class GatherEpisodes(Request[Rollups], frozen=True, kw_only=True, omit_defaults=True, tag="roll_up"):
    """Gather the episodes that wait into the summaries of their projects now, whether that is due or not."""

    project: str = ""
    """Its folder, or the name that the user gave it; empty: every project of the caller's owner."""


class PlanConsolidation(Request[ConsolidationPlan], frozen=True, tag="plan_consolidation"):
    """What would a run do now? Nothing is written, and no model is asked."""


ConsolidationRequest = Consolidate | PlanConsolidation | ListConsolidations | GatherEpisodes
