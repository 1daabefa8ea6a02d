"""Where each program keeps its conversations, and how they are read. The formats are internal to these programs.

A reader takes one file and yields its conversations; what it does not know it passes over.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from memoryd_cli.histories.spoken import PastConversation, PastMessage, history, lines, spoken


@dataclass(frozen=True, slots=True)
class Program:
    """A program whose conversations can be read."""

    folder: str
    """Beneath the home."""
    pattern: str
    read: Callable[[Path], Iterator[PastConversation]]

    def files(self, home: Path) -> list[Path]:
        """Return the files that hold conversations, the oldest first."""
        found = (file for file in (home / self.folder).glob(self.pattern) if file.is_file())
        return sorted(found, key=lambda file: file.stat().st_mtime)


def _claude(file: Path) -> Iterator[PastConversation]:
    """Claude Code and Qwen Code: a line a message, with what was injected and called beside it."""
    session, project, said = file.stem, "", list[PastMessage]()
    for line in lines(file):
        if any(line.get(mark) for mark in ("isSidechain", "isMeta", "isCompactSummary", "toolUseResult")):
            continue
        message = line.get("message")
        if line.get("type") not in {"user", "assistant"} or not isinstance(message, dict):
            continue
        project = project or str(line.get("cwd") or "")
        content = message.get("content", message.get("parts"))
        said += spoken(str(line.get("uuid") or len(said)), str(line["type"]), content, line.get("timestamp"))
    yield from history(session, project, said)


def _codex(file: Path) -> Iterator[PastConversation]:
    """Codex: rollouts; a person's words are marked as such, a hook's as well."""
    session, project, said = file.stem, "", list[PastMessage]()
    for number, line in enumerate(lines(file)):
        payload = line.get("payload")
        if not isinstance(payload, dict):
            continue
        if line.get("type") == "session_meta":
            session, project = str(payload.get("id") or session), str(payload.get("cwd") or "")
        if line.get("type") != "response_item" or payload.get("type", "message") != "message":
            continue
        role = str(payload.get("role"))
        marks: Any = payload.get("internal_chat_message_metadata_passthrough") or {}
        if role == "user" and "user.text" not in marks.get("content_item_kinds", ["user.text"]):
            continue
        said += spoken(str(payload.get("id") or number), role, payload.get("content"), line.get("timestamp"))
    yield from history(session, project, said)


def _gemini(file: Path) -> Iterator[PastConversation]:
    """Gemini CLI: a header, patches and messages; the folder's name is all that tells the project."""
    said: list[PastMessage] = []
    project = ""
    roles = {"user": "user", "gemini": "assistant"}
    for number, line in enumerate(lines(file)):
        project = project or _first_directory(line)
        role = roles.get(str(line.get("type")), "")
        said += spoken(str(line.get("id") or number), role, line.get("content"), line.get("timestamp"))
    yield from history(file.stem, project, said)


def _first_directory(line: Mapping[str, Any]) -> str:
    directories = line.get("directories")
    return str(directories[0]) if isinstance(directories, list) and directories else ""


def _copilot(file: Path) -> Iterator[PastConversation]:
    """Copilot CLI: events; `content` is what was typed, `transformedContent` what was sent."""
    project, said = "", list[PastMessage]()
    roles = {"user.message": "user", "assistant.message": "assistant"}
    for number, line in enumerate(lines(file)):
        data = line.get("data")
        if not isinstance(data, dict):
            continue
        context: Any = data.get("context") or {}
        project = project or str(data.get("cwd") or (context.get("cwd") if isinstance(context, dict) else "") or "")
        role = roles.get(str(line.get("type")), "")
        said += spoken(str(line.get("id") or number), role, data.get("content"), line.get("timestamp"))
    yield from history(file.parent.name, project, said)


def _opencode(file: Path) -> Iterator[PastConversation]:
    """OpenCode: a database, read without changing it; parts that a plugin put in are marked as synthetic."""
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as database:
        database.row_factory = sqlite3.Row
        parts: defaultdict[str, list[Any]] = defaultdict(list)
        for row in database.execute("SELECT message_id, data FROM part ORDER BY id"):
            parts[row["message_id"]].append(msgspec.json.decode(row["data"]))
        said: defaultdict[str, list[PastMessage]] = defaultdict(list)
        for row in database.execute("SELECT id, session_id, data FROM message ORDER BY id"):
            data: dict[str, Any] = msgspec.json.decode(row["data"])
            at = (data.get("time") or {}).get("created")
            said[row["session_id"]] += spoken(row["id"], str(data.get("role")), parts[row["id"]], at)
        for row in database.execute("SELECT * FROM session ORDER BY id"):
            columns = set(row.keys())
            project = str(row["directory"]) if "directory" in columns and row["directory"] else ""
            yield from history(row["id"], project, said[row["id"]])


def _jarvis(file: Path) -> Iterator[PastConversation]:
    """A folder a session with `session.jsonl`: messages, calls and results, a line each."""
    said: list[PastMessage] = []
    for number, line in enumerate(lines(file)):
        if line.get("type") == "message":
            said += spoken(str(number), str(line.get("role")), line.get("content"), line.get("timestamp"))
    yield from history(file.parent.name, "", said)


PROGRAMS: Final[Mapping[str, Program]] = {
    "claude-code": Program(".claude/projects", "*/*.jsonl", _claude),
    "codex": Program(".codex/sessions", "**/rollout-*.jsonl", _codex),
    "gemini": Program(".gemini/tmp", "*/chats/session-*.jsonl", _gemini),
    "opencode": Program(".local/share/opencode", "opencode.db", _opencode),
    "copilot": Program(".copilot/session-state", "*/events.jsonl", _copilot),
    "qwen": Program(".qwen/projects", "*/chats/*.jsonl", _claude),
    "jsonl": Program("sessions", "*/session.jsonl", _jarvis),
}
"""By the name that `memoryd import --from` takes."""
