"""Tools for core memory: the few sections that an agent keeps in its prompt."""

from typing import Annotated, Literal

from msgspec import Meta

from memoryd_client.tools.tool import Tool
from memoryd_client.wire.core_memory import (
    CoreAppend,
    CoreReplace,
    CoreSet,
    CoreView,
    Section,
    SummarizedSoFar,
    new_write_id,
)
from memoryd_client.wire.request import Ask


class CoreMemoryView(Tool, frozen=True, kw_only=True):
    """Show core memory: your own short notes that stand in every context: persona, human, context."""

    name = "core_memory_view"
    title = "View core memory"
    default = reads = True

    async def answer(self, ask: Ask) -> str:
        """Return the sections."""
        reply = await ask(CoreView())
        told = [_so_far(reply.summarized)] if reply.summarized else []
        return "\n\n".join([*map(_shown, reply.sections), *told])


class CoreMemoryUpdate(Tool, frozen=True, kw_only=True):
    """Change a section of core memory.

    append adds lines; replace puts content in the place of the passage old, or of the whole section without it.
    """

    name = "core_memory_update"
    title = "Update core memory"
    default = True

    section: Annotated[str, Meta(description="persona (you), human (the user), context (the work), or your own")]
    content: str
    operation: Literal["append", "replace"] = "append"
    old: Annotated[str, Meta(description="exact text that stands there once")] = ""

    async def answer(self, ask: Ask) -> str:
        """Write it, and return the section as it now stands."""
        write_id = new_write_id()
        if self.operation == "append":
            return _shown((await ask(CoreAppend(id=write_id, section=self.section, text=self.content))).only)
        if self.old:
            request = CoreReplace(id=write_id, section=self.section, old=self.old, new=self.content)
            return _shown((await ask(request)).only)
        sections = (await ask(CoreView())).sections
        revision = next((section.revision for section in sections if section.name == self.section), None)
        anew = CoreSet(id=write_id, section=self.section, text=self.content, revision=revision)
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
    return f"[{section.name}] {len(section.text)} of {section.limit} characters\n{section.text or '(empty)'}"
