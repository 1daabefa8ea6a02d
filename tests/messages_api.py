"""A loopback server that speaks the Messages API: in order, and in every way it can go wrong.

It runs in threads, so that it serves tests with and without an event loop, and daemons in other processes.
"""

import gzip
import json
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NoReturn, Self

_PATIENCE_S = 30.0
"""After this long something hangs that should not; far below the timeout of a test."""


@dataclass(frozen=True)
class Reply:
    """What the server sends, byte for byte."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    cut_after: int | None = None
    """Hang up after that many bytes of the body."""
    until: threading.Event | None = None
    """Hold the answer back until this is set."""
    again_s: float | None = None
    """Send the body over and over, with a pause of so many seconds, and never say how long it will be."""


@dataclass(frozen=True)
class Received:
    """A request as it came in."""

    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """The user message."""
        return str(self.body["messages"][0]["content"])

    @property
    def system(self) -> str:
        """The instructions."""
        return str(self.body["system"])

    @property
    def fields(self) -> set[str]:
        """The fields that the answer must have."""
        return set(self.body["output_config"]["format"]["schema"]["properties"])


def verdict(
    index: object = 0,
    *,
    relevant: object = True,
    actionable: object = True,
    score: object = 0.9,
    reason: object = "it names the token",
) -> dict[str, object]:
    return {"index": index, "relevant": relevant, "actionable": actionable, "score": score, "reason": reason}


def message(text: str, *, stop_reason: str = "end_turn", input_tokens: int = 1200, output_tokens: int = 250) -> Reply:
    """A complete answer with this text."""
    body = {
        "id": "msg_013Zva2CMHLNnXjNJJKqJ2EF",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-5-5",
        "content": [{"type": "text", "text": text}] if text else [],
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": input_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": output_tokens,
            "service_tier": "standard",
        },
    }
    return Reply(json.dumps(body).encode())


def verdicts(*given: object, input_tokens: int = 1200, output_tokens: int = 250) -> Reply:
    """An answer with these verdicts; without any: nothing is relevant."""
    return message(json.dumps({"verdicts": given}), input_tokens=input_tokens, output_tokens=output_tokens)


def lookup(kind: object = "read_source", index: object = 0, query: object = "") -> dict[str, object]:
    return {"kind": kind, "index": index, "query": query}


def asking(*lookups: object, verdicts: Sequence[object] = ()) -> Reply:
    """An answer with verdicts that would like to look something up."""
    return message(json.dumps({"verdicts": verdicts, "lookups": lookups}))


def error(status: int, kind: str, text: str, **headers: str) -> Reply:
    """An error as the service words it."""
    body = {"type": "error", "error": {"type": kind, "message": text}, "request_id": "req_011CSHoEeqs5C35K2UUqR7Fy"}
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(json.dumps(body).encode(), status=status, headers={"content-type": "application/json"} | names)


def refusal() -> Reply:
    return message("", stop_reason="refusal", output_tokens=4)


def truncated() -> Reply:
    whole = json.dumps({"verdicts": [verdict(0), verdict(1)]})
    return message(whole[: len(whole) // 2], stop_reason="max_tokens")


def held(reply: Reply, until: threading.Event) -> Reply:
    """The same, not before `until` is set."""
    return replace(reply, until=until)


def dropped(reply: Reply) -> Reply:
    """The same, with the connection gone in the middle of the body."""
    return replace(reply, cut_after=len(reply.body) // 2)


def html(status: int = 200) -> Reply:
    page = b"<!doctype html><html><body><h1>Sign in to the network</h1></body></html>"
    return Reply(page, status=status, headers={"content-type": "text/html; charset=utf-8"})


def garbage() -> Reply:
    return Reply(bytes(range(256)) * 4)


def redirect(to: str) -> Reply:
    return Reply(b"", status=307, headers={"location": to})


def huge() -> Reply:
    """A valid answer behind five megabytes of blanks."""
    return Reply(b" " * 5_000_000 + verdicts(verdict(0)).body)


def dripping() -> Reply:
    """A blank now and then, so that the connection is never quiet, and never an answer."""
    return Reply(b" ", again_s=0.02)


def endless() -> Reply:
    """Blanks without an end."""
    return Reply(b" " * 65_536, again_s=0.0)


def compressed(reply: Reply) -> Reply:
    """The same, compressed although nobody offered to read that."""
    return replace(reply, body=gzip.compress(reply.body), headers={**reply.headers, "content-encoding": "gzip"})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, _Server)
        size = int(self.headers.get("content-length", "0"))
        body = json.loads(self.rfile.read(size) or b"{}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = server.api.received(Received(self.path, headers, body))
        if reply.until is not None:
            reply.until.wait(_PATIENCE_S)
        try:
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if reply.again_s is not None:
                self._send_for_ever(reply.body, reply.again_s)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body[: reply.cut_after])
        except (BrokenPipeError, ConnectionResetError):
            # The client has gone, as it should where the answer came too late or was too long.
            self.close_connection = True
        if reply.cut_after is not None:
            self.close_connection = True

    def _send_for_ever(self, body: bytes, pause_s: float) -> NoReturn:
        self.send_header("connection", "close")
        self.end_headers()
        while True:
            self.wfile.write(body)
            self.wfile.flush()
            time.sleep(pause_s)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Keep stderr for what goes wrong."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    api: "MessagesApi"

    def handle_error(self, request: object, client_address: object) -> None:
        """Stay quiet about clients that hang up between two requests."""


class MessagesApi:
    """The server; a context manager. Answers what is queued, then what was last set with `always`."""

    def __init__(self, always: Reply | None = None) -> None:
        self._always = always if always is not None else verdicts()
        self._queue: deque[Reply] = deque()
        self._changed = threading.Condition()
        self._requests: list[Received] = []
        self._batches: dict[str, list[dict[str, Any]]] = {}
        self._no_batches: Reply | None = None
        self._ended = True
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.api = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def requests(self) -> Sequence[Received]:
        with self._changed:
            return tuple(self._requests)

    def always(self, reply: Reply) -> None:
        """Answer everything that is not queued for with this."""
        with self._changed:
            self._always = reply

    def queue(self, *replies: Reply) -> None:
        """Answer the next requests with these, in order."""
        with self._changed:
            self._queue.extend(replies)

    def wait_for_requests(self, count: int) -> None:
        """Block until that many requests have arrived; from an event loop, call it in a thread."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self._requests) >= count, _PATIENCE_S):
                raise AssertionError(f"{len(self._requests)} of {count} requests came")

    @property
    def submitted(self) -> list[list[dict[str, Any]]]:
        """The requests of every batch that was taken."""
        with self._changed:
            return list(self._batches.values())

    def refuse_batches(self, reply: Reply | None) -> None:
        """Answer everything about batches with this; None: as the service does."""
        with self._changed:
            self._no_batches = reply

    def end_batches(self, *, ended: bool = True) -> None:
        """Say of every batch that it is read, or that it is not yet."""
        with self._changed:
            self._ended = ended

    def _batch(self, request: Received) -> Reply:
        if self._no_batches is not None:
            return self._no_batches
        parts = request.path.split("/")[4:]
        if not parts:
            batch = f"msgbatch_{len(self._batches) + 1:02}"
            self._batches[batch] = request.body["requests"]
        else:
            batch = parts[0]
        if batch not in self._batches:
            return error(404, "not_found_error", "no such batch")
        if parts[1:] == ["results"]:
            lines = [self._result(one["custom_id"]) for one in reversed(self._batches[batch])]
            return Reply(b"\n".join(lines), headers={"content-type": "application/x-jsonl"})
        status = "ended" if self._ended and parts else "in_progress"
        body = {
            "id": batch,
            "type": "message_batch",
            "processing_status": status,
            "request_counts": {"processing": 0, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0},
            "created_at": "2026-11-21T12:00:00Z",
            "expires_at": "2026-11-22T12:00:00Z",
            "results_url": "https://elsewhere.example/results" if status == "ended" else None,
        }
        return Reply(json.dumps(body).encode())

    def _result(self, custom_id: str) -> bytes:
        answer = self._queue.popleft() if self._queue else self._always
        if answer.status == 200:
            result: dict[str, object] = {"type": "succeeded", "message": json.loads(answer.body)}
        else:
            result = {"type": "errored", "error": json.loads(answer.body)}
        return json.dumps({"custom_id": custom_id, "result": result}).encode()

    def received(self, request: Received) -> Reply:
        """Note a request and choose its answer; the handler calls this."""
        with self._changed:
            self._requests.append(request)
            self._changed.notify_all()
            if request.path.startswith("/v1/messages/batches"):
                return self._batch(request)
            return self._queue.popleft() if self._queue else self._always

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
