"""Step 9 of the pipeline: memories as text that is ready for a prompt."""

from collections.abc import Sequence

from memoryd_actors.fence import CLOSING, OPENING, PREFACE, defused
from memoryd_client.memory import ID_PREFIX, Memory, PendingMemory, Source, SurfacedMemory

CHARACTERS_PER_TOKEN = 3.5
"""Below the 4 of English prose, so that code and other languages stay within the budget, too."""
MAX_SUMMARY = 200
SHORT_ID = len(ID_PREFIX) + 8


def summary(memory: Memory) -> str:
    """Return the title, or the beginning of the content, in one line of at most 200 characters."""
    line = " ".join((memory.title or memory.content).split())
    return line if len(line) <= MAX_SUMMARY else line[: MAX_SUMMARY - 1].rstrip() + "…"


def provenance(memory: Memory) -> str:
    """Say in words where a memory comes from."""
    who = memory.speaker or {
        Source.USER: "the user",
        Source.AGENT: "an agent",
        Source.EXTRACTED: "extracted from a conversation",
        Source.IMPORTED: "imported",
    }.get(memory.source, memory.source.value)
    return f"{who}, session {memory.session}" if memory.session else who


def surfaced(memory: Memory, *, score: float, reason: str) -> SurfacedMemory:
    """Return a memory as it is handed to an agent."""
    return SurfacedMemory(
        id=memory.id,
        content=memory.content,
        score=round(score, 4),
        reason=reason,
        category=memory.category,
        trust=memory.trust,
        date=memory.occurred_at or memory.created_at,
        provenance=provenance(memory),
    )


def line(memory: SurfacedMemory, *, longest: int) -> str:
    """Return one memory as one bullet of at most `longest` characters; a cut is visible and names the way to more."""
    head = f"- [{memory.category}, {memory.date:%Y-%m-%d}, {memory.provenance}, {memory.id[:SHORT_ID]}] "
    content = defused(" ".join(memory.content.split()))
    if len(head) + len(content) > longest:
        room = max(40, longest - len(head) - 2)
        content = content[:room].rstrip() + " …"
    return defused(head) + content


def render(
    memories: Sequence[SurfacedMemory], *, turn: int, budget_tokens: int, changes: Sequence[str] = ()
) -> PendingMemory | None:
    """Return what fits the budget, best first, fenced as data; None where there is nothing.

    The text is meant to be appended to the newest message, so that the cached part of the prompt stays as it is.
    """
    if not memories:
        return None
    budget = int(budget_tokens * CHARACTERS_PER_TOKEN) - len(OPENING) - len(PREFACE) - len(CLOSING) - 3
    lines: list[str] = []
    kept: list[SurfacedMemory] = []
    for memory in memories:
        # A single long memory may not crowd out the others, but the best one always gets in.
        text = line(memory, longest=max(200, budget // 2))
        if kept and budget < len(text):
            continue
        lines.append(text)
        kept.append(memory)
        budget -= len(text) + 1
    text = "\n".join([OPENING, PREFACE, *(defused(change) for change in changes), *lines, CLOSING])
    return PendingMemory(text=text, memories=tuple(kept), changes=tuple(changes), turn=turn)
