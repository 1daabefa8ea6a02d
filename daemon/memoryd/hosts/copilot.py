"""Copilot CLI: events do not say their names, and the answer stands in a file only."""

import os
from pathlib import Path

import msgspec

from memoryd.hosts.event import Dialect, Event, Payload
from memoryd.hosts.request import HookRequest

_TAIL_BYTES = 4 * 1024 * 1024


def read(payload: Payload, request: HookRequest) -> Event | None:
    """Return what an event means. Blocks where the answer has to be looked up."""
    session = payload.text("sessionId", "session_id")
    folder = payload.text("cwd")
    name = request.event or payload.text("hookEventName", "hook_event_name")
    if not session:
        return None
    match name:
        case "sessionStart" | "SessionStart":
            return Event("begins", session, name, folder=folder)
        case "userPromptSubmitted" | "UserPromptSubmit":
            return Event("prompt", session, name, payload.text("prompt"), folder=folder)
        case "agentStop" | "Stop":
            return Event("answer", session, name, _last_answer(payload.text("transcriptPath")), folder=folder)
        case "sessionEnd" | "SessionEnd":
            return Event("ends", session, name, folder=folder)
        case _:
            return None


def _last_answer(transcript: str) -> str:
    """Return what the assistant said since the user's last prompt, as the host's own file has it."""
    try:
        with Path(transcript).open("rb") as file:
            file.seek(max(file.seek(0, os.SEEK_END) - _TAIL_BYTES, 0))
            lines = file.read().splitlines()
    except (OSError, ValueError):
        return ""
    said: list[str] = []
    for line in reversed(lines):
        try:
            entry = Payload(msgspec.json.decode(line, type=dict[str, object]))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue  # the first line of the tail is cut off
        if entry.text("type") == "user.message":
            break
        if entry.text("type") == "assistant.message":
            said.append(entry.inner("data").text("content"))
    return "\n\n".join(filter(None, reversed(said)))


def say(text: str, event: Event) -> bytes:
    """Say it at the top level; what other hosts want is ignored there."""
    return msgspec.json.encode({"additionalContext": text})


HOST = Dialect("copilot", read, say)
