"""What was done, as an OpenTelemetry collector gets it: through the SDK's own exporters, and over a real socket."""

from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from itertools import count
from pathlib import Path
from threading import Event

import anyio
import anyio.from_thread
import anyio.lowlevel
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from memoryd.clock import SystemClock
from memoryd.ledger import SqlLedger
from memoryd.telemetry import MOST_WAITING, Instruments, Telemetry, TelemetryConfig
from memoryd_actors.memory.events import Happened
from memoryd_actors.memory.steps import Add
from memoryd_client.wire.event_counts import DoneEvent
from memoryd_client.wire.events import Warned
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.status import ComponentStatus
from running import RunningDaemon, until
from web_server import answering

SECRET = "The vault is behind the painting."


async def opened(folder: Path) -> SqlLedger:
    ledger = SqlLedger(folder / "ledger.db", clock=SystemClock())
    await ledger.open()
    return ledger


def memory(number: int) -> Memory:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    content = f"{SECRET} {number}"
    return Memory(id=f"mem_{number}", owner="local", content=content, session="s1", created_at=at, updated_at=at)


async def test_what_is_done_from_now_on_becomes_spans_and_numbers_without_a_text(tmp_path: Path) -> None:
    ledger = await opened(tmp_path)
    await ledger.memories.apply("local", [Add(memory(0))], actor="a")
    spans, numbers = InMemorySpanExporter(), InMemoryMetricReader()
    telemetry = Telemetry(
        TelemetryConfig(otlp_url="http://127.0.0.1:1", every_s=0.01),
        ledger.events,
        lambda _: None,
        SystemClock(),
        offline=True,
    )
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(telemetry.export, Instruments(spans, numbers))
        with anyio.fail_after(30):
            for number in count(1):  # until it looks
                await ledger.memories.apply("local", [Add(memory(number))], actor="a", session="s2")
                if spans.get_finished_spans():
                    break
        ledger.events.record([Happened("local", "keeper", "update", "error", "s2", duration_ms=12.5)])
        tasks.cancel_scope.cancel()
    # What was left when it was stopped came, too.
    *created, failed = spans.get_finished_spans()
    assert {span.name for span in created} == {"memoryd keeper create"}
    assert failed.name == "memoryd keeper update"
    assert failed.status.status_code is StatusCode.ERROR
    assert failed.start_time is not None
    assert failed.end_time is not None
    assert abs(failed.end_time - failed.start_time - 12_500_000) < 2_000
    attributes = dict(created[0].attributes or {})
    assert (attributes["memoryd.session"], attributes["memoryd.agent"]) == ("s2", "a")
    assert attributes["memoryd.category"] == "fact"
    assert "mem_0" not in [(span.attributes or {}).get("memoryd.memory") for span in created]
    assert SECRET not in "".join(span.to_json() for span in spans.get_finished_spans())
    assert created[0].end_time is not None
    assert created[0].start_time is not None
    assert created[0].end_time > created[0].start_time
    await ledger.close()


class WatchedRows:
    """The ledger's rows, which say when they are looked at for the first time."""

    def __init__(self, ledger: SqlLedger) -> None:
        self._events = ledger.events
        self.looked = anyio.Event()

    async def newest(self) -> int:
        number = await self._events.newest()
        self.looked.set()
        return number

    async def after(self, number: int, *, limit: int) -> list[DoneEvent]:
        return await self._events.after(number, limit=limit)

    async def waiting(self, number: int) -> int:
        return await self._events.waiting(number)


@contextmanager
def collector(status: Callable[[bytes], int] = lambda _: 200) -> Generator[tuple[str, list[bytes]]]:
    """Yield a collector's address, and the spans that it took: those that it answers with 200."""
    taken: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            answer = 200
            if self.path == "/v1/traces" and (answer := status(body)) == 200:
                taken.append(body)
            self.send_response(answer)
            self.end_headers()

    with answering(Collector) as url:
        yield url, taken


