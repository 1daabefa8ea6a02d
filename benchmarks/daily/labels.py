"""Who decides in the benchmark: nobody, a configured model, or the labels themselves behind the `openai` protocol.

A judge that is always right shows what the rest of the way loses.
"""

import json
import re
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from benchmarks.daily.data import Person

JUDGES = ("none", "labels", "anthropic", "openai", "command")
_BLOCK = re.compile(r"<(request|candidates)>\n(.*?)\n</\1>", re.DOTALL)
_COMPARED = 300
"""Characters by which a message or a memory is known again: the question may show it shortened."""


@contextmanager
def judge(person: Person, name: str) -> Generator[dict[str, str]]:
    """Yield the settings with which a daemon asks this judge, and serve it meanwhile where it is the labels.

    The other models are configured by the environment or by `--set sidecar.model=...`.
    """
    settings = {"MEMORYD_SIDECAR_PROVIDER": "openai" if name == "labels" else name}
    if name != "labels":
        yield settings
        return
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(Labels(person)))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield settings | {
            "MEMORYD_SIDECAR_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1",
            "MEMORYD_SIDECAR_MODEL": "labels",
        }
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Labels:
    """Answers a judge's question by what a good colleague would want in mind for this message."""

    def __init__(self, person: Person) -> None:
        self._texts = [(_known_by(memory.text), memory.id) for memory in person.memories]
        self._turns = [(_known_by(turn.user), turn.relevant) for turn in person.turns]

    def answer(self, question: str) -> str:
        """Return a verdict for each candidate that is wanted; nothing for a question of another kind."""
        blocks = dict(_BLOCK.findall(question))
        if not blocks.keys() >= {"request", "candidates"}:
            return "{}"
        request = _known_by(_text(blocks["request"]))
        wanted = next((relevant for user, relevant in self._turns if _same(user, request)), frozenset[str]())
        verdicts = [
            {"index": shown["index"], "reason": "labelled", "relevant": True, "actionable": True, "score": 1.0}
            for shown in json.loads(blocks["candidates"])
            if self._name(shown["text"]) in wanted
        ]
        return json.dumps({"verdicts": verdicts})

    def _name(self, text: str) -> str:
        shown = _known_by(text)
        return next((name for told, name in self._texts if told in shown or shown in told), "")


def _text(block: str) -> str:
    """Return a block of text, which may be written as JSON."""
    try:
        return str(json.loads(block))
    except ValueError:
        return block


def _known_by(text: str) -> str:
    return " ".join(text.split())[:_COMPARED]


def _same(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) > 40 and (one.startswith(other) or other.startswith(one)))


def _handler(labels: Labels) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["content-length"])))
            said = labels.answer("\n".join(str(message["content"]) for message in asked["messages"]))
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}
            body = json.dumps(
                {"id": "1", "choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}
            ).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own name
            """Say nothing."""

    return Handler
