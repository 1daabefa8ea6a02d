"""When the remote judge is asked: on every turn, or only on the turns that promise something new."""

from dataclasses import dataclass
from typing import Literal

from memoryd_client.messages import Trigger

CadenceRule = Literal["turn", "sparse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cadence:
    """Which contexts of a session are put before the remote judge; the local one decides the others."""

    rule: CadenceRule = "turn"
    """turn: every context. sparse: a session's first turn, a change of topic, and every n-th turn."""
    every: int = 5
    """The n of `sparse`: at most so many turns from one to the next."""

    @property
    def needs_topic(self) -> bool:
        """Whether the topic has to be decided before the judge is asked."""
        return self.rule == "sparse"

    def objection(self, *, trigger: Trigger, turn: int, asked_turn: int, topic_changed: bool) -> str:
        """Return why the remote judge is not asked for this context, in words; empty where it is.

        `asked_turn` is the last turn on which it answered; 0 where it has not yet.
        """
        if self.rule == "turn" or topic_changed or asked_turn == 0:
            return ""
        if trigger != "turn":
            return "the remote judge is asked at turns only"
        if turn - asked_turn >= self.every:
            return ""
        return f"the remote judge is asked again on turn {asked_turn + self.every}, or when the topic changes"
