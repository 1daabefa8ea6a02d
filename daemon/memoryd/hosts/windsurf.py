"""Windsurf: what is said is heard; it takes nothing from hooks."""

from memoryd.hosts.event import Dialect, Event, Payload, as_it_is
from memoryd.hosts.request import HookRequest


def read(payload: Payload, request: HookRequest) -> Event | None:
    """Return what an event means."""
    session, name = payload.text("trajectory_id"), payload.text("agent_action_name") or request.event
    said = payload.inner("tool_info")
    if not session:
        return None
    match name:
        case "pre_user_prompt":
            return Event("prompt", session, name, said.text("user_prompt", "prompt"), payload.text("execution_id"))
        case "post_cascade_response":
            return Event("answer", session, name, said.text("response", "text"), payload.text("execution_id"))
        case _:
            return None


HOST = Dialect("windsurf", read, as_it_is, heard_at=frozenset())
