"""A memory in one line of words: its summary, whose it is, where it comes from."""

from memoryd_actors.memory.settings import DERIVED, DOCUMENT, HEADING, KNOWLEDGE, LINES, PAGES, PATH, PROCEDURES
from memoryd_actors.texts.fence import one_line
from memoryd_actors.texts.stems import stem_set
from memoryd_client.wire.memory import Memory, Source
from memoryd_client.wire.pending import SurfacedMemory

MAX_SUMMARY = 200
MAX_LABEL = 60
"""Characters of a category, a speaker, a session in the head of a memory."""
SESSION = ", session "
"""Between who said it and where, in a memory's provenance."""
MOST_POINTS = 2
"""Of an episode that is recalled."""
LEFT_OUT = "(the rest is in the file)"
_POINTS, _OUTCOME = "\nSummary:\n", "Outcome: "
MAX_PROVENANCE = 2 * MAX_LABEL + len(SESSION)


def summary(memory: Memory) -> str:
    """Return the title, or the beginning of the content, in one line of at most 200 characters."""
    if memory.category == KNOWLEDGE and memory.title:
        return one_line(f"{memory.title}: {memory.content}", MAX_SUMMARY)
    return one_line(memory.title, MAX_SUMMARY) or one_line(memory.content, MAX_SUMMARY)


def voice(memory: Memory) -> str:
    """Say in words whose memory it is; of what an agent has the user say, that an agent tells it."""
    speaker = one_line(memory.speaker, MAX_LABEL)
    if memory.told_by_agent:
        return f"{speaker}, told by an agent"
    return speaker or {
        Source.USER: "the user",
        Source.AGENT: "an agent",
        Source.EXTRACTED: "extracted from a conversation",
        Source.IMPORTED: "imported",
    }.get(memory.source, memory.source.value)


def provenance(memory: Memory) -> str:
    """Say in words where a memory comes from."""
    if memory.metadata.get(DOCUMENT):
        return one_line(document_source(memory), MAX_PROVENANCE)
    if memory.metadata.get(PATH):
        # It names the day and what it was about, and is read whole under it.
        return one_line(f"{voice(memory)}, file {memory.metadata[PATH]}", MAX_PROVENANCE)
    session = one_line(memory.session, MAX_LABEL)
    return f"{voice(memory)}{SESSION}{session}" if session else voice(memory)


def document_source(memory: Memory) -> str:
    """Return where a passage stands: file, lines or pages, and heading."""
    path = memory.metadata[DOCUMENT].removeprefix(f"{memory.project}/" if memory.project else "")
    lines, pages = memory.metadata.get(LINES, ""), memory.metadata.get(PAGES, "")
    place = f":{_span(lines)}" if lines else f" p. {_span(pages)}" if pages else ""
    heading = memory.metadata.get(HEADING, "")
    # Of a path its end says most.
    short = path if len(path) <= MAX_LABEL else f"…{path[-MAX_LABEL:]}"
    return f"{short}{place} ({heading})" if heading else f"{short}{place}"


def _span(numbers: str) -> str:
    first, _, last = numbers.partition("-")
    return first if first == last else numbers


def told_shortly(memory: Memory, request: str) -> str:
    """Return an episode with a path as it is recalled: its title, its outcome and the points nearest to a request.

    The rest is read under its path, which stands beside it. Every other memory is told whole, and a procedure with what
    it is for.
    """
    if memory.category in PROCEDURES and memory.title and memory.title.casefold() not in memory.content.casefold():
        return f"{memory.title}:\n{memory.content}"
    if memory.category not in DERIVED or not memory.metadata.get(PATH):
        return memory.content
    head, _, body = memory.content.partition(_POINTS)
    points = [line for line in body.splitlines() if line.strip()]
    if len(points) <= MOST_POINTS:
        return memory.content
    asked = stem_set(request)
    near = sorted(range(len(points)), key=lambda number: (-len(asked & stem_set(points[number])), number))[:MOST_POINTS]
    outcome = [line for line in head.splitlines() if line.startswith(_OUTCOME)]
    return "\n".join([memory.title, *outcome, *(points[number] for number in sorted(near)), LEFT_OUT])


def surfaced(memory: Memory, *, score: float, reason: str, request: str | None = None) -> SurfacedMemory:
    """Return a memory as it is handed to an agent, an episode shortly where it is for a `request`."""
    return SurfacedMemory(
        id=memory.id,
        content=memory.content if request is None else told_shortly(memory, request),
        score=round(score, 4),
        reason=reason,
        category=memory.category,
        trust=memory.trust,
        date=memory.occurred_at or memory.created_at,
        provenance=provenance(memory),
    )
