"""Questions that stand before a screen: which of these, are you sure, what shall it say."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from memoryd_cli.base import document
from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.ui.keys import KeyLine
from memoryd_cli.ui.words import LIGHT, line
from memoryd_client.requests import ChangedFields
from memoryd_client.wire.memory import Memory

Choice = tuple[str, str]
"""What is chosen among: of which kind, and its value."""


class ChoiceDialog(ModalScreen[Choice | None]):
    """Lets a person choose one of several values, which stand in groups."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss", "Close")]

    def __init__(
        self, title: str, groups: Mapping[str, Sequence[Choice]], chosen: Mapping[str, str] | None = None
    ) -> None:
        """Offer groups of values with the words for each; `chosen` says which value of a group holds now."""
        super().__init__()
        self._title = title
        self._groups = groups
        self._chosen = chosen or {}
        self._choices: dict[str, Choice] = {}

    def compose(self) -> ComposeResult:
        """Yield the groups, one below the other."""
        options: list[Option | None] = []
        for kind, values in self._groups.items():
            options.append(Option(Content.styled(kind, f"bold {LIGHT}"), disabled=True))
            for value, words in values:
                key = f"{kind} {len(self._choices)}"
                self._choices[key] = (kind, value)
                mark = "●" if self._chosen.get(kind) == value else " "
                options.append(Option(Content(f" {mark} {line(words)}"), id=key))
        with Vertical(classes="dialog"):
            yield Static(self._title, classes="title", markup=False)
            yield OptionList(*options)
        yield KeyLine()

    @on(OptionList.OptionSelected)
    def choose(self, event: OptionList.OptionSelected) -> None:
        """Leave with what was chosen."""
        self.dismiss(self._choices[event.option.id or ""])


class ConfirmDialog(ModalScreen[str]):
    """Asks before something goes for good. It is answered with a word, or with nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "answer('')", "No"),
        ("left", "app.focus_previous"),
        ("right", "app.focus_next"),
    ]

    def __init__(self, title: str, body: Content, answers: Mapping[str, str]) -> None:
        """Offer answers, with the words for each, beside a no, which has the focus."""
        super().__init__()
        self._title = title
        self._body = body
        self._answers = answers

    def compose(self) -> ComposeResult:
        """Yield what it is about, and a button for each answer."""
        with Vertical(classes="dialog"):
            yield Static(self._title, classes="title", markup=False)
            with VerticalScroll(can_focus=False):
                yield Static(self._body, markup=False)
            with Horizontal(classes="buttons"):
                yield Button("No", id="no", compact=True)
                for answer, words in self._answers.items():
                    yield Button(words, id=answer, variant="error", compact=True)
        yield KeyLine()

    def on_mount(self) -> None:
        """Let Enter mean no."""
        self.query_one("#no").focus()

    @on(Button.Pressed)
    def press(self, event: Button.Pressed) -> None:
        """Leave with the answer."""
        self.action_answer(event.button.id or "")

    def action_answer(self, answer: str) -> None:
        """Leave with an answer; `no` is none."""
        self.dismiss("" if answer == "no" else answer)


class EditDialog(ModalScreen[bool]):
    """Lets a person change a memory as Markdown with front matter. It stays open until it is saved or given up."""

    BINDINGS: ClassVar[list[BindingType]] = [("ctrl+s", "save", "Save"), ("escape", "leave", "Cancel")]

    def __init__(self, memory: Memory, save: Callable[[ChangedFields], Awaitable[str]]) -> None:
        """Edit a memory; `save` stores the change and returns why it could not, or nothing."""
        super().__init__()
        self._memory = memory
        self._save = save
        self._given_up = False

    def compose(self) -> ComposeResult:
        """Yield the text, and what is wrong with it."""
        with Vertical(classes="dialog large"):
            yield Static("Edit a memory", classes="title", markup=False)
            yield TextArea(document.written(self._memory), soft_wrap=True, show_line_numbers=False)
            yield Static("", id="wrong", markup=False)
        yield KeyLine()

    def on_mount(self) -> None:
        """Begin at the text, behind the front matter."""
        area = self.query_one(TextArea)
        area.move_cursor((area.text[: -len(self._memory.content) or None].count("\n"), 0))

    async def action_save(self) -> None:
        """Store what was changed, and leave; say why where that is not possible."""
        try:
            wanted = document.changed(self.query_one(TextArea).text, self._memory)
        except CommandFailed as problem:
            self._complain(str(problem))
            return
        if not wanted:
            self.dismiss(False)
        elif why := await self._save(wanted):
            self._complain(why)
        else:
            self.dismiss(True)

    def action_leave(self) -> None:
        """Leave; where something was written, only when asked twice."""
        if self._given_up or self.query_one(TextArea).text == document.written(self._memory):
            self.dismiss(False)
            return
        self._given_up = True
        self._complain("What you changed is not saved. Ctrl+S saves it, Esc once more throws it away.")

    @on(TextArea.Changed)
    def write(self) -> None:
        """Ask again before leaving, once somebody goes on writing."""
        self._given_up = False

    def _complain(self, text: str) -> None:
        self.query_one("#wrong", Static).update(Content.styled(line(text), "$text-error"))
