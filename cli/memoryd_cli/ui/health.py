"""Health: whether the daemon is well, what it costs, and how memory grows and decays."""

from datetime import UTC, datetime
from typing import ClassVar, Final

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from memoryd_cli.base.output import printable
from memoryd_cli.ui.backend import Backend
from memoryd_cli.ui.page import Details, UiScreen
from memoryd_cli.ui.plots import bar, by_day, columns
from memoryd_cli.ui.words import LIGHT, head, line, moment
from memoryd_client.base.wording import counted
from memoryd_client.wire.consolidation import Consolidation
from memoryd_client.wire.event_counts import EventCount
from memoryd_client.wire.memory import State
from memoryd_client.wire.spending import DaySpending
from memoryd_client.wire.status import ComponentStatus, Status

DAYS: Final = 30
EVERY_S: Final = 5.0
_STATES: Final = {"ok": "$text-success", "idle": "$text-success", "off": LIGHT, "loading": "$text-warning"}
GROWTH: Final = {
    "stored": ("create",),
    "changed": ("update", "merge", "supersede"),
    "gone": ("delete", "ttl", "purge"),
}
"""Which operations each plot counts."""
_NONE: Final = ComponentStatus(state="off")
_BAR: Final = 30


class HealthScreen(UiScreen):
    """All of it on one page, asked for anew every few seconds."""

    NAME = "health"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("r", "reload", "Ask again", tooltip="asks the daemon again")]

    def __init__(self, backend: Backend) -> None:
        super().__init__(backend)
        self._counts: list[EventCount] = []
        self._spent: list[DaySpending] = []
        self._runs: list[Consolidation] = []

    def body(self) -> ComposeResult:
        """Yield the page."""
        yield Details(id="health")

    def on_mount(self) -> None:
        """Ask again from time to time."""
        super().on_mount()
        self.query_one(Details).focus()
        self.set_interval(EVERY_S, self._refresh)

    def status_changed(self) -> None:
        """Show the status anew."""
        self._show()

    def reload(self) -> None:
        """Ask for what is counted by day."""
        self._ask_counts()

    def action_reload(self) -> None:
        """Ask for it now."""
        self.reload()

    def _refresh(self) -> None:
        if self.is_current and self.backend.status is not None:
            self.reload()

    @work(exclusive=True)
    async def _ask_counts(self) -> None:
        client = self.backend.client
        self._counts = await self.ask(client.event_counts(days=DAYS)) or self._counts
        self._spent = await self.ask(client.spending(days=DAYS)) or self._spent
        self._runs = await self.ask(client.consolidations(limit=5)) or self._runs
        self._show()

    def _show(self) -> None:
        status = self.backend.status
        details = self.query_one(Details)
        if status is None:
            details.show(self.backend.trouble or "Asking the daemon.", top=False)
            return
        parts = [_state(status), _behind(status), _grown(status, self._counts), _decayed(status, self._runs)]
        details.show(Content.assemble(*parts, _cost(status, self._spent), _parts(status)), top=False)


def _part(status: Status, name: str) -> ComponentStatus:
    return status.components.get(name, _NONE)


def _state(status: Status) -> Content:
    state = "ready" if status.ready else "starting"
    up = f"{status.uptime_s / 3600:.1f} h" if status.uptime_s >= 3600 else f"{status.uptime_s / 60:.0f} min"
    memory = f"{status.rss_bytes / 2**20:.0f} MiB"
    told = [
        Content.assemble((state, "bold $text-success"), f", up {up}, {memory}, version {status.version}\n"),
        Content.styled(f"{printable(status.home)}\n", LIGHT),
    ]
    told += [Content.styled(f"! {printable(warning)}\n", "$text-warning") for warning in status.warnings]
    return Content.assemble(*told)


