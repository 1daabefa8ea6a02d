"""Sessions: what was said, what was made of it, and what an agent would be sent of it."""

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, OptionList, Static

from memoryd_cli.base.output import printable
from memoryd_cli.ui.backend import Backend
from memoryd_cli.ui.page import Details, Rows, UiScreen
from memoryd_cli.ui.plots import shares
from memoryd_cli.ui.words import HEAD, LIGHT, head, line, message, moment
from memoryd_client.base.wording import counted
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.session_context import SessionContext
from memoryd_client.wire.transcripts import FoundMessage, SessionInfo, Transcript, TranscriptRecord

PAGE = 50
ENTRIES = 60
FOUND = 50
AROUND = 2
"""Messages before one that was found, so that it is to be seen in a small terminal, too."""
TYPING_S = 0.3
TOLD_IN = ("episode", "session_summary", "insight")
"""Categories in which a session is told."""
LEAST_BUDGET, MOST_BUDGET = 512, 1_000_000
WIDEST_BAR = 60


class SessionsScreen(UiScreen):
    """The sessions, the latest first; of the chosen one its messages, its episodes, or its context."""

    NAME = "sessions"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", tooltip="searches in what was said anywhere"),
        Binding("m", "look('messages')", "Messages", tooltip="shows the messages"),
        Binding("e", "look('told')", "Episodes", tooltip="shows the summary and the episodes"),
        Binding("c", "look('context')", "Context", tooltip="shows what an agent would be sent of it"),
        Binding("left_square_bracket", "earlier", "Earlier", tooltip="goes back in the messages"),
        Binding("right_square_bracket", "later", "Later", tooltip="goes on in the messages"),
        Binding("minus", "budget(-1)", "Less", tooltip="halves the budget of what would be sent"),
        Binding("plus", "budget(1)", "More", tooltip="doubles it"),
        ("escape", "back", "Back"),
    ]

    def __init__(self, backend: Backend) -> None:
        super().__init__(backend)
        self._look = "messages"
        self._sessions: dict[str, SessionInfo] = {}
        self._complete = False
        """Whether every session was fetched."""
        self._found: dict[str, FoundMessage] = {}
        """What was searched for, by its row."""
        self._budget: int | None = None
        self._typing: Timer | None = None
        self._query = ""
        """What the list shows the answer to."""
        self._first = 0
        """The number of the first entry that is shown; 0: nothing is."""
        self._last = 0

    def body(self) -> ComposeResult:
        """Yield the search, the list and what is known of the chosen session."""
        yield Input(placeholder="Search in what was said", compact=True)
        yield Static(id="about", markup=False)
        with Container(classes="split"):
            yield Rows()
            yield Details()

    def on_mount(self) -> None:
        """Begin in the list."""
        super().on_mount()
        self.query_one(Rows).focus()

    # --- the list

    def reload(self) -> None:
        """Fetch the latest sessions, or search."""
        self._fetch()

    @work(exclusive=True, group="list")
    async def _fetch(self) -> None:
        query = self.query_one(Input).value.strip()
        if query:
            found = await self.ask(self.backend.client.search_messages(query, limit=FOUND, related=True))
            if found is None:
                return
            self._found = {f"{one.record.session} {one.record.sequence}": one for one in found.found}
            self.query_one(Rows).fill(
                ((key, _found_row(one)) for key, one in self._found.items()), fresh=self._is_new(query)
            )
            told = found.note or f"{counted(len(self._found), 'message')}, the nearest first"
        else:
            self._found = {}
            sessions = await self.ask(self.backend.client.sessions(limit=PAGE))
            if sessions is None:
                return
            self._complete = len(sessions) < PAGE
            self._sessions = {one.session: one for one in sessions}
            self.query_one(Rows).fill(((one.session, _session_row(one)) for one in sessions), fresh=self._is_new(query))
            told = f"{counted(len(sessions), 'session')}{'' if self._complete else ', and more'}"
        self.query_one("#about", Static).update(Content.styled(line(told), LIGHT))
        self._show()

    def _is_new(self, query: str) -> bool:
        """Return whether the list shows the answer to another query until now."""
        before, self._query = self._query, query
        return query != before

    @work(exclusive=True, group="more")
    async def _load_more(self) -> None:
        self._complete = True
        sessions = await self.ask(self.backend.client.sessions(limit=PAGE, offset=len(self._sessions)))
        if sessions is None:
            self._complete = False
            return
        self._complete = len(sessions) < PAGE
        # One that was spoken in meanwhile has moved up, and stands in the list already.
        new = [one for one in sessions if one.session not in self._sessions]
        self._sessions.update((one.session, one) for one in new)
        self.query_one(Rows).extend((one.session, _session_row(one)) for one in new)

    @on(Input.Changed)
    def type(self) -> None:
        """Search once nobody types for a moment."""
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(TYPING_S, self.reload)

    @on(Input.Submitted)
    def enter(self) -> None:
        """Go to what was found."""
        self.query_one(Rows).focus()

    @on(OptionList.OptionHighlighted)
    def choose(self, event: OptionList.OptionHighlighted) -> None:
        """Show what was chosen, and fetch more sessions near the end."""
        self._show()
        if not self._found and not self._complete and event.option_index >= len(self._sessions) - 5:
            self._load_more()

    def action_search(self) -> None:
        """Go to the search."""
        self.query_one(Input).focus()

    def action_back(self) -> None:
        """Go back to the list; once there, away with the search."""
        if self.query_one(Rows).has_focus:
            self.query_one(Input).value = ""
        self.query_one(Rows).focus()

    # --- the chosen one

    @property
    def _session(self) -> str:
        chosen = self.query_one(Rows).chosen
        return self._found[chosen].record.session if chosen in self._found else chosen

    def action_look(self, at: str) -> None:
        """Look at the messages, at what was made of them, or at what would be sent."""
        self._look = at
        self._show()

    def _show(self) -> None:
        self.refresh_bindings()
        session = self._session
        if not session:
            self.query_one(Details).show("Nothing was found." if self._found else "Nothing was said yet.")
        elif self._look == "told":
            self._show_told(session)
        elif self._look == "context":
            self._show_context(session)
        else:
            found = self._found.get(self.query_one(Rows).chosen)
            self._show_messages(session, after=max(0, found.record.sequence - AROUND) if found else None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the keys of what is looked at only."""
        if action in {"earlier", "later"}:
            return self._look == "messages"
        if action == "budget":
            return self._look == "context"
        return True

    @work(exclusive=True, group="details")
    async def _show_messages(self, session: str, *, before: int | None = None, after: int | None = None) -> None:
        found = await self.ask(self.backend.client.messages(session, before=before, after=after, limit=ENTRIES))
        if found is None:
            return
        self._first = found.entries[0].sequence if found.entries else 0
        self._last = found.entries[-1].sequence if found.entries else 0
        marked = self._found.get(self.query_one(Rows).chosen)
        latest = before is None and after is None
        text = _messages(session, found, marked.record.sequence if marked else 0)
        self.query_one(Details).show(text, end=latest)

    def action_earlier(self) -> None:
        """Show what was said before."""
        if self._first > 1:
            self._show_messages(self._session, before=self._first)

    def action_later(self) -> None:
        """Show what was said after."""
        if self._last:
            self._show_messages(self._session, after=self._last)

    @work(exclusive=True, group="details")
    async def _show_told(self, session: str) -> None:
        client = self.backend.client
        narrowed = client.list(limit=PAGE, scope="everywhere", session=session, categories=TOLD_IN)
        told = await self.ask(narrowed)
        known = self._sessions.get(session)
        summary: tuple[TranscriptRecord, ...] = ()
        if known is not None and known.summary:
            found = await self.ask(client.messages(session, after=known.summary - 1, limit=1))
            summary = found.entries if found else ()
        if told is not None:
            self.query_one(Details).show(_told(session, told, summary))

    @work(exclusive=True, group="details")
    async def _show_context(self, session: str) -> None:
        context = await self.ask(self.backend.client.build_context(self._budget, session=session))
        if context is not None:
            self._budget = context.budget
            details = self.query_one(Details)
            width = max(8, min(WIDEST_BAR, details.size.width - 4))
            details.show(_context(context, width))

    def action_budget(self, direction: int) -> None:
        """Look at half or twice the budget."""
        budget = self._budget or 8_000
        self._budget = max(LEAST_BUDGET, min(MOST_BUDGET, budget * 2 if direction > 0 else budget // 2))
        self._show()


def _session_row(one: SessionInfo) -> Content:
    who = ", ".join(filter(None, (one.agent, one.project.rstrip("/").rpartition("/")[2])))
    return Content.assemble(
        (f"{moment(one.updated_at)[5:]} ", LIGHT),
        line(one.session),
        (f"  {line(who)}, {counted(one.messages, 'message')}", LIGHT),
    )


def _found_row(one: FoundMessage) -> Content:
    return Content.assemble(
        (f"{moment(one.record.at)[5:10]} ", LIGHT),
        (f"{line(one.record.session)[:12]:<12} ", "$text-accent"),
        line(one.record.content),
    )


def _messages(session: str, found: Transcript, marked: int) -> Content:
    parts = [Content.styled(f"{printable(session)}\n", "bold")]
    if found.entries:
        span = f"{found.entries[0].sequence} to {found.entries[-1].sequence} of {found.last}"
        missing = f", {found.missing} cannot be read" if found.missing else ""
        parts.append(Content.styled(f"entries {span}{missing}; [ goes back, ] goes on\n\n", LIGHT))
    for one in found.entries:
        mark = ("> ", "bold $text-warning") if one.sequence == marked else ""
        parts.append(Content.assemble((f"{moment(one.at)[5:]} ", LIGHT), mark, message(one)))
    return Content.assemble(*parts)


def _told(session: str, told: list[Memory], summary: tuple[TranscriptRecord, ...]) -> Content:
    parts = [Content.styled(f"{printable(session)}\n", "bold"), head("Summary of what was compacted")]
    parts += [Content(f"{printable(one.content)}\n") for one in summary]
    if not summary:
        parts.append(Content.styled("Nothing was compacted yet.\n", LIGHT))
    parts.append(head("Episodes, summaries and insights", len(told)))
    for one in told:
        parts.append(
            Content.assemble((f"{line(one.category)}, {moment(one.created_at)}\n", HEAD), f"{printable(one.content)}\n")
        )
    if not told:
        parts.append(Content.styled("An episode is written when the session is over.\n", LIGHT))
    return Content.assemble(*parts)


def _context(context: SessionContext, width: int) -> Content:
    sizes = [(section.kind, section.tokens) for section in context.sections]
    spoken = max(0, context.tokens - sum(size for _, size in sizes))
    parts = [*sizes, ("messages", spoken)]
    counted = "" if context.counted else ", estimated"
    found = [
        Content.styled(f"{printable(context.session)}\n", "bold"),
        Content.styled(f"{context.tokens:,} of {context.budget:,} tokens{counted}\n\n", LIGHT),
    ]
    pieces = shares(parts, context.budget, width)
    styles = ["$text-primary", "$text-warning", "$text-success", "$text-accent", "$text-secondary"]
    shaded = [
        (piece, LIGHT if name == "free" else styles[place % len(styles)]) for place, (name, piece) in enumerate(pieces)
    ]
    found += [Content.assemble(*shaded, "\n\n")]
    free = max(0, context.budget - context.tokens)
    for (name, piece), (_, style), tokens in zip(pieces, shaded, [*(size for _, size in parts), free], strict=True):
        found.append(Content.assemble((f"{piece[:1] or ' '} ", style), f"{name:<10}{tokens:>10,}\n"))
    if context.left_out:
        found.append(head("No room for"))
        found += [Content(f"{printable(one)}\n") for one in context.left_out]
    for section in context.sections:
        found += [head(section.kind), Content(f"{printable(section.text)}\n")]
    found.append(head("messages", len(context.entries)))
    for entry in context.entries:
        who = entry.name or entry.role or entry.kind.replace("_", " ")
        found.append(
            Content.assemble(
                (f"{printable(who)} ", "bold $text-accent"),
                (f"{entry.tokens} tokens: ", LIGHT),
                line(entry.content),
                "\n",
            )
        )
    return Content.assemble(*found)
