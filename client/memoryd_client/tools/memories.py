"""Tools for memories: search, read, write, forget, recall."""

from typing import Annotated, Literal

from msgspec import Meta, field

from memoryd_client.arguments import end_of_life
from memoryd_client.base.wording import LONGEST_ASKED, quoted
from memoryd_client.relation_words import beside
from memoryd_client.tools.tool import Tool, day, line, provenance, short
from memoryd_client.wire.context import Message
from memoryd_client.wire.edges import GetEdges
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memories import Forget, Get, Read, Remember
from memoryd_client.wire.memory import PERSONAL, Memory, NewMemory, Scope, State
from memoryd_client.wire.pending import Recall
from memoryd_client.wire.request import Ask
from memoryd_client.wire.review import ReviewPairs, SettlePair
from memoryd_client.wire.search import Search

Limit = Annotated[int, Meta(ge=1, le=50)]
MemoryId = Annotated[str, Meta(description="id, may be shortened")]


class MemorySearch(Tool, frozen=True, kw_only=True):
    """Search long-term memory by meaning and words.

    Do this before you answer about earlier work, people, decisions or preferences, and before you write.
    """

    name = "memory_search"
    title = "Search memory"
    default = reads = True

    query: Annotated[str, Meta(description="what to look for, in plain words")]
    limit: Limit = 5
    category: Annotated[str, Meta(description="only this one, e.g. preference")] = ""

    async def answer(self, ask: Ask) -> str:
        """Return hits, a line each."""
        filters = Filters(categories=(self.category,) if self.category else ())
        return await found(ask, self.query, self.limit, filters)


class MemoryRead(Tool, frozen=True, kw_only=True):
    """Read one memory whole: what it says, where it comes from, what contradicts or replaces it."""

    name = "memory_read"
    title = "Read a memory"
    default = reads = True

    id: MemoryId
    offset: Annotated[int, Meta(ge=0)] = 0
    limit: Annotated[int, Meta(ge=1)] = 4_000

    async def answer(self, ask: Ask) -> str:
        """Return a page of its content beneath a line of what is known about it."""
        memory = (await ask(Get(id=self.id))).only
        page = (await ask(Read(id=memory.id, offset=self.offset, limit=self.limit))).page
        lines = [f"{memory.id} [{provenance(memory)}]"]
        edges = (await ask(GetEdges(ids=(memory.id,)))).edges
        told = beside((edge for edge in edges if edge.relation != "related_to"), memory.id)
        lines += [f"{words}: {short(other)}" for words, other in told]
        lines.append(page.content)
        if page.next_offset is not None:
            lines.append(f"[{page.total - page.next_offset} more characters: offset={page.next_offset}]")
        return "\n".join(lines)


class MemoryWrite(Tool, frozen=True, kw_only=True):
    """Remember one thing that stays true beyond this conversation.

    Write one self-contained sentence, with names and dates. When it corrects a memory, say which it replaces. Leave
    out what goes on just now and what you do.
    """

    name = "memory_write"
    title = "Remember"
    default = True

    content: Annotated[str, Meta(min_length=1)]
    category: Annotated[str, Meta(description="fact, preference, rule, correction, procedure, ...")] = "fact"
    scope: Annotated[Literal["project", "global"], Meta(description="global: in every project")] = "project"
    heading: str = field(default="", name="title")
    """`title` is the tool's own."""
    tags: tuple[str, ...] = ()
    replaces: Annotated[str, Meta(description="id of the memory no longer true")] = ""
    related: Annotated[tuple[str, ...], Meta(max_length=3, description="ids of memories")] = ()
    relation: Annotated[str, Meta(description="how: explains, causes, depends_on, part_of, ...")] = "related_to"
    ttl: Annotated[str, Meta(description="forget it after: 12h, 7d, 2w")] = ""

    async def answer(self, ask: Ask) -> str:
        """Store it, join it to others, and retire what it replaces."""
        new = NewMemory(
            content=self.content,
            category=self.category,
            scope=Scope(self.scope),
            title=self.heading,
            tags=self.tags,
            expires_at=end_of_life(self.ttl) if self.ttl else None,
        )
        memory, *retired = (
            await ask(
                Remember(
                    memories=(new,),
                    replaces=self.replaces,
                    related=self.related,
                    relation=self.relation,
                    by_model=True,
                )
            )
        ).memories
        gone = [f"It replaces {short(old.id)}: {line(old.content, 200)}" for old in retired]
        return " ".join([confirmation(memory, new.id), *gone])