def _behind(status: Status) -> Content:
    embedder, judge = _part(status, "model"), _part(status, "sidecar")
    index, transcripts = _part(status, "index"), _part(status, "transcripts")
    behind = f"{index.numbers.get('behind', 0):.0f} memories, {transcripts.numbers.get('behind', 0):.0f} messages"
    rows = (
        ("behind", behind, index.state),
        ("model", embedder.facts.get("identity", ""), embedder.state),
        ("judge", _facts(judge), judge.state),
        ("capture", _part(status, "capture").facts.get("read_by", ""), _part(status, "capture").state),
    )
    return Content.assemble(
        head("Now"),
        *(
            Content.assemble(
                (f"{name:<9}", LIGHT), (f"{state:<9}", _STATES.get(state, "$text-error")), line(told), "\n"
            )
            for name, told, state in rows
        ),
    )


def _facts(part: ComponentStatus) -> str:
    return part.message or ", ".join(f"{name} {fact}" for name, fact in part.facts.items()) or "local rules"


def _grown(status: Status, counts: list[EventCount]) -> Content:
    today = datetime.now(UTC).date()
    total = _part(status, "ledger").numbers.get("memories", 0.0)
    told = [head(f"Growth, {DAYS} days"), Content(f"{counted(int(total), 'memory')} in all\n")]
    for name, operations in GROWTH.items():
        days: dict[str, float] = {}
        for one in counts:
            if one.op in operations and one.status == "ok":
                days[one.day] = days.get(one.day, 0.0) + one.count
        told.append(
            _plot(
                name,
                by_day(days, today, DAYS),
                f"{sum(days.values()):,.0f}, today {days.get(today.isoformat(), 0):,.0f}",
            )
        )
    return Content.assemble(*told)


def _plot(name: str, values: list[float], summary: str) -> Content:
    above, below = columns(values, 2)
    return Content.assemble(
        (f"{'':<9}{above}\n", "$text-primary"), (f"{name:<9}", LIGHT), (below, "$text-primary"), f"  {summary}\n"
    )


def _decayed(status: Status, runs: list[Consolidation]) -> Content:
    numbers = _part(status, "ledger").numbers
    most = max((numbers.get(state.value, 0.0) for state in State), default=0.0)
    told = [head("Decay: memories by state")]
    for state in State:
        count = numbers.get(state.value, 0.0)
        told.append(
            Content.assemble(
                (f"{state.value:<11}", LIGHT), f"{count:>8,.0f} ", (bar(count, most, _BAR), "$text-primary"), "\n"
            )
        )
    told.append(head("Last consolidations"))
    for run in runs:
        did = ", ".join(f"{name} {count}" for name, count in run.counts.items()) or "nothing to do"
        under_way = "" if run.finished_at else f"under way: {run.doing} "
        told.append(
            Content.assemble((f"{moment(run.started_at)} ", LIGHT), under_way, f"{printable(run.problem or did)}\n")
        )
    if not runs:
        told.append(Content.styled("None yet; one runs each day.\n", LIGHT))
    return Content.assemble(*told)


def _cost(status: Status, spent: list[DaySpending]) -> Content:
    today = datetime.now(UTC).date()
    cost = {one.day: one.cost_usd for one in spent}
    tokens = {one.day: float(one.input_tokens + one.output_tokens) for one in spent}
    told = [head(f"Cost of models, {DAYS} days")]
    if not spent:
        told.append(Content.styled("No model was asked; nothing was spent.\n", LIGHT))
        return Content.assemble(*told)
    calls = sum(one.calls for one in spent)
    told.append(
        _plot(
            "dollars",
            by_day(cost, today, DAYS),
            f"{sum(cost.values()):.3f}, today {cost.get(today.isoformat(), 0):.3f}",
        )
    )
    told.append(
        _plot("tokens", by_day(tokens, today, DAYS), f"{sum(tokens.values()):,.0f} in {counted(calls, 'call')}")
    )
    return Content.assemble(*told)


def _parts(status: Status) -> Content:
    told = [head("Parts")]
    for name, part in status.components.items():
        text = " ".join(filter(None, (part.message, part.hint)))
        style = _STATES.get(part.state, "$text-error")
        told.append(Content.assemble((f"{name:<14}", LIGHT), (f"{part.state:<9}", style), f"{printable(text)}\n"))
    return Content.assemble(*told)
