"""Tools for what was said: search it, and let a summary take the place of what was said long ago."""

from typing import Annotated

from msgspec import Meta

from memoryd_client.base.wording import counted
from memoryd_client.requests import search_messages
from memoryd_client.tools.memories import Limit
from memoryd_client.tools.tool import Tool, line
from memoryd_client.wire.request import Ask
from memoryd_client.wire.session_context import Compact


class SessionSearch(Tool, frozen=True, kw_only=True):
    """Search what was said in this and earlier conversations, by meaning, words or date; without a query the newest."""

    name = "session_search"
    title = "Search conversations"
    default = reads = True

    query: str = ""
    since: Annotated[str, Meta(description="ISO date")] = ""
    until: str = ""
    session: Annotated[str, Meta(description="only this one")] = ""
    limit: Limit = 5

    async def answer(self, ask: Ask) -> str:
        """Return messages, a line each, with who said them when."""
        request = search_messages(
            self.query,
            since=self.since or None,
            until=self.until or None,
            session=self.session,
            limit=self.limit,
        )
        reply = await ask(request)
        lines = [
            f"- [{record.at:%Y-%m-%d %H:%M}, session {line(record.session, 60)}, {record.sequence}, "
            f"{record.name or record.role}] {line(record.content, 600)}"
            for record in (message.record for message in reply.found)
        ]
        return "\n".join([*filter(None, [reply.note]), *lines]) or "Nothing like it was said. Try other words or dates."


class SummarizeConversation(Tool, frozen=True, kw_only=True):
    """Let a summary take the place of the older part of a conversation, by default this one; nothing is deleted."""

    name = "summarize_conversation"
    title = "Summarize the conversation"

    session: str = ""

    async def answer(self, ask: Ask) -> str:
        """Compact it."""
        done = await ask(Compact(session=self.session), 300.0)
        if not done.entries:
            return "There was nothing to summarize: the conversation is short enough."
        sizes = f"{done.tokens_before} tokens in {done.tokens_after}"
        return f"Summarized: {counted(done.entries, 'entry')}, {sizes}:\n{done.summary}"
