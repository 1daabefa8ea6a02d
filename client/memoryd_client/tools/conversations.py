"""Tools for what was said: search it, and let a summary take the place of what was said long ago."""

from typing import Annotated

from msgspec import Meta

from memoryd_client.base.wording import counted
from memoryd_client.requests import search_messages
from memoryd_client.tools.memories import Limit
from memoryd_client.tools.tool import Tool, day, line
from memoryd_client.wire.archiving import (
    ArchiveTurns,
    ListTurnSummaries,
    SummarizeTurns,
    TurnSummaries,
    TurnSummary,
)
from memoryd_client.wire.request import Ask
from memoryd_client.wire.session_context import Compact


class SessionSearch(Tool, frozen=True, kw_only=True):
    """Search what was said in this project's conversations, by meaning, words or date; without a query the newest."""

    name = "session_search"
    title = "Search conversations"
    default = reads = True

    query: str = ""
    since: Annotated[str, Meta(description="ISO date")] = ""
    until: str = ""
    session: Annotated[str, Meta(description="only this one")] = ""
    everywhere: Annotated[bool, Meta(description="also other projects")] = False
    search_archived: Annotated[bool, Meta(description="also what was summarised")] = True
    limit: Limit = 5

    async def answer(self, ask: Ask) -> str:
        """Return messages, a line each, with who said them when."""
        request = search_messages(
            self.query,
            since=self.since or None,
            until=self.until or None,
            session=self.session,
            scope="everywhere" if self.everywhere else "project",
            search_archived=self.search_archived,
            related=True,
            limit=self.limit,
        )
        reply = await ask(request)
        lines = [
            f"- [{record.at:%Y-%m-%d %H:%M}, session {line(record.session, 60)}, {record.sequence}, "
            f"{record.who}] {line(record.content, 600)}"
            for record in (message.record for message in reply.found)
        ]
        if not lines:
            hint = "other words or dates" if self.everywhere or self.session else "other words or dates, or everywhere"
            lines = [f"Nothing like it was said. Try {hint}."]
        if reply.left_out:
            lines.append(f"({counted(reply.left_out, 'message')} left out: little to do with it.)")
        return "\n".join([*filter(None, [reply.note]), *lines])


class SummarizeConversation(Tool, frozen=True, kw_only=True):
    """Tell turns of a conversation shortly, as a record of its own; without turns: compact what is oldest.

    A turn is what the user says and all that follows, counted from 1. Without a start, or from 0: from the first;
    without an end: to the last. Nothing is deleted. Do this when the context fills, then archive_old_messages.
    """

    name = "summarize_conversation"
    title = "Summarize the conversation"
    found_by = "view_summaries"

    start_turn: Annotated[int, Meta(ge=0)] | None = None
    end_turn: Annotated[int, Meta(ge=1)] | None = None
    focus: Annotated[str, Meta(description="decisions, facts, context, all, or what matters most")] = ""
    session: Annotated[str, Meta(description="by default this one")] = ""

    async def answer(self, ask: Ask) -> str:
        """Summarise or compact it."""
        if self.start_turn is None and self.end_turn is None:
            done = await ask(Compact(session=self.session), 300.0)
            if not done.entries:
                return "There was nothing to summarize: the conversation is short enough."
            sizes = f"{done.tokens_before} tokens in {done.tokens_after}"
            return f"{done.entries} entries are summarized, {sizes}:\n{done.summary}"
        request = SummarizeTurns(
            start_turn=self.start_turn or 1, end_turn=self.end_turn or 0, focus=self.focus, session=self.session
        )
        reply = await ask(request, 300.0)
        return "\n".join(map(_told, reply.summaries))


class ArchiveOldMessages(Tool, frozen=True, kw_only=True):
    """Let summaries take the place of all turns before one; refused where some of them have no summary.

    What is archived is found by session_search still.
    """

    name = "archive_old_messages"
    title = "Archive old messages"
    found_by = "view_summaries"

    before_turn: Annotated[int, Meta(ge=1)]
    session: str = ""

    async def answer(self, ask: Ask) -> str:
        """Archive them, and say how things stand."""
        reply = await ask(ArchiveTurns(before_turn=self.before_turn, session=self.session), 300.0)
        stays = reply.archived_turns < self.before_turn - 1
        waits = f" Turn {reply.archived_turns + 1} has no answer yet, and stays." if stays else ""
        return _statistics(reply) + waits


class ViewSummaries(Tool, frozen=True, kw_only=True):
    """Show what of a conversation is summarised and archived: turns, dates, key facts, and how much is archived."""

    name = "view_summaries"
    title = "View summaries"
    reads = True

    session: str = ""

    async def answer(self, ask: Ask) -> str:
        """Return the summaries, and how things stand."""
        reply = await ask(ListTurnSummaries(session=self.session))
        return "\n\n".join([*map(_told, reply.summaries), _statistics(reply)])


def _told(one: TurnSummary) -> str:
    head = f"[turns {one.turns[0]} to {one.turns[1]}, {day(one.since)} to {day(one.until)}"
    head += f", above all {line(one.focus, 60)}" if one.focus else ""
    head += f", by {line(one.by, 60)}{', archived' if one.archived else ''}]"
    others = (f"(Another summary, of turns {a} to {b}, tells some of these turns as well.)" for a, b in one.overlaps)
    return "\n".join(filter(None, (head, one.summary, *(f"- {fact}" for fact in one.key_facts), *others)))


def _statistics(reply: TurnSummaries) -> str:
    archived = f"{reply.total_archived} entries are archived, up to turn {reply.archived_turns}"
    when = f", last on {day(reply.last_archived_at)}" if reply.last_archived_at else ""
    return (
        f"The session {line(reply.session, 60)} has {reply.turns} turns, summarised without a gap up to turn "
        f"{reply.last_summarized_turn}; {archived}{when}."
    )
