"""Tools for core memory: the few sections that an agent keeps in its prompt."""

from typing import Annotated, Final, Literal

from msgspec import Meta

from memoryd_client.tools.tool import Tool
from memoryd_client.wire.core_memory import (
    SHARED,
    CoreAppend,
    CoreReplace,
    CoreSet,
    CoreView,
    Section,
    SummarizedSoFar,
    new_write_id,
)
from memoryd_client.wire.request import Ask

CONTEXT: Final = "context"
"""The section that is the session's own."""


class CoreMemoryView(Tool, frozen=True, kw_only=True):
    """Show core memory: your own short notes that stand in every context: persona, human, context."""

    name = "core_memory_view"
    title = "View core memory"
    default = reads = True

    async def answer(self, ask: Ask) -> str:
        """Return the sections."""
        reply = await ask(CoreView(own=True))
        told = [_so_far(reply.summarized)] if reply.summarized else []
        own = any(section.thread for section in reply.sections)
        # The shared context and the session's persona and human are rare: they are shown where something stands there.
        sections = [one for one in reply.sections if one.text or (own and one.name == CONTEXT) == bool(one.thread)]
        return "\n\n".join([*map(_shown, sections), *told])


class CoreMemoryUpdate(Tool, frozen=True, kw_only=True):
    """Change a section of core memory.

    append adds lines; replace puts content in the place of the passage old, or of the whole section without it.
    """

    name = "core_memory_update"
    title = "Update core memory"
    default = True

    section: Annotated[
        str, Meta(description="persona (you), human (the user), context (this session's work), or your own")
    ]
    content: str
    operation: Literal["append", "replace"] = "append"
    old: Annotated[str, Meta(description="exact text that stands there once")] = ""

    async def answer(self, ask: Ask) -> str:
        """Write it, and return the section as it now stands."""
        write_id, name = new_write_id(), self.section.strip().casefold()
        sections = (await ask(CoreView(own=True))).sections
        # The last of that name is the session's, where there is one.
        thread = next((one.thread for one in reversed(sections) if one.name == name == CONTEXT), SHARED)
        if self.operation == "append":
            added = CoreAppend(id=write_id, section=name, text=self.content, thread=thread)
            return _shown((await ask(added)).only)
        if self.old:
            request = CoreReplace(id=write_id, section=name, old=self.old, new=self.content, thread=thread)
            return _shown((await ask(request)).only)
        revision = next((one.revision for one in sections if (one.thread, one.name) == (thread, name)), None)
        anew = CoreSet(id=write_id, section=name, text=self.content, revision=revision, thread=thread)
        return _shown((await ask(anew)).only)


def _so_far(summarized: SummarizedSoFar) -> str:
    """Say how far the conversation is summarised, and what was summarised last."""
    if not summarized.summaries:
        return f"[conversation] {summarized.turns} turns, none summarised"
    count = "1 summary" if summarized.summaries == 1 else f"{summarized.summaries} summaries"
    return (
        f"[conversation] {summarized.turns} turns, summarised up to turn {summarized.last_summarized_turn} "
        f"({count}), archived up to turn {summarized.archived_turns}. "
        f"Summarised last: {summarized.last_summary}"
    )


def _shown(section: Section) -> str:
    whose = ", this session's" if section.thread else ""
    return f"[{section.name}{whose}] {len(section.text)} of {section.limit} characters\n{section.text or '(empty)'}"