async def test_a_collector_gets_the_spans_over_http(tmp_path: Path) -> None:
    ledger = await opened(tmp_path)
    with collector() as (url, taken):
        rows = WatchedRows(ledger)
        telemetry = Telemetry(
            TelemetryConfig(otlp_url=url, every_s=0.01), rows, lambda _: None, SystemClock(), offline=True
        )
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(telemetry.run)
            with anyio.fail_after(30):
                await rows.looked.wait()
                await ledger.memories.apply("local", [Add(memory(number)) for number in range(20)], actor="a")
            tasks.cancel_scope.cancel()
        spans = [
            span
            for body in taken
            for resource in _decoded(body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
    assert len(spans) == 20
    assert {span.name for span in spans} == {"memoryd keeper create"}
    assert SECRET.encode() not in b"".join(taken)
    await ledger.close()


async def test_spans_that_a_collector_refuses_for_good_do_not_block_the_others(tmp_path: Path) -> None:
    def answer(body: bytes) -> int:
        spans = _decoded(body).resource_spans[0].scope_spans[0].spans
        if len(spans) > 2:
            return 413
        bad = any(one.value.string_value == "mem_0" for span in spans for one in span.attributes)
        return 400 if bad else 200

    ledger = await opened(tmp_path)
    said: list[object] = []
    with collector(answer) as (url, taken):
        rows = WatchedRows(ledger)
        telemetry = Telemetry(
            TelemetryConfig(otlp_url=url, every_s=0.01), rows, said.append, SystemClock(), offline=True
        )
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(telemetry.run)
            with anyio.fail_after(30):
                await rows.looked.wait()
                await ledger.memories.apply("local", [Add(memory(number)) for number in range(8)], actor="a")
                now = await seen(telemetry, lambda now: now.numbers["sent"] + now.numbers["dropped"] == 8)
            tasks.cancel_scope.cancel()
    assert now.numbers == {"sent": 6, "waiting": 0, "dropped": 2}
    assert len(taken) == 3
    assert [one.message for one in said if isinstance(one, Warned)] == [
        f"the collector at {url} refuses spans with HTTP 400: they are dropped"
    ]
    await ledger.close()


def test_a_collector_that_never_answers_holds_up_nobody_who_stops_the_daemon(models: Path, short_home: Path) -> None:
    asked: list[str] = []
    stopped = Event()

    class Silent(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            asked.append(self.path)
            stopped.wait()

    with answering(Silent) as url:
        (short_home / "config.toml").write_text(f'[telemetry]\notlp_url = "{url}"\nevery_s = 0.01\n', encoding="utf-8")
        try:
            with RunningDaemon(short_home, models, MEMORYD_RUNTIME_DIR=str(short_home)) as daemon:
                with daemon.client("s1") as client:
                    until(lambda: "telemetry" in client.status().components, "the export to begin")
                    for number in range(1000):  # until it looks
                        client.remember(f"{SECRET} {number}")
                        if asked:
                            break
                assert daemon.stop() == 0
                log = daemon.paths.log.read_text(encoding="utf-8")
        finally:
            stopped.set()
    # What was under way is not waited for until the exporter gives it up, and not sent again.
    assert asked.count("/v1/traces") == 1
    assert "takes no spans" not in log
    assert log.count("the collector has not taken the last") == 1


class Absent(InMemorySpanExporter):
    """A collector that is away for a while."""

    def __init__(self) -> None:
        super().__init__()
        self.away = True
        self.asked = anyio.Event()
        self._loop = anyio.lowlevel.current_token()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        anyio.from_thread.run_sync(self.asked.set, token=self._loop)
        return SpanExportResult.FAILURE if self.away else super().export(spans)


@asynccontextmanager
async def while_away(
    folder: Path, number: int, said: list[object], *, most_waiting: int = MOST_WAITING
) -> AsyncGenerator[tuple[Telemetry, Absent]]:
    """Yield what exports the spans of so many memories, and their collector, which was asked and is away."""
    ledger = await opened(folder)
    rows, spans = WatchedRows(ledger), Absent()
    config = TelemetryConfig(otlp_url="http://127.0.0.1:1", every_s=0.001)
    telemetry = Telemetry(config, rows, said.append, SystemClock(), offline=True, most_waiting=most_waiting)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(telemetry.export, Instruments(spans, InMemoryMetricReader()))
        with anyio.fail_after(30):
            await rows.looked.wait()
            await ledger.memories.apply("local", [Add(memory(each)) for each in range(number)], actor="a")
            await spans.asked.wait()
            yield telemetry, spans
        tasks.cancel_scope.cancel()
    await ledger.close()


async def seen(telemetry: Telemetry, condition: Callable[[ComponentStatus], bool]) -> ComponentStatus:
    """Return the status once it is as it should be."""
    while (now := await telemetry.status()) is None or not condition(now):  # noqa: ASYNC110 - a status tells nobody
        await anyio.sleep(0.01)
    return now


def memories(spans: InMemorySpanExporter) -> set[str]:
    return {str((span.attributes or {})["memoryd.memory"]) for span in spans.get_finished_spans()}


async def test_spans_wait_for_a_collector_that_is_away_which_is_said_once_and_in_the_status(tmp_path: Path) -> None:
    said: list[object] = []
    async with while_away(tmp_path, 700, said) as (telemetry, spans):
        away = await seen(telemetry, lambda now: now.numbers["waiting"] == 700 and now.state == "degraded")
        assert (away.state, away.numbers) == ("degraded", {"sent": 0, "waiting": 700, "dropped": 0})
        assert "takes nothing since 20" in away.message
        assert "700 spans waiting, 0 dropped" in away.message
        assert len(said) == 1
        spans.away = False
        back = await seen(telemetry, lambda now: not now.numbers["waiting"])
        assert (back.state, back.numbers["sent"]) == ("ok", 700)
    assert len(spans.get_finished_spans()) == 700
    assert memories(spans) == {f"mem_{number}" for number in range(700)}


async def test_the_numbers_of_a_status_are_of_one_moment_also_where_spans_are_sent_while_it_counts(
    tmp_path: Path,
) -> None:
    class CountedLate(WatchedRows):
        sent = anyio.Event()

        async def waiting(self, number: int) -> int:
            await self.sent.wait()
            return await super().waiting(number)

    ledger = await opened(tmp_path)
    rows, spans = CountedLate(ledger), InMemorySpanExporter()
    telemetry = Telemetry(
        TelemetryConfig(otlp_url="http://127.0.0.1:1", every_s=0.01), rows, lambda _: None, SystemClock(), offline=True
    )
    found: list[ComponentStatus | None] = []
    answered = anyio.Event()

    async def ask() -> None:
        found.append(await telemetry.status())
        answered.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(telemetry.export, Instruments(spans, InMemoryMetricReader()))
        with anyio.fail_after(30):
            await rows.looked.wait()
            tasks.start_soon(ask)
            await anyio.wait_all_tasks_blocked()
            await ledger.memories.apply("local", [Add(memory(number)) for number in range(3)], actor="a")
            while len(spans.get_finished_spans()) < 3:  # noqa: ASYNC110 - an exporter tells nobody
                await anyio.sleep(0.01)
            rows.sent.set()
            now = await seen(telemetry, lambda now: now.numbers["sent"] == 3)
            await answered.wait()
        tasks.cancel_scope.cancel()
    assert [one.numbers for one in found if one] == [{"sent": 0, "waiting": 3, "dropped": 0}]
    assert now.numbers == {"sent": 3, "waiting": 0, "dropped": 0}
    await ledger.close()


async def test_of_more_spans_than_may_wait_the_oldest_are_dropped(tmp_path: Path) -> None:
    async with while_away(tmp_path, 1_300, [], most_waiting=600) as (telemetry, spans):
        now = await seen(telemetry, lambda now: now.numbers["waiting"] <= 600 and now.state == "degraded")
        assert now.numbers["waiting"] + now.numbers["dropped"] == 1_300
        spans.away = False
        await seen(telemetry, lambda now: not now.numbers["waiting"])
    kept = memories(spans)
    assert {f"mem_{number}" for number in range(1_299, 1_299 - len(kept), -1)} == kept
    assert 0 < len(kept) <= 600


async def test_nothing_leaves_the_machine_while_it_is_offline_and_that_is_said() -> None:
    said: list[Warned] = []

    def heard(event: object) -> None:
        assert isinstance(event, Warned)
        said.append(event)

    class NoRows:
        async def newest(self) -> int:
            raise AssertionError

        async def after(self, number: int, *, limit: int) -> list[object]:
            raise AssertionError

    for url, why in (
        ("http://collector.firm:4318", "privacy.offline is on"),
        ("collector:4318", "no web address"),
        ("http://[::1:4318", "no web address"),
    ):
        telemetry = Telemetry(TelemetryConfig(otlp_url=url), NoRows(), heard, SystemClock(), offline=True)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] - never asked
        await telemetry.run()
        assert why in said[-1].message
    await Telemetry(TelemetryConfig(), NoRows(), heard, SystemClock(), offline=False).run()  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] - never asked
    assert len(said) == 3


def _decoded(body: bytes) -> ExportTraceServiceRequest:
    request = ExportTraceServiceRequest()
    request.ParseFromString(body)
    return request
