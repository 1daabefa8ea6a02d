"""Gathers episodes into the summaries of their projects: one memory for each, with history and provenance."""

from collections import defaultdict
from collections.abc import Callable, Sequence

import anyio
import msgspec

from memoryd_actors.consolidating.repository import ConsolidationRepository
from memoryd_actors.consolidating.rollup import (
    PATH,
    PROJECT_SUMMARY,
    label_of,
    name_of,
    path_of,
    points_of,
    told_before,
    when,
    why_not,
    written,
)
from memoryd_actors.consolidating.settings import ConsolidationSettings
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.worker import repeat_purged
from memoryd_actors.keeping.gatekeeper import Gatekeeper, gate_notes
from memoryd_actors.keeping.orders import KeeperMessage, Perform
from memoryd_actors.memory.lifecycle import EVENT
from memoryd_actors.memory.steps import SUMMARISES, Add, AddEdge, ChangeState, Noted, Revise, Step, UnlessPurged
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_actors.summarising import EXTRACTED, Spoken, Summariser, Summary
from memoryd_actors.texts.labels import LABEL, project_tags
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.consolidation import Rollup
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memory import Memory, NewMemory, State

KEEPER_S = 60.0
MOST_EPISODES = 200
"""Of one project in one go."""
MOST_SUMMARIES = 20
MOST_NAMED = 1_000
"""Summaries among which one is looked for by the name of its project."""
_INSTRUCTION_TOKENS = 1_000
_CHARACTERS_PER_TOKEN = 3
"""Rather too few, as in `budget`."""
ACTOR = "memoryd"
NODE = "rollup"
_FIRST, _LAST, _EPISODES, _BY = "first", "last", "episodes", "by"
ROLLUP_TOKENS = 800
"""Size of a project's summary."""


class RollupMaterial(msgspec.Struct, frozen=True):
    """What there is to gather in one project."""

    owner: str
    project: str
    summary: Memory | None
    episodes: tuple[Memory, ...]
    """Oldest first."""
    purges: int
    """The newest purge as they were read."""
    label: str = ""
    """The project that the user named in them, where that is called otherwise than their folder."""

    @property
    def path(self) -> str:
        """Where its summary is found."""
        return path_of(self.project, self.label)


