"""What all screens have in common: the tabs above, the keys below, a list with what is known of the chosen line."""

from collections.abc import Awaitable, Callable, Iterable
from typing import ClassVar, TypeVar

import anyio
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from memoryd_cli.base.output import printable
from memoryd_cli.ui.backend import Backend
from memoryd_cli.ui.keys import KeyLine
from memoryd_client.base.errors import MemorydError
from memoryd_client.base.wording import sentence

T = TypeVar("T")
TABS = ("live", "memories", "review", "sessions", "health")
SAID_S = 3.0
"""How long something that was said in passing stands."""
WRONG_S = 8.0
"""What went wrong stands longer."""


class TopBar(Static):
    """The screens by their numbers, and how the daemon is."""

    def show(self, here: str, backend: Backend) -> None:
        """Show which screen this is, and the daemon's state."""
        tabs = " ".join(
            f"[@click=app.switch_mode('{name}')][{'reverse bold' if name == here else '$foreground'}]"
            f" {place} {name.capitalize()} [/][/]"
            for place, name in enumerate(TABS, start=1)
        )
        if backend.status is None:
            state = Content.styled("not running" if backend.trouble else "asking", "$text-warning")
        elif backend.status.warnings:
            state = Content.styled(f"ready, {len(backend.status.warnings)} warnings", "$text-warning")
        else:
            state = Content.styled("ready" if backend.status.ready else "starting", "$text-success")
        bar = Content.from_markup(tabs)
        gap = max(1, self.size.width - bar.cell_length - state.cell_length)
        self.update(Content.assemble(bar, " " * gap, state))


class Rows(OptionList):
    """A list of lines, each cut at the edge."""

    BINDINGS: ClassVar[list[BindingType]] = [("j", "cursor_down"), ("k", "cursor_up")]

    def fill(
        self, rows: Iterable[tuple[str, Content]], *, follow: bool = False, fresh: bool = False, choose: str = ""
    ) -> None:
        """Show these rows; the highlighted one stays highlighted where it is still there, else one beside it.

        With `follow` the last one is highlighted, where the last one was or none; of a `fresh` list the first one.
        `choose` is the key of a row to be highlighted instead, if it is there.
        """
        here = self.highlighted
        chosen = self.chosen
        at_end = here is None or here == self.option_count - 1
        options = [Option(text, id=key) for key, text in rows]
        self.set_options(options)
        places = {option.id: place for place, option in enumerate(options)}
        if not options:
            self.highlighted = None
        elif choose in places:
            self.highlighted = places[choose]
        elif follow and at_end:
            self.highlighted = len(options) - 1
        elif fresh:
            self.highlighted = 0
        elif chosen in places:
            self.highlighted = places[chosen]
        else:
            self.highlighted = min(here or 0, len(options) - 1)

    def extend(self, rows: Iterable[tuple[str, Content]]) -> None:
        """Show more rows below, but for those that are there."""
        there = {option.id for option in self.options}
        self.add_options([Option(text, id=key) for key, text in rows if key not in there])

    @property
    def chosen(self) -> str:
        """The key of the highlighted row; empty where there is none."""
        option = self.highlighted_option
        return (option.id or "") if option else ""


class Details(VerticalScroll):
    """What is known of the chosen line; long texts are scrolled."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self._text = Static(markup=False)
        self._place = ""
        """Where it is to be scrolled once the text stands: top or end; empty: nowhere."""

    def compose(self) -> ComposeResult:
        """Yield the text."""
        yield self._text

    def show(self, text: Content | str, *, top: bool = True, end: bool = False) -> None:
        """Show a text, from its beginning or its end; the latest text that asks for a place gets it."""
        self._text.update(Content(text) if isinstance(text, str) else text)
        if top or end:
            self._place = "end" if end else "top"
            self.call_after_refresh(self._scroll)

    def _scroll(self) -> None:
        if self._place == "end":
            self.scroll_end(animate=False, immediate=True)
        elif self._place:
            self.scroll_home(animate=False, immediate=True)
        self._place = ""


class UiScreen(Screen[None]):
    """One of the five screens."""

    NAME: ClassVar[str] = ""

    def __init__(self, backend: Backend) -> None:
        super().__init__()
        self.backend = backend

    def compose(self) -> ComposeResult:
        """Yield the tabs, what the screen is about, and its keys."""
        yield TopBar(id="top")
        yield from self.body()
        yield KeyLine()

    def body(self) -> ComposeResult:
        """Yield what the screen is about."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Follow the daemon for as long as the program runs."""
        self.follow(self.backend.on_status, self._tell_state)
        self.follow(self.backend.on_back, self.reload)
        if self.backend.status is not None:
            self.reload()

    def follow(self, listeners: list[Callable[[], None]], listener: Callable[[], None]) -> None:
        """Listen for as long as there is a screen: the program may be leaving when the daemon answers."""
        listeners.append(lambda: listener() if self.app.is_running else None)

    def on_screen_resume(self) -> None:
        """Show the state anew."""
        self._tell_state()

    def on_resize(self) -> None:
        """Fill the width anew."""
        self.call_after_refresh(self._tell_state)

    def reload(self) -> None:
        """Ask the daemon anew: it is there, for the first time or again."""

    def status_changed(self) -> None:
        """Hear that the status was asked for."""

    def _tell_state(self) -> None:
        if self.is_current:
            self.query_one(TopBar).show(self.NAME, self.backend)
            self.status_changed()

    async def answer(self, question: Awaitable[T]) -> T:
        """Ask the daemon. Where the program leaves meanwhile, there is no screen any more, and this task ends.

        Raises:
            MemorydError: it refused, or is away.
        """
        try:
            return await question
        finally:
            if not self.app.is_running:
                raise anyio.get_cancelled_exc_class()

    async def ask(self, question: Awaitable[T]) -> T | None:
        """Ask the daemon; where it refuses or is away, say so and return nothing."""
        try:
            return await self.answer(question)
        except MemorydError as problem:
            self.say(sentence(str(problem), problem.hint), wrong=True)
            return None

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Say something in passing; it takes the place of what was said before."""
        self.app.clear_notifications()
        self.notify(
            printable(text),
            severity="error" if wrong else "information",
            timeout=WRONG_S if wrong else SAID_S,
            markup=False,
        )
