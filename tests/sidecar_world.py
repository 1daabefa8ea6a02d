"""Everything around a model: a clock that tests move, a book of spending, what can be looked up, the Messages API."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
from msgspec.structs import replace

from memoryd.config import Config, SidecarConfig
from memoryd.model import choose
from memoryd_actors.core.errors import DiskFull, Unavailable
from memoryd_actors.judging.local_judge import LocalJudge
from memoryd_actors.judging.sidecar import FollowUps, Sidecar
from memoryd_actors.memory.budget import Limits, Spending
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.model.account import Account
from memoryd_actors.model.breaker import Breaker
from memoryd_actors.model.model import Model
from memoryd_actors.model.provider import Provider
from memoryd_actors.model.question import Question
from memoryd_client.wire.events import Event, Warned
from messages_api import MessagesApi

LONG_S = 20.0


@dataclass
class Watch:
    """A clock that the test moves."""

    at: datetime = field(default_factory=lambda: datetime(2026, 11, 20, 23, 50, tzinfo=UTC))
    seconds: float = 1000.0

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.seconds

    def forward(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)
        self.seconds += seconds


@dataclass
class Purse:
    """A book of spending that lives as long as the test, and can run out of paper."""

    days: dict[str, Spending] = field(default_factory=dict[str, Spending])
    full: bool = False

    async def spending(self, day: str) -> Spending:
        return self.days.get(day, Spending(day=day))

    async def spend(self, spending: Spending) -> None:
        if self.full:
            raise DiskFull("/")
        so_far = await self.spending(spending.day)
        self.days[spending.day] = replace(
            so_far,
            calls=so_far.calls + spending.calls,
            input_tokens=so_far.input_tokens + spending.input_tokens,
            output_tokens=so_far.output_tokens + spending.output_tokens,
            cost_usd=so_far.cost_usd + spending.cost_usd,
        )


@dataclass
class Shelf:
    """What can be looked up, by memory and by query; it can be closed, and it can take for ever."""

    sources: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    sessions: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    closed: bool = False
    endless: bool = False

    async def source(self, memory_id: str, visible: Visibility) -> Sequence[str]:
        return await self._found(self.sources, memory_id, memory_id)

    async def file(self, path: str, about: str, visible: Visibility) -> Sequence[str]:
        return [f"{path}, about {about}"]

    async def session_search(self, query: str, memory_id: str, visible: Visibility) -> Sequence[str]:
        return await self._found(self.sessions, query, memory_id)

    async def _found(self, where: dict[str, list[str]], key: str, memory_id: str) -> Sequence[str]:
        self.asked.append((key, memory_id))
        if self.closed:
            raise Unavailable("the shelf is closed")
        if self.endless:
            await anyio.sleep_forever()
        return where.get(key, [])


@dataclass
class World:
    """Everything around a model; one `model()` or `sidecar()` per daemon start."""

    api: MessagesApi
    provider: Provider
    purse: Purse = field(default_factory=Purse)
    watch: Watch = field(default_factory=Watch)
    events: list[Event] = field(default_factory=list[Event])
    shelf: Shelf = field(default_factory=Shelf)

    def model(self, *, limits: Limits | None = None, failures_to_open: int = 3) -> Model:
        return Model(
            self.provider,
            account=Account(self.purse, self.watch, limits or Limits()),
            clock=self.watch,
            publish=self.events.append,
            breaker=Breaker(failures_to_open=failures_to_open, cool_down_s=60.0),
        )

    def sidecar(
        self, model: Model | None = None, *, deadline_s: float = LONG_S, follow_ups: FollowUps | None = None
    ) -> Sidecar:
        return Sidecar(
            model or self.model(),
            LocalJudge(),
            follow_ups=follow_ups or FollowUps(),
            lookups=self.shelf,
            deadline_s=deadline_s,
        )

    @property
    def warnings(self) -> list[str]:
        return [event.message for event in self.events if isinstance(event, Warned)]


@asynccontextmanager
async def anthropic(api: MessagesApi, *, model: str = "claude-haiku-5-5") -> AsyncGenerator[Provider]:
    """Return the provider of Anthropic's models, at a loopback server."""
    provider = choose(Config(sidecar=SidecarConfig(api_key="sk-test", base_url=api.url, model=model))).provider
    assert provider is not None
    # Loaded beforehand, so that a short deadline in a test is about the service, not about an import.
    await provider.prepare()
    yield provider
    await provider.aclose()


def metered(provider: Provider) -> Model:
    """Return a model with an account of its own."""
    watch = Watch()
    return Model(provider, account=Account(Purse(), watch, Limits()), clock=watch, publish=lambda _: None)


def used(question: Question[Any]) -> int:
    """Return the tokens that are kept for a question."""
    prompt = question.compose()
    return prompt.asked_tokens + prompt.answer_tokens
