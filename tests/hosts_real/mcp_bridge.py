"""The official scenarios speak HTTP: what they post goes to `memoryd mcp` line by line, and its answers go back."""

import itertools
import json
import queue
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

Json = dict[str, Any]
_HERE = ("127.0.0.1", "localhost")
_ANSWER_S = 30
_STATUS = {-32601: 404, -32602: 400, -32022: 400}
"""Of errors, where a request names its version: what the transport says of them."""


class McpBridge(ThreadingHTTPServer):
    """One server for all who post. It has no sessions and no streams, as `memoryd mcp` has none."""

    daemon_threads = True

    def __init__(self, environment: dict[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        code = "from memoryd_cli import main; main()"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self._numbers = itertools.count(1)
        self._waiting: dict[str, queue.Queue[Json]] = {}
        self._writing = threading.Lock()
        self._workers = [threading.Thread(target=work, daemon=True) for work in (self.serve_forever, self._read)]
        for thread in self._workers:
            thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/mcp"

    def close(self) -> None:
        self.shutdown()
        self.server_close()
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()
        for thread in self._workers:
            thread.join()
        assert self._process.stdout
        self._process.stdout.close()

    def tell(self, message: Json) -> None:
        """Hand on what is not answered."""
        assert self._process.stdin
        with self._writing:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def ask(self, message: Json) -> Json:
        """Return the answer to a request; several clients number theirs alike, so it is given another number."""
        number, answers = f"bridge-{next(self._numbers)}", queue.Queue[Json]()
        self._waiting[number] = answers
        self.tell({**message, "id": number})
        return {**answers.get(timeout=_ANSWER_S), "id": message["id"]}

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            answer: Json = json.loads(line)
            if (waits := self._waiting.pop(str(answer.get("id")), None)) is not None:
                waits.put(answer)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        pass

    def do_GET(self) -> None:
        self._reply(405, {"error": "there is no stream"})

    def do_DELETE(self) -> None:
        self._reply(405, {"error": "there is no session"})

    def do_POST(self) -> None:
        bridge = cast("McpBridge", self.server)
        message: Json = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        origin = (self.headers.get("origin") or "//localhost").split("//")[-1]
        if not {_host(self.headers.get("host") or ""), _host(origin)} <= set(_HERE):
            self._reply(403, {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "not from here"}})
        elif "id" not in message:
            bridge.tell(message)
            self._reply(202, None)
        else:
            answer = bridge.ask(message)
            stateless = "_meta" in (message.get("params") or {}) or message.get("method") == "server/discover"
            code = cast("Json", answer.get("error") or {}).get("code", 0)
            self._reply(_STATUS.get(code, 200) if stateless else 200, answer)

    def _reply(self, status: int, said: Json | None) -> None:
        content = b"" if said is None else json.dumps(said).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _host(place: str) -> str:
    return place.rsplit(":", 1)[0]
