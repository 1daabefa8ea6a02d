"""Operational events for OpenTelemetry, where somebody has named a collector: spans, a counter and a histogram.

What this daemon did is read from the ledger's rows (`memoryd events --rows`) some seconds after it was written, in the
background: no write waits for a collector. What it does not take waits in the ledger, and is sent again. No text of a
memory or a message is among it. The SDK is an extra, imported here alone.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from datetime import UTC, datetime
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any, Protocol
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import msgspec

from memoryd import __version__
from memoryd_actors.core.errors import Refused
from memoryd_actors.core.worker import Worker
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.publisher import Publisher
from memoryd_client.base.wording import counted
from memoryd_client.wire.event_counts import DoneEvent
from memoryd_client.wire.events import Warned
from memoryd_client.wire.status import ComponentStatus

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import MetricReader
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter

log = logging.getLogger(__name__)

MOST_ROWS = 512
"""Read from the ledger and sent at once: as many as the SDK sends."""
MOST_WAITING = 50_000
"""Spans that wait for a collector; of more the oldest are dropped."""
RETRY_S = 60.0
"""Until it is tried again at the latest; sooner the first times."""
EXPORT_S = 10
"""A collector is waited for no longer than this, by nobody but the threads that send to it."""
STOP_S = 2.0
"""The same at the end, for all that is left: a collector that does not answer holds nobody up."""
AWAY_S = 1.0
"""The same at the end, where it is away anyway."""
MOST_TRIES = 16
TOO_LARGE = 413
REFUSED = frozenset({400, TOO_LARGE, 422})
"""What a collector answers that will never take these spans: sent again they would block all others."""
_SEE_LOG = "The collector's own log says what it does not like about them."
_SEE_COLLECTOR = "See whether it runs; `memoryd config list telemetry` shows where it is looked for."
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class TelemetryConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was done, for an OpenTelemetry collector. Needs the extra `otel`."""

    otlp_url: str = ""
    """Where a collector takes OTLP over HTTP: http://127.0.0.1:4318. Empty: nothing is exported."""
    every_s: Annotated[float, msgspec.Meta(gt=0, le=3600)] = 5.0
    """How often what was done is handed on, in seconds."""


class EventRows(Protocol):
    """Where what was done is read; the ledger is it."""

    async def newest(self) -> int:
        """Return the number of the newest event; 0 where there is none."""
        ...

    async def after(self, number: int, *, limit: int) -> list[DoneEvent]:
        """Return what this daemon did after an event, for every owner, the oldest first."""
        ...

    async def waiting(self, number: int) -> int:
        """Return how many of these there are."""
        ...


class Instruments:
    """The SDK's part: makes spans and numbers of events, and sends them.

    The numbers add up from the start: one that a collector missed is in the next. Of the spans each is sent until it is
    taken; the SDK's own processor forgets what was not.
    """

    def __init__(
        self, spans: "SpanExporter", numbers: "MetricReader", status: Callable[[], int | None] = lambda: None
    ) -> None:
        """Prepare; `status` is the HTTP status that the exporter of spans was answered last, None without an answer."""
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider

        # Of this process alone: the SDK's global providers belong to whoever embeds it.
        about = Resource.create({"service.name": "memoryd", "service.version": __version__})
        self._exporter = spans
        self.status = status
        self._traces = TracerProvider(resource=about, shutdown_on_exit=False)
        self._tracer = self._traces.get_tracer("memoryd", __version__)
        self._meters = MeterProvider([numbers], resource=about, shutdown_on_exit=False)
        meter = self._meters.get_meter("memoryd", __version__)
        self._operations = meter.create_counter("memoryd.operations", description="What was done.")
        self._durations = meter.create_histogram(
            "memoryd.operation.duration", unit="ms", description="How long it took, where that was measured."
        )

    def take(self, events: Sequence[DoneEvent]) -> "list[ReadableSpan]":
        """Return a span of each event, and count it."""
        from opentelemetry.sdk.trace import Span
        from opentelemetry.trace import Status, StatusCode

        spans: list[ReadableSpan] = []
        for event in events:
            kind = {"memoryd.node": event.node, "memoryd.op": event.op, "memoryd.status": event.status}
            if event.category:
                kind["memoryd.category"] = event.category
            self._operations.add(1, kind)
            if event.duration_ms is not None:
                self._durations.record(event.duration_ms, kind)
            end = (event.at - _EPOCH).total_seconds()
            span = self._tracer.start_span(
                f"memoryd {event.node} {event.op}", start_time=_nanos(end - (event.duration_ms or 0.0) / 1000)
            )
            span.set_attributes({**kind, **_more(event)})
            if event.status == "error":
                span.set_status(Status(StatusCode.ERROR))
            span.end(_nanos(end))
            if isinstance(span, Span):  # whoever turns sampling off in the environment gets none
                spans.append(span)
        return spans

    def send(self, spans: "Sequence[ReadableSpan]") -> bool:
        """Return whether the collector has taken them. Blocks, up to `EXPORT_S`."""
        from opentelemetry.sdk.trace.export import SpanExportResult

        return not spans or self._exporter.export(spans) is SpanExportResult.SUCCESS

    def shutdown(self, timeout_s: float) -> None:
        """Send the numbers once more, and stop. Blocks."""
        self._exporter.shutdown()
        self._meters.shutdown(timeout_millis=timeout_s * 1000)


