"""Gemini CLI: BeforeAgent and AfterAgent stand for prompt and answer."""

from msgspec.structs import replace

from memoryd.hosts.claude import tool
from memoryd.hosts.event import Dialect, Event, Kind, Payload, as_context
from memoryd.hosts.request import HookRequest

_KINDS: dict[str, Kind] = {
    "SessionStart": "begins",
    "BeforeAgent": "prompt",
    "AfterAgent": "answer",
    "AfterTool": "tool",
    "SessionEnd": "ends",
}


def read(payload: Payload, request: HookRequest) -> Event | None:
    """Return what an event means. PreCompress comes before every call of the model, and says nothing."""
    session, name = payload.text("session_id"), payload.text("hook_event_name") or request.event
    kind = _KINDS.get(name)
    if not session or kind is None:
        return None
    event = Event(kind, session, name, folder=payload.text("cwd"))
    if name == "SessionStart" and payload.text("source") == "clear":
        return replace(event, kind="cleared")
    if kind == "tool":
        return tool(payload, event)
    texts = {"prompt": "prompt", "answer": "prompt_response"}
    return replace(event, text=payload.text(texts.get(kind, "")))


HOST = Dialect("gemini", read, as_context, heard_at=frozenset({"prompt", "tool"}))
"""What is said when a session begins is glued to the first prompt, and both are lost when the session is resumed."""
