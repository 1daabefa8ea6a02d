"""Claude Code, and the shape of events that others have taken over from it."""

from msgspec.structs import replace

from memoryd.hosts.event import Dialect, Event, Kind, Payload, as_context
from memoryd.hosts.request import HookRequest

_FILES = ("file_path", "notebook_path", "path", "absolute_path")


_KINDS: dict[str, Kind] = {
    "SessionStart": "begins",
    "UserPromptSubmit": "prompt",
    "Stop": "answer",
    "SessionEnd": "ends",
}


def read(payload: Payload, request: HookRequest) -> Event | None:
    """Return what an event means; None for what subagents do."""
    session, name = payload.text("session_id"), payload.text("hook_event_name") or request.event
    if not session or payload.text("agent_id"):
        return None
    event = Event("tool", session, name, prompt=payload.text("prompt_id", "turn_id"), folder=payload.text("cwd"))
    if name in ("PostToolUse", "PostToolUseFailure"):
        return tool(payload, event, failed=name == "PostToolUseFailure")
    if name == "SessionStart" and payload.text("source") in ("clear", "compact"):
        return replace(event, kind="cleared")
    kind = _KINDS.get(name)
    texts = {"prompt": ("submitted_prompt", "prompt"), "answer": ("last_assistant_message",)}
    return replace(event, kind=kind, text=payload.text(*texts.get(kind, ()))) if kind else None


def tool(payload: Payload, event: Event, *, failed: bool = False) -> Event:
    """Return an event with what a tool had in hand and brought."""
    given = payload.inner("tool_input")
    files = tuple(filter(None, (given.text(name) for name in _FILES)))
    text = payload.text("error") or payload.whole("tool_response")
    return replace(event, text=text, files=files, failed=failed)


HOST = Dialect("claude", read, as_context, longest=9_500)
"""Beyond 10,000 characters it shows the model the name of a file."""
