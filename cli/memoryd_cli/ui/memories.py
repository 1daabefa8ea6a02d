"""Memories: found as one types, with all that is known of the chosen one."""

from collections.abc import Sequence
from typing import ClassVar, Literal, cast

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, OptionList, Static

from memoryd_cli.ui.backend import Backend
from memoryd_cli.ui.changing import ChangingScreen
from memoryd_cli.ui.dialogs import Choice, ChoiceDialog
from memoryd_cli.ui.page import Details, Rows
from memoryd_cli.ui.words import LIGHT, found_row, line, memory_details, memory_row
from memoryd_client.base.errors import MemorydError
from memoryd_client.requests import Narrowing
from memoryd_client.wire.memory import Memory, State
from memoryd_client.wire.origin import Origin
from memoryd_client.wire.transcripts import TranscriptRecord

PAGE = 100
"""Memories that are fetched at a time."""
FOUND = 100
TYPING_S = 0.25
"""After so long without a key the search begins."""
MOST_MESSAGES = 20
"""Of those that a memory rests on."""
SCOPES: Sequence[Choice] = (
    ("all", "this project and global"),
    ("project", "this project"),
    ("global", "global"),
    ("everywhere", "every project"),
)
STATES: Sequence[Choice] = (
    ("active", "active"),
    *((state.value, state.value) for state in State if state != "active"),
    ("", "any"),
)
PINNED: Sequence[Choice] = (("", "pinned or not"), ("yes", "pinned only"))
_Scope = Literal["all", "project", "global", "everywhere"]


