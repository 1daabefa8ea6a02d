"""Goose: what is said is heard; it takes nothing from hooks."""

from memoryd.hosts.event import Dialect, Event, Payload, as_it_is
from memoryd.hosts.request import HookRequest


def read(payload: Payload, request: HookRequest) -> Event | None:
    """Return what an event means."""
    session, name = payload.text("session_id"), payload.text("event", "hook_event_name") or request.event
    folder = payload.text("cwd", "working_dir")
    if not session:
        return None
    match name:
        case "UserPromptSubmit":
            return Event("prompt", session, name, payload.text("message", "prompt"), folder=folder)
        case "Stop":
            return Event("answer", session, name, payload.text("last_assistant_message"), folder=folder)
        case "SessionEnd":
            return Event("ends", session, name, folder=folder)
        case _:
            return None


HOST = Dialect("goose", read, as_it_is, heard_at=frozenset())