class MemoryForget(Tool, frozen=True, kw_only=True):
    """Put a wrong or unwanted memory out of sight; it can be restored. To correct one, use memory_write's replaces."""

    name = "memory_forget"
    title = "Forget a memory"
    default = destroys = True

    id: MemoryId

    async def answer(self, ask: Ask) -> str:
        """Forget it."""
        memory = (await ask(Forget(id=self.id))).only
        return (
            f"Forgotten: {memory.id}: {line(memory.content, 200)}\n`memoryd restore {short(memory.id)}` brings it back."
        )


class MemoryReview(Tool, frozen=True, kw_only=True):
    """List pairs of memories that may say the same or contradict each other, or settle one by ids and verdict.

    Settle what the conversation makes clear; else ask the user.
    """

    name = "memory_review"
    title = "Review memories"
    default = True

    first: MemoryId = ""
    second: str = ""
    verdict: Annotated[
        Literal["", "same", "replaces", "contradicts", "both"],
        Meta(description="same: first is kept; replaces: first is true now; both: both are true"),
    ] = ""

    async def answer(self, ask: Ask) -> str:
        """Return pairs, or what became of one."""
        if not self.verdict:
            waiting = await ask(ReviewPairs())
            lines = [
                f"{number}. {short(pair.first.id)} [{provenance(pair.first)}] {line(pair.first.content)}\n"
                f"   {short(pair.second.id)} [{provenance(pair.second)}] {line(pair.second.content)}"
                for number, pair in enumerate(waiting.pairs, start=1)
            ]
            return "\n".join([*lines, *(["There are more."] if waiting.more else [])]) or "No pair waits."
        done = await ask(SettlePair(first=self.first, second=self.second, verdict=self.verdict))
        undone = f" `memoryd undo {done.operation}` takes it back." if done.operation else ""
        return f"Settled: {short(done.first.id)} {self.verdict} {short(done.second.id)}.{undone}"


class RecallNow(Tool, frozen=True, kw_only=True):
    """Have memory judge what is relevant to a situation, and return only that."""

    name = "recall"
    title = "Recall"
    reads = True

    context: Annotated[str, Meta(min_length=1, description="what is being done or asked")]

    async def answer(self, ask: Ask) -> str:
        """Return what the judge keeps."""
        pending = (await ask(Recall(messages=(Message("user", self.context),)), 60.0)).pending
        return pending.text if pending else "Nothing in memory is relevant to this."


async def found(ask: Ask, query: str, limit: int, filters: Filters) -> str:
    """Return what a search finds, a line each."""
    answer = await ask(Search(query=query, limit=limit, filters=filters))
    hits, note = answer.hits, f"[{answer.note}]" if answer.note else ""
    if not hits:
        return f"Nothing found. Try other words, or session_search for what was said. {note}".rstrip()
    lines: list[str] = []
    for hit in hits:
        lines.append(f"- [{hit.category}, {day(hit.timestamp)}, {hit.scope}, {short(hit.id)}] {line(hit.summary)}")
        lines += [
            f"  - {one.reason}: [{day(one.timestamp)}, {short(one.id)}] {line(one.summary)}" for one in hit.related
        ]
    lines += [note] if note else []
    return "\n".join([f"{len(hits)} found, best first; memory_read shows one whole:", *lines])


def confirmation(memory: Memory, new_id: str) -> str:
    """Say what became of something that was to be remembered."""
    if memory.state is State.PROPOSED:
        asks, about = quoted(line(memory.content, LONGEST_ASKED)), " about you" if memory.category in PERSONAL else ""
        return (
            f"Waits for the user's yes: {memory.id} [{memory.category}, {memory.scope}]. Ask them in these "
            f"words, as the last question of your answer: May I remember{about}: {asks}? Their yes or no decides."
        )
    if memory.state is State.FORGOTTEN:
        how = "The user said no to this, or it was forgotten; it is not kept:"
    elif not memory.active and memory.id == new_id and memory.superseded_by:
        how = (
            f"Kept, but not in force: the user's word stands against it ({short(memory.superseded_by)}, see "
            "memory_read). If that no longer holds, ask the user, who alone can change it:"
        )
    elif not memory.active:
        by = f" by {short(memory.superseded_by)}" if memory.superseded_by else ""
        how = f"Known already, but no longer in force ({memory.state}{by}):"
    elif memory.id != new_id:
        how = "Known already, and confirmed:"
    else:
        how = "Remembered:"
    return f"{how} {memory.id} [{memory.category}, {memory.scope}] {line(memory.content, 200)}"