class RollupWriter:
    """Writes what a project has come to, from what its episodes say."""

    def __init__(
        self,
        *,
        ledger: MemoryRepository,
        repository: ConsolidationRepository,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        summariser: Summariser,
        clock: Clock,
        settings: ConsolidationSettings,
        gate: Gatekeeper,
        off: Callable[[str, str], object | None],
    ) -> None:
        """Prepare; `off` says of an owner and a project where memory is turned off."""
        self._ledger = ledger
        self._repository = repository
        self._keeper = keeper
        self._summariser = summariser
        self._clock = clock
        self._settings = settings
        self._gate = gate
        self._off = off
        self._gathering = anyio.Lock()

    async def due(self, owner: str) -> list[RollupMaterial]:
        """Return the projects whose episodes are to be gathered now.

        Raises:
            Refused: the ledger failed.
        """
        if not self._settings.rollups:
            return []
        now, days = self._clock.now(), self._settings.rollup_days
        return [
            one
            for one in await self._waiting(owner)
            if self._off(owner, one.project) is None and not why_not(one.summary, one.episodes, now, days)
        ]

    async def force(self, owner: str, project: str) -> list[Rollup]:
        """Gather what waits in a project now, in all of them where none is named; say what came of it, or why nothing.

        Raises:
            Refused: the ledger failed, or somebody changed a summary meanwhile.
            ActorError: the Keeper did not answer.
        """
        return await repeat_purged(lambda: self._force_all(owner, project))

    async def _force_all(self, owner: str, project: str) -> list[Rollup]:
        purges = await self._repository.purges(owner)
        every = await self._waiting(owner)
        places = {(one.project, one.path) for one in every}
        told = [
            RollupMaterial(owner, one.project, one, (), purges, label_of(one)) for one in await self._summaries(owner)
        ]
        known = [*every, *(one for one in told if (one.project, one.path) not in places)]
        waiting = [one for one in known if project in ("", one.project) or _is_called(one.project, one.label, project)]
        if project and not waiting:
            others = ", ".join(dict.fromkeys(one.label or one.project for one in every))
            reason = f"no episode is of a project with this folder or name{others and f'; those that wait: {others}'}"
            return [Rollup(project=project, path=path_of(project), reason=reason)]
        return [await self._force(one) for one in waiting]

    async def _force(self, one: RollupMaterial) -> Rollup:
        told = Rollup(project=one.project, path=one.path, memory=one.summary.id if one.summary else "")
        reason = why_not(one.summary, one.episodes, self._clock.now(), self._settings.rollup_days, forced=True)
        if self._off(one.owner, one.project) is not None:
            reason = "memory is off there"
        if reason:
            return msgspec.structs.replace(told, reason=reason)
        summary = await self.gather(one, 0)
        if not summary.text:
            return msgspec.structs.replace(told, reason="its episodes say nothing that could be told shortly")
        written_now = await self._summary(one.owner, one.project, one.path)
        memory_id = written_now.id if written_now is not None else ""
        return msgspec.structs.replace(told, memory=memory_id, episodes=len(one.episodes), by=summary.by)

    async def _waiting(self, owner: str) -> list[RollupMaterial]:
        """Return each project, by folder and by the name that the user gave it, that has episodes in no summary yet."""
        purges = await self._repository.purges(owner)
        projects: dict[tuple[str, str], list[Memory]] = defaultdict(list)
        for episode in await self._repository.episodes(owner):
            projects[episode.project, path_of(episode.project, label_of(episode))].append(episode)
        return [
            RollupMaterial(
                owner,
                project,
                await self._summary(owner, project, path),
                tuple(episodes[:MOST_EPISODES]),
                purges,
                "" if path == path_of(project) else label_of(episodes[0]),
            )
            for (project, path), episodes in sorted(projects.items())
        ]

    async def gather(self, one: RollupMaterial, run: int) -> Summary:
        """Write a project's summary; return what was written, empty where its episodes say nothing.

        Raises:
            Refused: the ledger failed, or somebody changed the summary meanwhile.
            ActorError: the Keeper did not answer.
        """
        async with self._gathering:
            there = await self._summary(one.owner, one.project, one.path)
            if (there and (there.id, there.revision)) != (one.summary and (one.summary.id, one.summary.revision)):
                return Summary(text="", by=EXTRACTED)  # somebody else gathered them in the meantime
            return await self._gather(one, run)

    async def _gather(self, one: RollupMaterial, run: int) -> Summary:
        said = [
            Spoken(points_of(episode), role="assistant", name=f"{when(episode):%Y-%m-%d}") for episode in one.episodes
        ]
        earlier = told_before(one.summary)
        budget = ROLLUP_TOKENS
        summary = await self._summariser.summarise(said, budget_tokens=budget, purpose="rollup", earlier=earlier)
        if summary.text:
            steps = self._steps(one, summary)
            told = Noted(run, {"rollups": 1})
            perform = Perform(one.owner, (UnlessPurged(one.purges), *steps, told), ACTOR, NODE)
            await self._keeper.ask(perform, deadline_s=KEEPER_S)
        return summary

    async def _summaries(self, owner: str) -> list[Memory]:
        """Return the summaries of all projects that are not replaced."""
        filters = Filters(scope="everywhere", categories=(PROJECT_SUMMARY,), states=())
        found = await self._ledger.page(Visibility(owner=owner, filters=filters), limit=MOST_NAMED)
        return [one for one in found if one.state is not State.SUPERSEDED]

    async def _summary(self, owner: str, project: str, path: str) -> Memory | None:
        """Return the summary that a project has under a path, the active one where there are several."""
        place = Visibility(
            owner=owner,
            project=project,
            filters=Filters(scope="project", categories=(PROJECT_SUMMARY,), states=()),
        )
        there = await self._ledger.page(place, limit=MOST_SUMMARIES)
        own = [one for one in there if one.metadata.get(PATH) == path and one.state is not State.SUPERSEDED]
        return next((one for one in own if one.active), own[0] if own else None)

    def _steps(self, one: RollupMaterial, summary: Summary) -> Sequence[Step]:
        before = one.summary.metadata if one.summary is not None else {}
        dates = sorted(f"{when(episode):%Y-%m-%d}" for episode in one.episodes)
        first = min(before.get(_FIRST, dates[0]), dates[0])
        last = max(before.get(_LAST, dates[-1]), dates[-1])
        count = len(one.episodes) + (int(known) if (known := before.get(_EPISODES, "")).isdecimal() else 0)
        new = NewMemory(
            content=written(name_of(one.project, one.label), summary.text, count, first, last),
            category=PROJECT_SUMMARY,
            title=one.path,
            tags=project_tags(one.label),
            metadata={PATH: one.path, _BY: summary.by, _EPISODES: str(count), _FIRST: first, _LAST: last},
        )
        caller = Caller(owner=one.owner, project=one.project, agent=ACTOR)
        # Through the same gate as everything: a model may have written what no memory may hold.
        admitted = self._gate.admit(new, caller)
        memory = admitted.memory
        notes = gate_notes(admitted)
        steps: list[Step]
        if one.summary is None:
            steps = [Add(memory, notes)]
        else:
            memory = msgspec.structs.replace(
                one.summary,
                content=memory.content,
                content_hash=memory.content_hash,
                title=memory.title,
                metadata={**one.summary.metadata, **memory.metadata},
            )
            steps = [Revise(memory, notes=notes)]
            if not one.summary.active:
                steps.append(ChangeState(memory.id, State.ACTIVE, "RESTORE"))
        steps += [AddEdge(memory.id, episode.id, SUMMARISES, 1.0) for episode in one.episodes]
        if self._settings.prune_episodes:
            reason = f"told by {one.path}"
            gone = [episode.id for episode in one.episodes if not episode.pinned]
            steps += [ChangeState(episode, State.ARCHIVED, EVENT, reason=reason) for episode in gone]
        return steps


def reckoned(one: RollupMaterial, budget_tokens: int) -> int:
    """Return about how many tokens a model uses to tell a gathering. Pure."""
    told = len(told_before(one.summary)) + sum(len(points_of(episode)) for episode in one.episodes)
    return _INSTRUCTION_TOKENS + told // _CHARACTERS_PER_TOKEN + budget_tokens


def _is_called(project: str, label: str, name: str) -> bool:
    return name_of(project, label).casefold() == name.casefold().removeprefix(LABEL).strip()
