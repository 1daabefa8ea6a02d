"""Live: each turn of each session as it happens."""

from datetime import datetime
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.widgets import OptionList, Static

from memoryd_cli.ui.backend import Backend
from memoryd_cli.ui.page import Details, Rows, UiScreen
from memoryd_cli.ui.turns import LiveTurn, TurnFilter
from memoryd_cli.ui.words import LIGHT, line, turn_details, turn_row
from memoryd_client.base.errors import MemorydError
from memoryd_client.base.wording import counted

KINDS = ("session", "project", "agent")


class LiveScreen(UiScreen):
    """The latest turns, the newest at the bottom, and all that is known of the chosen one."""

    NAME = "live"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pause", "Pause", tooltip="shows no new turns, or goes on"),
        Binding("f", "filter", "Filter", tooltip="shows one session, project or agent only"),
        Binding("c", "clear", "Clear filter", tooltip="shows all turns"),
    ]

    def __init__(self, backend: Backend) -> None:
        super().__init__(backend)
        self._filter = TurnFilter()
        self._paused = False
        self._missed = 0
        self._shown = ""
        """What stands in the details, so that it is not asked for twice."""

    def body(self) -> ComposeResult:
        """Yield the list and the details."""
        yield Static(id="about", markup=False)
        with Container(classes="split"):
            yield Rows(id="turns")
            yield Details()

    def on_mount(self) -> None:
        """Hear of turns."""
        super().on_mount()
        self.follow(self.backend.on_turns, self._turns_came)
        self._render_turns()

    def reload(self) -> None:
        """Fetch the turns that were before."""
        self._fetch()

    @work(exclusive=True)
    async def _fetch(self) -> None:
        await self.ask(self.backend.begin())

    def status_changed(self) -> None:
        """Say how to start the daemon where it does not run."""
        self._tell()

    def _turns_came(self) -> None:
        if self._paused:
            self._missed += 1
            self._tell()
        else:
            self._render_turns()

    def _visible(self) -> list[LiveTurn]:
        return [turn for turn in self.backend.turns if self._filter.passes(turn)]

    def _render_turns(self) -> None:
        turns = sorted(self._visible(), key=lambda turn: turn.at)
        self.query_one(Rows).fill(((turn.key, turn_row(turn)) for turn in turns), follow=True)
        self._tell()
        self._show_details()

    def _tell(self) -> None:
        shown = [f"{kind} {value}" for kind in KINDS if (value := getattr(self._filter, kind))]
        parts = [", ".join(shown) or "all sessions", counted(self.query_one(Rows).option_count, "turn")]
        if self._paused:
            parts.append(f"PAUSED, {self._missed} new" if self._missed else "PAUSED")
        if self.backend.trouble:
            parts.append(self.backend.trouble)
        self.query_one("#about", Static).update(Content.styled(line(" · ".join(parts)), LIGHT))

    @on(OptionList.OptionHighlighted)
    def choose(self) -> None:
        """Show the turn that was chosen."""
        self._show_details()

    def _show_details(self) -> None:
        turn = self.backend.turns.get(self.query_one(Rows).chosen)
        if turn is None:
            self.query_one(Details).show(
                "Nothing was said yet. Each turn of an agent appears here: what was said, what memory brought up, "
                "what it passed over and why, and what was written."
            )
            self._shown = ""
            return
        again = self._shown == turn.key
        self.query_one(Details).show(turn_details(turn), top=not again)
        self._shown = turn.key
        if turn.trace and turn.session:
            self._show_words(turn)

    @work(exclusive=True, group="words")
    async def _show_words(self, turn: LiveTurn) -> None:
        """Show what was said whole: the user's last message before the turn was decided."""
        if turn.trace is None:
            return
        try:
            said = await self.answer(self.backend.client.messages(turn.session, limit=100))
        except MemorydError:  # the shortened text stays
            return
        decided = datetime.fromisoformat(turn.trace.at)
        texts = [one.content for one in said.entries if one.role == "user" and one.at <= decided]
        if texts and self.query_one(Rows).chosen == turn.key:
            self.query_one(Details).show(turn_details(turn, texts[-1]), top=False)

    def action_pause(self) -> None:
        """Stop showing new turns, or go on; nothing is lost meanwhile."""
        self._paused = not self._paused
        self._missed = 0
        if self._paused:
            self._tell()
        else:
            self._render_turns()

    def action_clear(self) -> None:
        """Show all turns."""
        self._filter = TurnFilter()
        self._render_turns()

    def action_filter(self) -> None:
        """Show one session, project or agent only."""
        from memoryd_cli.ui.dialogs import ChoiceDialog

        groups: dict[str, list[tuple[str, str]]] = {"all": [("", "everything")]}
        for kind in KINDS:
            groups[kind] = [(value, value) for value in self.backend.turns.values(kind)]
        chosen = {kind: str(getattr(self._filter, kind)) for kind in KINDS}
        self.app.push_screen(ChoiceDialog("Show only", groups, chosen), self._narrow)

    def _narrow(self, choice: tuple[str, str] | None) -> None:
        if choice is None:
            return
        kind, value = choice
        given = {name: str(getattr(self._filter, name)) for name in KINDS} if kind in KINDS else {}
        if kind in KINDS:
            given[kind] = "" if given[kind] == value else value
        self._filter = TurnFilter(**given)
        self._render_turns()