def _more(event: DoneEvent) -> dict[str, str | float]:
    more: dict[str, str | float] = {"memoryd.event": event.number}
    if event.session:
        more["memoryd.session"] = event.session
    if event.agent:
        more["memoryd.agent"] = event.agent
    if event.memory:
        more["memoryd.memory"] = event.memory
    if event.similarity is not None:
        more["memoryd.similarity"] = event.similarity
    return more


def _nanos(seconds: float) -> int:
    return int(seconds * 1_000_000) * 1000


def over_http(url: str) -> Instruments:
    """Return what sends to a collector over HTTP.

    Raises:
        ImportError: the extra is not installed.
    """
    import requests
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

    # Two lines and more for each batch that is not taken; here it is said once.
    logging.getLogger("opentelemetry.exporter").setLevel(logging.CRITICAL)
    base = url.rstrip("/")
    # The exporter says whether spans were taken, and not why not: the session that it uses hears it.
    answered: list[int] = []

    class Answers(requests.Session):
        def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
            answered.clear()
            response = super().send(request, **options)
            answered.append(response.status_code)
            return response

    return Instruments(
        OTLPSpanExporter(f"{base}/v1/traces", timeout=EXPORT_S, session=Answers()),
        PeriodicExportingMetricReader(OTLPMetricExporter(f"{base}/v1/metrics", timeout=EXPORT_S)),
        lambda: answered[0] if answered else None,
    )


class Sending:
    """Spans on their way, in a thread that keeps neither the daemon nor its process from ending."""

    def __init__(self, send: Callable[[], bool], count: int) -> None:
        """Begin to send so many; in the event loop."""
        self.count = count
        self._send = send
        self._result: Future[bool] = Future()
        self._over = anyio.Event()
        self._loop = asyncio.get_running_loop()
        Thread(target=self._work, name="telemetry", daemon=True).start()

    async def settled(self) -> None:
        """Wait until they are taken, or are not."""
        await self._over.wait()

    def taken(self) -> bool:
        """Return whether the collector has taken them, once that is settled; raise what sending them raised."""
        return self._result.result()

    def _work(self) -> None:
        try:
            self._result.set_result(self._send())
        except Exception as exc:  # carried to whoever waits, as executors do
            self._result.set_exception(exc)
        with suppress(RuntimeError):  # nobody waits any more: the loop is closed
            self._loop.call_soon_threadsafe(self._over.set)


