"""The keys: the last line, which has as many as fit, and the list that has all of them."""

from collections.abc import Iterable
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

HEAD = "bold $text-accent"
KEPT = ("show_keys", "quit")
"""The actions whose keys are always there: where all others are found, and the way out."""
MOVING = (
    ("↑ ↓ j k", "go up and down a list; so do PgUp, PgDn, Home and End"),
    ("Tab", "goes from the list to the text and back"),
    ("Esc", "goes back to the list; once there, away with the search"),
)
"""What lists and texts do by themselves."""
_COLUMN = 9


class KeyLine(Static):
    """The last line of a screen: as many of its keys as there is room for, the way to the others, and the way out."""

    def on_mount(self) -> None:
        """Follow what can be done."""
        self.screen.bindings_updated_signal.subscribe(self, self._show)

    def on_resize(self) -> None:
        """Fill the width anew."""
        self._show(self.screen)

    def _show(self, screen: Screen[Any]) -> None:
        if screen is not self.screen:
            return
        found: dict[str, Binding] = {}
        for active in screen.active_bindings.values():
            if active.binding.show and active.enabled:
                found.setdefault(active.binding.action, active.binding)
        kept = [found.pop(action) for action in KEPT if action in found]
        self.update(Content("  ").join(map(self._told, [*self._fitting(found.values(), kept), *kept])))

    def _fitting(self, wanted: Iterable[Binding], kept: Iterable[Binding]) -> list[Binding]:
        """Return the first of them for which there is room beside those that are kept."""
        fitting: list[Binding] = []
        room = self.size.width - sum(self._told(binding).cell_length + 2 for binding in kept)
        for binding in wanted:
            room -= self._told(binding).cell_length + 2
            if room < -2:
                break
            fitting.append(binding)
        return fitting

    def _told(self, binding: Binding) -> Content:
        return Content.from_markup(
            f"[@click=app.simulate_key('{binding.key}')][bold $text-accent]$key[/] $text[/]",
            key=self.app.get_key_display(binding),
            text=binding.description,
        )


class KeysDialog(ModalScreen[None]):
    """Shows what every key does: those of a screen, and those that are the same everywhere."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q", "dismiss", "Close"),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
    ]

    def __init__(self, keys: Content) -> None:
        super().__init__()
        self._keys = keys

    def compose(self) -> ComposeResult:
        """Yield the keys, one below the other."""
        with Vertical(classes="dialog keys"), VerticalScroll():
            yield Static(self._keys, markup=False)
        yield KeyLine()

    def on_mount(self) -> None:
        """Let the keys that scroll, scroll."""
        self.query_one(VerticalScroll).focus()

    def action_scroll(self, lines: int) -> None:
        """Go on, or back."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)


def all_keys(title: str, screen: Screen[Any], tabs: Iterable[str]) -> Content:
    """Return what the keys of a screen do, whether or not they do something just now, and those of the program."""
    app = screen.app
    rows = [Content.styled(f"Keys of {title}\n", HEAD)]
    rows += [_row(app.get_key_display(binding), binding.tooltip) for binding in _declared(screen)]
    rows += [Content.styled("Everywhere\n", HEAD), _row("1 to 5", ", ".join(tabs))]
    rows += [_row(app.get_key_display(binding), binding.tooltip) for binding in _declared(app)]
    return Content.assemble(*rows, *(_row(key, told) for key, told in MOVING)).rstrip()


def _declared(node: DOMNode) -> list[Binding]:
    """Return what our own classes bind, those first that others are made from."""
    kinds = [kind for kind in reversed(type(node).__mro__) if kind.__module__.startswith("memoryd_cli.")]
    own = [vars(kind).get("BINDINGS", ()) for kind in kinds]
    return [binding for declared in own for binding in declared if isinstance(binding, Binding) and binding.tooltip]


def _row(key: str, told: str) -> Content:
    return Content.assemble((f"{key:<{_COLUMN}}", "bold"), told, "\n")
