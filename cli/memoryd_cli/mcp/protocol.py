"""The Model Context Protocol, as far as a server of tools, resources and prompts needs it, in both of its eras.

Until 2025-11-25 a client begins with `initialize`; since 2026-07-28 each request names its version in `_meta`, there is
`server/discover`, and each result says that it is complete. Imports next to nothing: hosts wait for the first answer.
"""

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Final

    Json = dict[str, object]
    Handler = Callable[[Json], Json]

MODERN: "Final" = "2026-07-28"
LEGACY: "Final" = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
_META: "Final" = "io.modelcontextprotocol"
_CACHED: "Final" = {"tools/list": 3_600_000, "prompts/list": 3_600_000, "server/discover": 3_600_000}
"""For how many milliseconds a client may keep what it got; of all else that may be kept, not at all."""
_ONLY_LEGACY: "Final" = frozenset({"initialize", "ping", "logging/setLevel", "resources/subscribe"})

PARSE_ERROR: "Final" = -32700
INVALID_REQUEST: "Final" = -32600
UNKNOWN_METHOD: "Final" = -32601
INVALID_PARAMETERS: "Final" = -32602
INTERNAL_ERROR: "Final" = -32603
UNKNOWN_VERSION: "Final" = -32022
UNKNOWN_RESOURCE: "Final" = -32002
"""Of the older era; in the newer one it is INVALID_PARAMETERS."""


class RpcError(Exception):
    """Raised when a request is answered with an error."""

    def __init__(self, code: int, message: str, data: "Json | None" = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


class Protocol:
    """Answers messages with the help of handlers, by the names of their methods."""

    def __init__(self, handlers: "Mapping[str, Handler]", about: "Json") -> None:
        """Prepare; `about` is what `server/discover` says: capabilities, serverInfo, instructions."""
        self._handlers = handlers
        self._about = about
        self.client = ""
        """Who is asking, as it says itself."""

    def answer(self, line: bytes) -> bytes | None:
        """Return the line that answers a line; None where nothing is to be said."""
        if not line.strip():
            return None
        try:
            given: object = json.loads(line)
        except (ValueError, RecursionError):
            answer: object = _error(None, RpcError(PARSE_ERROR, "Parse error: a message is one line of JSON"))
        else:
            if isinstance(given, list) and given:
                answer = [one for each in given if (one := self._one(each)) is not None] or None
            else:
                answer = self._one(given)
        return None if answer is None else json.dumps(answer).encode() + b"\n"

    def _one(self, given: object) -> "Json | None":
        if not isinstance(given, dict) or given.get("jsonrpc") != "2.0":
            return _error(None, RpcError(INVALID_REQUEST, "Invalid Request: it has no `jsonrpc` of 2.0"))
        message: Json = given
        if "method" not in message or "id" not in message:
            return None  # an answer, or a notification
        number, method, given_parameters = message["id"], message["method"], message.get("params")
        parameters: Json = given_parameters if isinstance(given_parameters, dict) else {}
        try:
            if not isinstance(method, str) or isinstance(number, bool) or not isinstance(number, str | int):
                raise RpcError(INVALID_REQUEST, "Invalid Request: `method` is text, `id` text or a number")
            return {"jsonrpc": "2.0", "id": number, "result": self._result(method, parameters)}
        except RpcError as error:
            return _error(number if isinstance(number, str | int) else None, error)
        except Exception as error:
            return _error(number, RpcError(INTERNAL_ERROR, f"Internal error: {type(error).__name__}: {error}"))

    def _result(self, method: str, parameters: "Json") -> "Json":
        given = parameters.get("_meta")
        meta: Json = given if isinstance(given, dict) else {}
        version = meta.get(f"{_META}/protocolVersion")
        if version is not None and version not in (MODERN, *LEGACY):
            supported: Json = {"supported": [MODERN, *LEGACY], "requested": version}
            raise RpcError(UNKNOWN_VERSION, "Unsupported protocol version", supported)
        if version is None and method == "server/discover":  # of the newer era only, where each request names one
            raise RpcError(INVALID_PARAMETERS, f"Invalid params: `_meta` has no {_META}/protocolVersion")
        modern = version == MODERN
        if modern and not isinstance(meta.get(f"{_META}/clientCapabilities"), dict):
            raise RpcError(INVALID_PARAMETERS, f"Invalid params: `_meta` has no {_META}/clientCapabilities")
        if modern and method in _ONLY_LEGACY:
            raise RpcError(UNKNOWN_METHOD, f"Method not found: {method}")
        self._note(meta.get(f"{_META}/clientInfo") if modern else parameters.get("clientInfo"))
        result = self._handled(method, parameters, modern=modern)
        if not modern and method != "server/discover":
            return result
        result = {**result, "resultType": "complete", "_meta": {f"{_META}/serverInfo": self._about["serverInfo"]}}
        if method in _CACHED or method.endswith("/list") or method == "resources/read":
            result |= {"ttlMs": _CACHED.get(method, 0), "cacheScope": "private"}
        return result

    def _handled(self, method: str, parameters: "Json", *, modern: bool) -> "Json":
        match method:
            case "initialize":
                asked = parameters.get("protocolVersion")
                return {"protocolVersion": asked if asked in LEGACY else LEGACY[0], **self._about}
            case "server/discover":
                return {"supportedVersions": [MODERN, *LEGACY], **self._about}
            case "ping" | "logging/setLevel":
                return {}
            case _:
                pass
        handler = self._handlers.get(method)
        if handler is None:
            raise RpcError(UNKNOWN_METHOD, f"Method not found: {method}")
        try:
            return handler(parameters)
        except RpcError as error:
            if modern and error.code == UNKNOWN_RESOURCE:
                error.code = INVALID_PARAMETERS
            raise

    def _note(self, info: object) -> None:
        name = info.get("name") if isinstance(info, dict) else None
        if isinstance(name, str) and name:
            self.client = name


def _error(number: object, error: RpcError) -> "Json":
    told: Json = {"code": error.code, "message": str(error)}
    if error.data is not None:
        told["data"] = error.data
    return {"jsonrpc": "2.0", "id": number, "error": told}
