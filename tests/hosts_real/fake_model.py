"""A model server on loopback that speaks as Anthropic, OpenAI (both APIs) and Google do, and keeps what it was sent."""

import gzip
import itertools
import json
import threading
from collections.abc import Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

Json = dict[str, Any]


class FakeModel(ThreadingHTTPServer):
    """Answers every request with "ok" and a number."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[Json] = []
        """What was sent, oldest first."""
        self.numbers = itertools.count(1)
        self._thread = threading.Thread(target=self.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def close(self) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join()

    def seen(self) -> list[str]:
        """Return all text of each request that asks for an answer in a conversation, in order."""
        return ["\n".join(_texts(body)) for body in self.requests]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        pass

    @property
    def _model(self) -> FakeModel:
        return cast("FakeModel", self.server)

    def do_HEAD(self) -> None:
        self._reply({})

    def do_GET(self) -> None:
        models = [{"id": "fake-model", "type": "model", "object": "model", "display_name": "fake"}]
        listed: Json = {"object": "list", "has_more": False, "data": models, "models": []}
        self._reply(listed, 200 if self.path.split("?")[0].endswith("/models") else 404)

    def do_POST(self) -> None:
        body = self._read()
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens"):
            self._reply({"input_tokens": 1000})
            return
        makers = {
            "/messages": _messages,
            "/responses": _responses,
            "/chat/completions": _chat,
            "enerateContent": _gemini,
        }
        make = next((maker for end, maker in makers.items() if path.endswith(end)), None)
        if make is None:
            self._reply({"error": {"type": "not_found_error", "message": "no such path"}}, 404)
            return
        number = next(self._model.numbers)
        self._model.requests.append(body)
        whole, events = make(body, f"ok {number}", number)
        if body.get("stream") or "stream" in path:
            self._stream(events)
        else:
            self._reply(whole)

    def _read(self) -> Json:
        raw = b""
        if "chunked" in (self.headers.get("transfer-encoding") or ""):
            while size := int(self.rfile.readline().split(b";")[0], 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        try:
            return cast("Json", json.loads(raw or b"{}"))
        except ValueError:
            return {}

    def _reply(self, said: Json, status: int = 200) -> None:
        content = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _stream(self, events: Iterable[Json | str]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in events:
            named = f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else ""
            said = event if isinstance(event, str) else json.dumps(event)
            self.wfile.write(f"{named}data: {said}\n\n".encode())
        self.close_connection = True


def _messages(body: Json, text: str, number: int) -> tuple[Json, list[Json | str]]:
    usage = {"input_tokens": 1000, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    block = {"type": "text", "text": text}
    head = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": body.get("model"), "usage": usage}
    whole = {**head, "content": [block], "stop_reason": "end_turn", "stop_sequence": None}
    return whole, [
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]


def _responses(body: Json, text: str, number: int) -> tuple[Json, list[Json | str]]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": content}
    usage = {"input_tokens": 1000, "output_tokens": 5, "total_tokens": 1005}
    head = {"id": f"resp_{number}", "object": "response", "created_at": 1_800_000_000, "model": body.get("model")}
    done = {**head, "status": "completed", "output": [item], "usage": usage, "error": None}
    begun: Json = {**head, "status": "in_progress", "output": []}
    place = {"output_index": 0, "content_index": 0, "item_id": item["id"]}
    return done, [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "status": "in_progress"}},
        {"type": "response.output_text.delta", **place, "delta": text},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": done},
    ]


def _chat(body: Json, text: str, number: int) -> tuple[Json, list[Json | str]]:
    head = {"id": f"chat-{number}", "created": 1_800_000_000, "model": body.get("model")}
    usage = {"prompt_tokens": 1000, "completion_tokens": 5, "total_tokens": 1005}
    message = {"role": "assistant", "content": text}
    whole = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}
    chunk = {**head, "object": "chat.completion.chunk"}
    return {**head, "object": "chat.completion", **whole}, [
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {**chunk, "choices": [], "usage": usage},
        "[DONE]",
    ]


def _gemini(body: Json, text: str, number: int) -> tuple[Json, list[Json | str]]:
    if (body.get("generationConfig") or {}).get("responseMimeType") == "application/json":
        # Side requests: who speaks next, which model is to be asked.
        text = json.dumps({"reasoning": "r", "next_speaker": "user", "model_choice": "flash"})
    candidate = {"index": 0, "content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}
    usage = {"promptTokenCount": 1000, "candidatesTokenCount": 5, "totalTokenCount": 1005}
    whole: Json = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "fake", "responseId": str(number)}
    return whole, [whole]