class MemoriesScreen(ChangingScreen):
    """The newest memories, or what was searched for, a page at a time."""

    NAME = "memories"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "pin", "Pin", tooltip="pins, or unpins: what is pinned does not decay"),
        Binding("d", "forget", "Forget", tooltip="forgets"),
        Binding("r", "restore", "Restore", tooltip="brings back what is forgotten or replaced"),
        Binding("x", "purge", "Purge", tooltip="destroys for good; shows first what goes with it"),
        Binding("slash", "search", "Search", tooltip="searches as you type"),
        Binding("f", "filter", "Filter", tooltip="narrows by scope, state, category, tag, agent, session"),
        Binding("o", "follow", "Open", tooltip="opens a memory that this one is related to"),
        ("escape", "back", "Back"),
    ]

    def __init__(self, backend: Backend) -> None:
        super().__init__(backend)
        self._filter = {
            "scope": "all",
            "state": "active",
            "category": "",
            "tag": "",
            "agent": "",
            "session": "",
            "pinned": "",
        }
        self._memories: dict[str, Memory] = {}
        """Those that were listed, by id."""
        self._next = ""
        """Where the next page begins; empty at the end."""
        self._shown: Origin | None = None
        self._opened = ""
        """A memory that is shown though another one is highlighted."""
        self._typing: Timer | None = None
        self._stale = False
        """Whether something was written while another screen was looked at."""
        self._query = ""
        """What the list shows the answer to."""

    def body(self) -> ComposeResult:
        """Yield the search, the filters, the list and the text."""
        yield Input(placeholder="Search by meaning or words", compact=True)
        yield Static(id="about", markup=False)
        with Container(classes="split"):
            yield Rows()
            yield Details()

    def on_mount(self) -> None:
        """Begin in the list, and show what is written meanwhile."""
        super().on_mount()
        self.follow(self.backend.on_write, self._written)
        self.query_one(Rows).focus()
        self._tell()

    # --- the list

    def _written(self) -> None:
        """Show the list anew, unless that would take pages away, or the screen is not looked at."""
        if not self.is_current:
            self._stale = True
        elif self.query_one(Rows).option_count <= PAGE:
            self.reload()

    def on_screen_resume(self) -> None:
        """Show what was written since."""
        super().on_screen_resume()
        if self._stale:
            self._stale = False
            self._written()

    async def fetch(self, *, choose: str = "") -> None:
        """Fetch the first page anew, or search."""
        query = self.query_one(Input).value.strip()
        rows = self.query_one(Rows)
        if query:
            hits = await self.ask(self.backend.client.search(query, limit=FOUND, **self._narrowing()))
            if hits is None:
                return
            self._next = ""
            rows.fill(
                ((hit.id, found_row(hit.category, hit.summary, hit.score)) for hit in hits),
                fresh=self._is_new(query),
                choose=choose,
            )
        else:
            memories = await self.ask(self.backend.client.list(limit=PAGE, passages=False, **self._narrowing()))
            if memories is None:
                return
            self._next = memories[-1].id if len(memories) == PAGE else ""
            rows.fill(self._rows(memories), fresh=self._is_new(query), choose=choose)
        self._tell()
        self._show(self._opened or rows.chosen)

    def _is_new(self, query: str) -> bool:
        """Return whether the list shows the answer to another query until now."""
        before, self._query = self._query, query
        return query != before

    @work(exclusive=True, group="more")
    async def _load_more(self) -> None:
        before, self._next = self._next, ""
        memories = await self.ask(
            self.backend.client.list(limit=PAGE, before=before, passages=False, **self._narrowing())
        )
        if memories is None:
            self._next = before
            return
        self._next = memories[-1].id if len(memories) == PAGE else ""
        self.query_one(Rows).extend(self._rows(memories))
        self._tell()

    def _rows(self, memories: Sequence[Memory]) -> list[tuple[str, Content]]:
        self._memories.update((memory.id, memory) for memory in memories)
        return [(memory.id, memory_row(memory)) for memory in memories]

    def _narrowing(self) -> Narrowing:
        chosen = self._filter
        found = Narrowing(
            scope=cast("_Scope", chosen["scope"]),
            states=(chosen["state"],) if chosen["state"] else tuple(state.value for state in State),
        )
        if chosen["category"]:
            found["category"] = chosen["category"]
        if chosen["tag"]:
            found["tags"] = (chosen["tag"],)
        if chosen["agent"]:
            found["stored_by"] = chosen["agent"]
        if chosen["session"]:
            found["session"] = chosen["session"]
        if chosen["pinned"]:
            found["pinned"] = True
        return found

    def _tell(self) -> None:
        scopes, states = dict(SCOPES), dict(STATES)
        rest = [
            f"{kind} {self._filter[kind]}" for kind in ("category", "tag", "agent", "session") if self._filter[kind]
        ]
        rest += ["pinned"] if self._filter["pinned"] else []
        count = f"{self.query_one(Rows).option_count}{'+' if self._next else ''} shown"
        told = ", ".join((scopes[self._filter["scope"]], states[self._filter["state"]], *rest, count))
        self.query_one("#about", Static).update(Content.styled(line(told), LIGHT))

    @on(Input.Changed)
    def type(self) -> None:
        """Search once nobody types for a moment."""
        if self._typing is not None:
            self._typing.stop()
        self._opened = ""
        self._typing = self.set_timer(TYPING_S, self.reload)

    @on(Input.Submitted)
    def enter(self) -> None:
        """Go to what was found."""
        self.query_one(Rows).focus()

    @on(OptionList.OptionHighlighted)
    def choose(self, event: OptionList.OptionHighlighted) -> None:
        """Show the memory, and fetch the next page near the end of this one."""
        self._opened = ""
        self._show(event.option.id or "")
        if self._next and event.option_index >= self.query_one(Rows).option_count - 10:
            self._load_more()

    def action_search(self) -> None:
        """Go to the search."""
        self.query_one(Input).focus()

    def action_back(self) -> None:
        """Go back to the list; once there, away with the search."""
        if self.query_one(Rows).has_focus:
            self.query_one(Input).value = ""
        self.query_one(Rows).focus()

    @work
    async def action_filter(self) -> None:
        """Show some memories only."""
        seen = self._memories.values()
        groups: dict[str, Sequence[Choice]] = {
            "scope": SCOPES,
            "state": STATES,
            "pinned": PINNED,
            "category": _values({memory.category for memory in seen}),
            "tag": _values({tag for memory in seen for tag in memory.tags}),
            "agent": _values({memory.agent for memory in seen}),
            "session": _values({memory.session for memory in seen}),
        }
        choice = await self.app.push_screen_wait(ChoiceDialog("Show only", groups, self._filter))
        if choice is not None:
            self._filter[choice[0]] = choice[1]
            self._tell()
            self.reload()

    # --- the chosen one

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what can be done with the memory that is shown only."""
        if action not in {"edit", "pin", "forget", "restore", "purge", "follow"}:
            return True
        if self._shown is None:
            return False
        active = self._shown.memory.active
        return {"pin": active, "forget": active, "restore": not active, "follow": bool(self._shown.others)}.get(
            action, True
        )

    async def current(self) -> Memory | None:
        """Return the memory that is shown."""
        memory_id = self._opened or self.query_one(Rows).chosen
        return await self.ask(self.backend.client.get(memory_id)) if memory_id else None

    @work(exclusive=True, group="details")
    async def _show(self, memory_id: str) -> None:
        details = self.query_one(Details)
        if not memory_id:
            self._shown = None
            self.refresh_bindings()
            details.show("No memory passes. Another search or filter may find some; `memoryd add TEXT` stores one.")
            return
        try:
            origin = await self.answer(self.backend.client.origin(memory_id))
            said = await self.answer(self._said(origin.memory))
        except MemorydError as problem:
            details.show(str(problem))
            return
        again = self._shown is not None and self._shown.memory.id == memory_id
        self._shown = origin
        self.refresh_bindings()
        details.show(memory_details(origin, said), top=not again)

    async def _said(self, memory: Memory) -> Sequence[TranscriptRecord]:
        """Return the messages that a memory rests on."""
        if not memory.session or memory.source_messages is None:
            return ()
        first, last = memory.source_messages
        limit = max(1, min(last - first + 1, MOST_MESSAGES))
        return (await self.backend.client.messages(memory.session, after=max(0, first - 1), limit=limit)).entries

    @work
    async def action_follow(self) -> None:
        """Show a memory that this one is related to."""
        if self._shown is None or not self._shown.others:
            self.say("It is related to no other memory.")
            return
        values = [(other.id, other.title or other.content) for other in self._shown.others]
        choice = await self.app.push_screen_wait(ChoiceDialog("Open", {"related": values}))
        if choice is not None:
            self._opened = choice[1]
            self._show(self._opened)


def _values(found: set[str]) -> list[Choice]:
    return [("", "any"), *((value, value) for value in sorted(found - {""}))]