class Telemetry:
    """Hands what was done on, from now on; `run` it in a task group."""

    def __init__(
        self,
        settings: TelemetryConfig,
        rows: EventRows,
        publish: Publisher,
        clock: Clock,
        *,
        offline: bool,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        self._settings = settings
        self._rows = rows
        self._publish = publish
        self._clock = clock
        self._offline = offline
        self._most_waiting = most_waiting
        self._last: int | None = None
        """The event up to which everything is a span."""
        self._unsent: list[ReadableSpan] = []
        self._sending: Sending | None = None
        """The first of them, once they are on their way."""
        self._most_sent = MOST_ROWS
        """At once; fewer for a collector that found as many too large."""
        self._away_since: datetime | None = None
        self._tries = 0
        """How often it was in vain since the collector took anything."""
        self._sent = self._dropped = 0
        self._refused: int | None = None
        """The status with which the collector has refused spans, since it took any."""
        self._trouble: tuple[str, str] | None = None

    def why_not(self) -> str:
        """Return why nothing is exported although a collector is named; empty where it is, or none is named."""
        if not self._settings.otlp_url:
            return ""
        try:
            url = urlsplit(self._settings.otlp_url)
        except ValueError:
            url = urlsplit("")
        if url.scheme not in {"http", "https"} or not url.hostname:
            return "telemetry.otlp_url is no web address"
        if self._offline and url.hostname not in _LOOPBACK:
            return "privacy.offline is on, and the collector is on another machine"
        return ""

    async def run(self) -> None:
        """Export until cancelled; nothing where no collector is named."""
        if not self._settings.otlp_url:
            return
        if trouble := self.why_not():
            self._complain(trouble, "`memoryd config list telemetry` shows the settings.")
            return
        with suppress(Refused):  # asked again in a moment
            self._last = await self._rows.newest()  # what was done before is the past
        try:
            instruments = await anyio.to_thread.run_sync(over_http, self._settings.otlp_url)
        except ImportError:
            self._complain("OpenTelemetry is not installed", "Install it with: pip install 'memoryd[otel]'")
            return
        await self.export(instruments)

    async def export(self, instruments: Instruments) -> None:
        """Hand on what is done until cancelled, and what is left then."""
        worker = Worker(
            lambda: self._look(instruments), complain=lambda why: self._complain(str(why), why.hint), retry_s=RETRY_S
        )
        try:
            await worker.run()
        finally:
            await self._stop(instruments)

    async def status(self) -> ComponentStatus | None:
        """Return how the export goes; None where no collector is named."""
        if not self._settings.otlp_url:
            return None
        if self._trouble:
            message, hint = self._trouble
            return ComponentStatus(state="failed", message=f"nothing is exported: {message}", hint=hint)
        # Of one moment: while the rows are counted, more is sent.
        sent, waiting, dropped = self._sent, len(self._unsent), self._dropped
        if self._last is not None:
            with suppress(Refused):  # the ledger says so itself
                waiting += await self._rows.waiting(self._last)
        numbers = {"sent": float(sent), "waiting": float(waiting), "dropped": float(dropped)}
        if self._away_since is None and self._refused is None:
            return ComponentStatus(state="ok", numbers=numbers)
        if self._away_since is None:
            message = (
                f"the collector at {self._settings.otlp_url} refuses spans with HTTP {self._refused}: {dropped} dropped"
            )
            return ComponentStatus(state="degraded", message=message, hint=_SEE_LOG, numbers=numbers)
        message = (
            f"the collector at {self._settings.otlp_url} takes nothing since {self._away_since:%Y-%m-%d %H:%M} UTC: "
            f"{counted(waiting, 'span')} waiting, {dropped} dropped"
        )
        return ComponentStatus(state="degraded", message=message, hint=_SEE_COLLECTOR, numbers=numbers)

    async def _look(self, instruments: Instruments) -> float:
        """Send what there is; return after how many seconds to look again."""
        if self._last is None:
            self._last = await self._rows.newest()
        while True:
            if not self._unsent:
                events: list[DoneEvent] = []
                # Whoever is cancelled here would leave to a write under way what the last look is to find.
                with anyio.CancelScope(shield=True):
                    events = await self._rows.after(self._last, limit=MOST_ROWS)
                self._trouble = None
                if not events:
                    return self._settings.every_s
                self._unsent = instruments.take(events)
                self._last = events[-1].number
            sending = self._sending = self._sending or self._send(instruments)
            # Who is cancelled here leaves them on their way, for whoever looks next.
            await sending.settled()
            self._sending = None
            if not sending.taken():
                status = instruments.status()
                if status in REFUSED:
                    self._refuse(status, sending.count)
                    continue
                await self._not_taken(instruments, status)
                return min(RETRY_S, self._settings.every_s * 2.0**self._tries)
            self._sent += sending.count
            del self._unsent[: sending.count]
            self._tries, self._refused = 0, None
            if self._away_since is not None:
                log.info("the collector is back")
                self._away_since = None

    def _send(self, instruments: Instruments) -> Sending:
        spans = self._unsent[: self._most_sent]
        return Sending(lambda: instruments.send(spans), len(spans))

    def _refuse(self, status: int, count: int) -> None:
        """Send fewer at once where they are too large; else drop them, and say so once."""
        if status == TOO_LARGE and count > 1:
            self._most_sent = count // 2
            return
        del self._unsent[:count]
        self._dropped += count
        if self._refused is None:
            message = f"the collector at {self._settings.otlp_url} refuses spans with HTTP {status}: they are dropped"
            log.warning("%s. %s", message, _SEE_LOG)
            self._publish(Warned(component="telemetry", message=message, hint=_SEE_LOG))
        self._refused = status

    async def _not_taken(self, instruments: Instruments, status: int | None) -> None:
        """Say so, once; of what waits then, keep the newest."""
        self._tries = min(self._tries + 1, MOST_TRIES)
        if self._away_since is None:
            self._away_since = self._clock.now()
            answer = f" (HTTP {status})" if status else ""
            message = f"the collector at {self._settings.otlp_url} takes no spans{answer}; they wait"
            log.warning("%s. %s", message, _SEE_COLLECTOR)
            self._publish(Warned(component="telemetry", message=message, hint=_SEE_COLLECTOR))
        beyond = await self._rows.waiting(self._last or 0) + len(self._unsent) - self._most_waiting
        if beyond > 0:
            beyond -= len(self._unsent)
            self._dropped += len(self._unsent)
            self._unsent = []
        while beyond > 0 and (events := await self._rows.after(self._last or 0, limit=min(beyond, MOST_ROWS))):
            self._dropped += len(instruments.take(events))
            self._last = events[-1].number
            beyond -= len(events)

    async def _stop(self, instruments: Instruments) -> None:
        away = self._away_since is not None
        with anyio.move_on_after(AWAY_S if away else STOP_S, shield=True) as limit:
            if not away:
                with suppress(Refused):
                    await self._look(instruments)
            left_s = max(0.1, limit.deadline - anyio.current_time())
            await anyio.to_thread.run_sync(instruments.shutdown, left_s, abandon_on_cancel=True)
        with anyio.CancelScope(shield=True), suppress(Refused):
            if lost := len(self._unsent) + (await self._rows.waiting(self._last) if self._last is not None else 0):
                log.warning("the collector has not taken the last %s, and gets them no more", counted(lost, "span"))

    def _complain(self, message: str, hint: str) -> None:
        self._trouble = message, hint
        log.warning("nothing is exported: %s. %s", message, hint)
        self._publish(Warned(component="telemetry", message=f"nothing is exported: {message}", hint=hint))
