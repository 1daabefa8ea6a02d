"""Cursor: conversations and generations; workspace roots instead of a folder."""

import msgspec

from memoryd.hosts.event import Dialect, Event, Payload
from memoryd.hosts.request import HookRequest


def read(payload: Payload, request: HookRequest) -> Event | None:
    """Return what an event means."""
    session, name = payload.text("conversation_id", "session_id"), payload.text("hook_event_name") or request.event
    folder, id_ = payload.text("cwd") or payload.first("workspace_roots"), payload.text("generation_id")
    if not session:
        return None
    match name:
        case "sessionStart":
            return Event("begins", session, name, folder=folder)
        case "beforeSubmitPrompt":
            return Event("prompt", session, name, payload.text("prompt"), id_, folder)
        case "afterAgentResponse":
            return Event("answer", session, name, payload.text("text"), id_, folder)
        case "sessionEnd":
            return Event("ends", session, name, folder=folder)
        case _:
            return None


def say(text: str, event: Event) -> bytes:
    """Say it at the top level; a prompt needs leave to go on as well."""
    said: dict[str, object] = {"additional_context": text}
    return msgspec.json.encode({"continue": True, **said} if event.kind == "prompt" else said)


HOST = Dialect("cursor", read, say)
