"""How full the contexts of each agent are: logged, told as an event, and shown in the status."""

import logging
from collections import OrderedDict
from typing import Final

import msgspec

from memoryd_actors.ports.publisher import Publisher
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.events import ContextFilled

log = logging.getLogger(__name__)

MOST_AGENTS: Final = 50
MOST_SESSIONS: Final = 1_000
FULL: Final = 100
"""Percent."""
STEPS: Final = (90, FULL)
"""Percent at which it is told again, after the first warning."""


class _LastContext(msgspec.Struct, frozen=True):
    session: str
    tokens: int
    budget: int
    percent: int


class ContextUsage:
    """What is known of the contexts that were built."""

    def __init__(self, publish: Publisher, *, warn_at: int) -> None:
        """Prepare; from `warn_at` percent on there is a warning."""
        self._publish = publish
        self._steps = (warn_at, *(step for step in STEPS if step > warn_at))
        self._agents: OrderedDict[tuple[str, str], _LastContext] = OrderedDict()
        self._warned: OrderedDict[tuple[str, str, str], int] = OrderedDict()
        """The step that was told last, by owner, agent and session."""
        self.warnings = 0
        """Since the start."""

    def note(self, caller: Caller, tokens: int, budget: int, percent: int) -> None:
        """Hear how large the context of a caller's session would be whole; warn where it has reached a further step."""
        agent = caller.owner, caller.agent
        self._agents[agent] = _LastContext(caller.session, tokens, budget, percent)
        self._agents.move_to_end(agent)
        if len(self._agents) > MOST_AGENTS:
            self._agents.popitem(last=False)
        key = *agent, caller.session
        reached = max((step for step in self._steps if percent >= step), default=0)
        before = self._warned.pop(key, 0)
        if reached:
            self._warned[key] = reached
            if len(self._warned) > MOST_SESSIONS:
                self._warned.popitem(last=False)
        if reached > before:
            self.warnings += 1
            log.warning(
                "the context of %s in session %s is %s: whole it has %d tokens, of %d that it may have",
                caller.agent or "an agent",
                caller.session,
                _how_full(percent),
                tokens,
                budget,
            )
            self._publish(
                ContextFilled(
                    session=caller.session,
                    agent=caller.agent,
                    owner=caller.owner,
                    tokens=tokens,
                    budget=budget,
                    percent=percent,
                )
            )

    def facts(self, owner: str, only: str | None = None) -> dict[str, str]:
        """Return how large the last context of each agent of an owner is, by its name; `only` of one."""
        return {
            name or "unnamed": f"{_how_full(last.percent)}, {last.tokens} of {last.budget} tokens in {last.session}"
            for (whose, name), last in self._agents.items()
            if whose == owner and only in {None, name}
        }


def _how_full(percent: int) -> str:
    return f"{percent}% used" if percent <= FULL else "full"
