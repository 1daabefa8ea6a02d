"""Insights: what a model reads between the lines of how somebody works (seed 002, item 3), at most once in a day.

Guesses about people: only a model may make them, few, short, with low weight in a context, to be seen and deleted like
any other memory. When the last ones were made is kept with them, in one transaction.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Protocol

import anyio

from memoryd_actors.access.categories import Categories
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import Refused
from memoryd_actors.extraction import Heard
from memoryd_actors.judging.account import Account
from memoryd_actors.judging.judge import JudgeFailed
from memoryd_actors.keeping.orders import Bring, KeeperMessage
from memoryd_actors.memory.budget import Prices, Usage
from memoryd_actors.memory.identity import memory_id
from memoryd_actors.memory.progress import ProgressBook
from memoryd_actors.memory.steps import Advance
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import Ledger
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memory import Memory, NewMemory, Scope, Source

log = logging.getLogger(__name__)

JOB: Final = "insight"
CATEGORY: Final = "insight"
KIND: Final = "relationship_dynamic"
"""What seed 002 calls their category; here a tag, so that all guesses share one weight."""
MOST: Final = 3
MOST_ACTIVITY: Final = 5
MOST_MEMORIES: Final = 3
SNIPPET: Final = 1_000
"""Characters of the conversation."""
FEWEST: Final = 200
"""Characters that people said, below which nobody can tell anything about them."""
REST: Final = timedelta(hours=24)
TRUST: Final = 0.4
IMPORTANCE: Final = 2
ANSWER_TOKENS: Final = 220
CALL_S: Final = 60.0
KEEPER_S: Final = 60.0
_ACTIVITY = ("episode", "episodic", "event", "activity")
_SEMANTIC = ("fact", "preference", "correction", "lesson")


@dataclass(frozen=True, slots=True)
class Material:
    """What a model is shown."""

    activity: tuple[str, ...]
    memories: tuple[str, ...]
    snippet: str


@dataclass(frozen=True, slots=True)
class Insight:
    """One guess."""

    summary: str
    tags: tuple[str, ...] = ()
    importance: int = IMPORTANCE


@dataclass(frozen=True, slots=True)
class Guessed:
    """What a model made of it."""

    insights: tuple[Insight, ...]
    usage: Usage


class InsightModel(Protocol):
    """A remote model that reads between the lines."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    async def guess(self, material: Material) -> Guessed:
        """Return at most a few insights.

        Raises:
            JudgeFailed: there is no usable answer.

        """
        ...


@dataclass(slots=True)
class InsightCounts:
    """What came of it since the start."""

    insights: int = 0
    insight_calls: int = 0
    insight_failures: int = 0


class Insights:
    """Has a model guess about an owner, where that is not too soon."""

    def __init__(
        self,
        model: InsightModel,
        *,
        book: ProgressBook,
        ledger: Ledger,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        account: Account,
        clock: Clock,
        categories: Categories,
        prices: Prices = Prices(),  # noqa: B008 - frozen
    ) -> None:
        self._model = model
        self._book = book
        self._ledger = ledger
        self._keeper = keeper
        self._account = account
        self._clock = clock
        self._categories = categories
        self._prices = prices
        self._failed_at: dict[str, float] = {}
        self.counts = InsightCounts()

    async def think(self, caller: Caller, messages: Sequence[Heard]) -> None:
        """Make insights of what was just said and of what is known, if it is time.

        Raises:
            Refused: the ledger failed.
            ActorError: the Keeper did not answer.

        """
        last = await self._book.progress(caller.owner, "", JOB)
        now = self._clock.now()
        if last is not None and last.at is not None and now - last.at < REST:
            return
        monotonic = self._clock.monotonic()
        if monotonic - self._failed_at.get(caller.owner, float("-inf")) < REST.total_seconds() / 24:
            return
        snippet = snippet_of(messages)
        if len(snippet) < FEWEST or not self._may(caller):
            return
        material = Material(
            await self._newest(caller, _ACTIVITY, MOST_ACTIVITY),
            await self._newest(caller, _SEMANTIC, MOST_MEMORIES),
            snippet,
        )
        guessed = await self._ask(material)
        if guessed is None:
            self._failed_at[caller.owner] = monotonic
            return
        before = last.sequence if last is not None else 0
        news = [self._as_new(one, caller, messages) for one in guessed.insights[:MOST]]
        advance = Advance("", JOB, before, before + 1)
        brought = await self._keeper.ask(
            Bring(tuple(news), caller, (advance,), "insights", _refuse), deadline_s=KEEPER_S
        )
        self.counts.insights += len(brought)

    async def _ask(self, material: Material) -> Guessed | None:
        planned = estimate(material, self._prices)
        try:
            await self._account.turn_day()
        except Refused:
            return None
        if self._account.objection(planned):
            return None
        self.counts.insight_calls += 1
        guessed: Guessed | None = None
        with self._account.reserved(planned):
            try:
                with anyio.fail_after(CALL_S):
                    guessed = await self._model.guess(material)
            except JudgeFailed as failed:
                log.warning("no insights: %s", failed)
                self._account.charge(Usage(failed.input_tokens, failed.output_tokens, failed.cost_usd))
            except TimeoutError:
                self._account.charge(planned)
        if guessed is not None:
            self._account.charge(guessed.usage)
        await self._account.save()
        self.counts.insight_failures += guessed is None
        return guessed

    async def _newest(self, caller: Caller, categories: tuple[str, ...], most: int) -> tuple[str, ...]:
        allowed = self._categories.allowed(caller.agent)
        shown = tuple(one for one in categories if allowed is None or one in allowed)
        if not shown:
            return ()
        visible = self._categories.visible(caller, Filters(categories=shown))
        return tuple(one.content for one in await self._ledger.page(visible, limit=most))

    def _may(self, caller: Caller) -> bool:
        try:
            self._categories.check(caller.agent, [CATEGORY])
        except Refused:
            return False
        return True

    def _as_new(self, one: Insight, caller: Caller, messages: Sequence[Heard]) -> NewMemory:
        project = caller.project if caller.project.strip() else ""
        return NewMemory(
            id=memory_id(caller.owner, project, one.summary),
            content=one.summary,
            category=CATEGORY,
            scope=Scope.PROJECT if project else Scope.GLOBAL,
            source=Source.EXTRACTED,
            speaker="assistant",
            trust=TRUST,
            importance=min(max(one.importance, 1), IMPORTANCE),
            tags=tuple(dict.fromkeys((*one.tags, KIND))),
            source_session=caller.session,
            source_messages=(messages[0].sequence, messages[-1].sequence),
            metadata={"extracted": "model", "model": self._model.name, "basis": "inferred"},
        )


def snippet_of(messages: Sequence[Heard]) -> str:
    """Return the end of a conversation as a model is shown it, if people said enough in it; else nothing."""
    if sum(len(one.text) for one in messages if one.role == "user") < FEWEST:
        return ""
    return "\n".join(f"{one.speaker or one.role}: {' '.join(one.text.split())}" for one in messages)[-SNIPPET:]


def estimate(material: Material, prices: Prices) -> Usage:
    """Return a generous estimate of what it costs to guess."""
    characters = len(material.snippet) + sum(map(len, (*material.activity, *material.memories)))
    return prices.usage(700 + characters // 3, ANSWER_TOKENS)


def _refuse(new: NewMemory, refused: Refused) -> None:
    log.info("no insight: %s", refused)
