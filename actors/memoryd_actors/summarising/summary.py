"""What a summary is, and what somebody who writes one is asked for."""

from collections.abc import Iterable, Sequence
from typing import Final, Literal, Protocol

import msgspec

from memoryd_client.wire.transcripts import TranscriptRecord

EXTRACTED: Final = "extracted"
"""Who a summary is by that no model wrote: it quotes the conversation."""
KINDS_OF_FOCUS: Final = {
    "decisions": "decisions and their reasons",
    "facts": "facts about the user and the project, exact names, numbers and dates",
    "context": "what is being done, how far it is, and what is open",
}
"""What a focus that has a name means, in words for a model. Whoever quotes prefers such sentences anyway."""
Purpose = Literal["compaction", "episode", "rollup"]
"""compaction: takes the place of messages in a context. episode: what a run was about and came to. rollup: many
episodes of one project told as one."""


class Spoken(msgspec.Struct, frozen=True):
    """Something that was said, or done by a tool."""

    text: str
    role: str = "user"
    name: str = ""
    """Who spoke, where that is known, or which tool."""
    kind: str = "message"
    """message, tool_call or tool_result."""


class Summary(msgspec.Struct, frozen=True):
    """What is left of a conversation."""

    text: str
    """Lines that begin with a dash; of an extracted one the first line says so. Empty where nothing was said."""
    by: str
    """`extracted`, or the name of the model that wrote it."""
    title: str = ""
    topic: str = ""
    outcome: str = ""
    tags: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    """The lines of the text, without their dashes."""
    left_out: int = 0
    """Sentences for which there was no room although the user decided or corrected something with them."""
    note: str = ""
    """Why it is not by a model, where one was asked."""

    @property
    def by_model(self) -> bool:
        """Whether a model wrote it."""
        return self.by != EXTRACTED


class Summariser(Protocol):
    """Tells shortly what was said."""

    async def summarise(
        self,
        said: Sequence[Spoken],
        *,
        budget_tokens: int,
        purpose: Purpose = "compaction",
        earlier: str = "",
        focus: str = "",
    ) -> Summary:
        """Return a summary of at most so many tokens, counted, that says again what `earlier` said.

        `focus` says in words what matters most. `earlier` is the text of the summary of what came before. Any length of
        conversation: the work is bounded.
        """
        ...


def said_of(records: Iterable[TranscriptRecord]) -> list[Spoken]:
    """Return entries of a transcript as something to be summarised."""
    return [Spoken(record.content, record.role, record.name, record.kind) for record in records]
