"""Operational events for OpenTelemetry, where somebody has named a collector: spans, a counter and a histogram.

What this daemon did is read from the ledger's rows (`memoryd events --rows`) some seconds after it was written, in the
background: no write waits for a collector. No text of a memory or a message is among it. The SDK is an extra, imported
here alone.
"""

import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Protocol
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import msgspec

from memoryd import __version__
from memoryd_actors.core.errors import Refused
from memoryd_actors.core.worker import Worker
from memoryd_actors.ports.publisher import Publisher
from memoryd_client.wire.event_counts import DoneEvent
from memoryd_client.wire.events import Warned

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import MetricReader
    from opentelemetry.sdk.trace import SpanProcessor

log = logging.getLogger(__name__)

MOST_ROWS = 1_000
"""Read from the ledger at once."""
RETRY_S = 60.0
EXPORT_S = 10
"""A collector is waited for no longer than this, by nobody but the threads that send to it."""
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


class Instruments:
    """The SDK's part: makes spans and numbers of events. Its exporters have threads of their own."""

    def __init__(self, spans: "SpanProcessor", numbers: "MetricReader") -> None:
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider

        # Of this process alone: the SDK's global providers belong to whoever embeds it.
        about = Resource.create({"service.name": "memoryd", "service.version": __version__})
        self._traces = TracerProvider(resource=about, shutdown_on_exit=False)
        self._traces.add_span_processor(spans)
        self._tracer = self._traces.get_tracer("memoryd", __version__)
        self._meters = MeterProvider([numbers], resource=about, shutdown_on_exit=False)
        meter = self._meters.get_meter("memoryd", __version__)
        self._operations = meter.create_counter("memoryd.operations", description="What was done.")
        self._durations = meter.create_histogram(
            "memoryd.operation.duration", unit="ms", description="How long it took, where that was measured."
        )

    def take(self, events: Sequence[DoneEvent]) -> None:
        """Make a span of each event, and count it."""
        from opentelemetry.trace import Status, StatusCode

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

    def shutdown(self) -> None:
        """Send what is left, and stop. Blocks."""
        self._traces.shutdown()
        self._meters.shutdown(timeout_millis=EXPORT_S * 1000)


def _more(event: DoneEvent) -> dict[str, str | float]:
    more: dict[str, str | float] = {"memoryd.event": event.number}
    if event.session:
        more["memoryd.session"] = event.session
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
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    base = url.rstrip("/")
    return Instruments(
        BatchSpanProcessor(OTLPSpanExporter(f"{base}/v1/traces", timeout=EXPORT_S)),
        PeriodicExportingMetricReader(OTLPMetricExporter(f"{base}/v1/metrics", timeout=EXPORT_S)),
    )


class Telemetry:
    """Hands what was done on, from now on; `run` it in a task group."""

    def __init__(self, settings: TelemetryConfig, rows: EventRows, publish: Publisher, *, offline: bool) -> None:
        self._settings = settings
        self._rows = rows
        self._publish = publish
        self._offline = offline

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
        try:
            instruments = await anyio.to_thread.run_sync(over_http, self._settings.otlp_url)
        except ImportError:
            self._complain("OpenTelemetry is not installed", "Install it with: pip install 'memoryd[otel]'")
            return
        await self.export(instruments)

    async def export(self, instruments: Instruments) -> None:
        """Hand on what is done until cancelled, and what is left then."""
        last: int | None = None

        async def look() -> float:
            nonlocal last
            if last is None:
                last = await self._rows.newest()  # what was done before is the past
            while events := await self._rows.after(last, limit=MOST_ROWS):
                instruments.take(events)
                last = events[-1].number
            return self._settings.every_s

        worker = Worker(look, complain=lambda why: self._complain(str(why), why.hint), retry_s=RETRY_S)
        try:
            await worker.run()
        finally:
            with anyio.move_on_after(EXPORT_S, shield=True):
                with suppress(Refused):
                    await look()
                await anyio.to_thread.run_sync(instruments.shutdown, abandon_on_cancel=True)

    def _complain(self, message: str, hint: str) -> None:
        log.warning("nothing is exported: %s. %s", message, hint)
        self._publish(Warned(component="telemetry", message=f"nothing is exported: {message}", hint=hint))
