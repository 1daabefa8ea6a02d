"""OpenCode, whose plugin is memoryd's own: it names events as memoryd does, and takes bare text."""

from memoryd.hosts.event import Dialect, Event, Kind, Payload, as_it_is
from memoryd.hosts.request import HookRequest

_KINDS: dict[str, Kind] = {"prompt": "prompt", "answer": "answer", "compacted": "cleared"}


def read(payload: Payload, request: HookRequest) -> Event | None:
    """Return what an event means."""
    session, name = payload.text("session_id"), payload.text("event")
    kind = _KINDS.get(name)
    if not session or kind is None:
        return None
    text = unquoted(payload.text("prompt")) if kind == "prompt" else payload.text("text")
    return Event(kind, session, name, text, payload.text("prompt_id"), payload.text("cwd"))


def unquoted(prompt: str) -> str:
    """Return a prompt without the quotation marks that the command line puts around one with spaces."""
    inner = prompt[1:-1]
    quoted = len(prompt) > 1 and prompt[0] == prompt[-1] == '"' and '"' not in inner
    return inner if quoted else prompt


HOST = Dialect("opencode", read, as_it_is, heard_at=frozenset({"prompt"}))
