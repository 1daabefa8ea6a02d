"""Prompts that have no answer yet, a small file for each session: a daemon that starts anew goes on from there.

They are written as a transcript would have them: without what is private, secrets replaced.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import msgspec
from anyio import to_thread

from memoryd.private_folder import private_folder
from memoryd.rewriting import rewriting
from memoryd_actors.purging.purger import Unanswered

_KEPT_S = 7 * 86_400.0


class WaitingPrompt(msgspec.Struct, frozen=True):
    """What a user asked, and the id under which it goes into the transcript once it is answered."""

    number: str
    text: str
    owner: str = ""
    session: str = ""


class WaitingPrompts:
    """Those of all sessions, for purges; see `memoryd_actors.purging.purger.UnansweredPrompts`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.on_drop: Callable[[str, str, str], None] = lambda _owner, _session, _number: None
        """Told of owner, session and number: whoever listens to the session's host has the prompt, too."""

    async def of_owner(self, owner: str) -> list[Unanswered]:
        """Return those of an owner."""
        return await to_thread.run_sync(_of_owner, self._folder, owner)

    async def drop(self, owner: str, session: str, number: str = "") -> None:
        """Forget that of a session; where a `number` is told, only if it is that one: a later one may have come."""
        await to_thread.run_sync(_drop_one, self._folder, owner, session, number)
        self.on_drop(owner, session, number)


def note(folder: Path, owner: str, session: str, prompt: WaitingPrompt) -> None:
    """Write a session's prompt down, in place of the one before. Blocks for a moment."""
    private_folder(folder)
    prompt = msgspec.structs.replace(prompt, owner=owner, session=session)
    with rewriting(_file(folder, owner, session), durable=False) as opened:
        opened.write(msgspec.json.encode(prompt))


def waiting(folder: Path, owner: str, session: str) -> WaitingPrompt | None:
    """Return the prompt of a session that has no answer yet."""
    try:
        return msgspec.json.decode(_file(folder, owner, session).read_bytes(), type=WaitingPrompt)
    except (OSError, msgspec.MsgspecError):
        return None


def drop(folder: Path, owner: str, session: str) -> None:
    """Forget a session's prompt: it was answered, or is not wanted any more."""
    with suppress(OSError):
        _file(folder, owner, session).unlink(missing_ok=True)


def expire(folder: Path) -> None:
    """Forget prompts that nobody answered for a week."""
    oldest = time.time() - _KEPT_S
    for file in folder.iterdir() if folder.is_dir() else ():
        with suppress(OSError):
            if file.stat().st_mtime < oldest:
                file.unlink()


def _of_owner(folder: Path, owner: str) -> list[Unanswered]:
    found: list[Unanswered] = []
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        with suppress(OSError, msgspec.MsgspecError):
            prompt = msgspec.json.decode(file.read_bytes(), type=WaitingPrompt)
            if prompt.owner == owner:
                noted = datetime.fromtimestamp(file.stat().st_mtime, UTC)
                found.append(Unanswered(prompt.session, prompt.number, prompt.text, noted))
    return found


def _drop_one(folder: Path, owner: str, session: str, number: str) -> None:
    there = waiting(folder, owner, session)
    if not number or (there is not None and there.number == number):
        drop(folder, owner, session)


def _file(folder: Path, owner: str, session: str) -> Path:
    name = sha256(f"{owner}\0{session}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return folder / f"{name}.json"
