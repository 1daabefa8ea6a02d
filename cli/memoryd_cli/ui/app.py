"""The program: five screens before one daemon."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen

from memoryd_cli.ui.backend import Backend
from memoryd_cli.ui.live import LiveScreen
from memoryd_cli.ui.page import TABS

DARK, BRIGHT = "textual-dark", "textual-light"


class MemorydUi(App[None]):
    """Shows what memoryd knows and does, and lets a person change it."""

    TITLE = "memoryd"
    CSS_PATH = Path(__file__).with_name("ui.tcss")
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it, as no ClassVar
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(place), f"switch_mode('{name}')", name, show=False) for place, name in enumerate(TABS, start=1)),
        Binding("question_mark", "show_keys", "Keys", tooltip="shows all keys"),
        Binding("t", "turn_theme", "Light or dark", show=False, tooltip="turns from dark to light, or back"),
        Binding("q", "quit", "Quit", tooltip="leaves"),
    ]

    def __init__(self, backend: Backend, *, bright: bool = False) -> None:
        super().__init__()
        self.backend = backend
        self.theme = BRIGHT if bright else DARK
        screens: dict[str, Callable[[], Screen[Any]]] = {
            "live": lambda: LiveScreen(backend),
            "memories": self._memories,
            "review": self._review,
            "sessions": self._sessions,
            "health": self._health,
        }
        for name, screen in screens.items():
            self.add_mode(name, screen)

    # A screen is imported when it is first looked at: the first one is there sooner.

    def _memories(self) -> Screen[Any]:
        from memoryd_cli.ui.memories import MemoriesScreen

        return MemoriesScreen(self.backend)

    def _review(self) -> Screen[Any]:
        from memoryd_cli.ui.review import ReviewScreen

        return ReviewScreen(self.backend)

    def _sessions(self) -> Screen[Any]:
        from memoryd_cli.ui.sessions import SessionsScreen

        return SessionsScreen(self.backend)

    def _health(self) -> Screen[Any]:
        from memoryd_cli.ui.health import HealthScreen

        return HealthScreen(self.backend)

    async def on_mount(self) -> None:
        """Begin with what happens, and follow the daemon."""
        await self.switch_mode("live")
        self.run_worker(self.backend.follow_status(), group="status")
        self.run_worker(self.backend.follow_events(), group="events")
        self.run_worker(self.backend.follow_turns(), group="turns")

    async def on_unmount(self) -> None:
        """Leave the daemon."""
        await self.backend.client.close()

    def action_turn_theme(self) -> None:
        """Turn from dark to light, or back."""
        self.theme = DARK if self.theme == BRIGHT else BRIGHT

    def action_show_keys(self) -> None:
        """Show every key of this screen."""
        from memoryd_cli.ui.keys import KeysDialog, all_keys

        here = self.current_mode.capitalize()
        self.push_screen(KeysDialog(all_keys(here, self.screen, [name.capitalize() for name in TABS])))
