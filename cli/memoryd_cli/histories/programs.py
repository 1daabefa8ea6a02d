"""Where each program keeps its conversations, and how they are read. The formats are internal to these programs.

A reader takes one file and yields its conversations; what it does not know it passes over.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any, Final

import msgspec

from memoryd.hosts.opencode import unquoted
from memoryd_cli.histories.spoken import PastConversation, PastMessage, begun, history, in_utc, lines, spoken


class Program(msgspec.Struct, frozen=True):
    """A program whose conversations can be read."""

    folder: str
    """Beneath the home."""
    pattern: str
    read: Callable[[Path], Iterator[PastConversation]]
    agent: str = ""
    """As its hooks call it, where that is another name."""
    has_projects: bool = True
    """Whether its conversations belong to projects, or hold everywhere."""

    def files(self, home: Path) -> list[Path]:
        """Return the files that hold conversations, that which was begun first first: so they build on each other."""
        found = (file for file in (home / self.folder).glob(self.pattern) if file.is_file())
        return sorted(found, key=begun)


def _claude(file: Path) -> Iterator[PastConversation]:
    """Claude Code and Qwen Code: a line a message, with what was injected and called beside it."""
    session, project, said = file.stem, "", list[PastMessage]()
    for line in lines(file):
        if any(
            line.get(mark)
            for mark in ("isSidechain", "isMeta", "isCompactSummary", "toolUseResult", "isApiErrorMessage")
        ):
            continue
        message = line.get("message")
        if line.get("type") not in {"user", "assistant"} or not isinstance(message, dict):
            continue
        if message.get("model") == "<synthetic>":
            continue
        project = project or str(line.get("cwd") or "")
        content = message.get("content", message.get("parts"))
        said += spoken(str(line.get("uuid") or len(said)), str(line["type"]), content, line.get("timestamp"))
    yield from history(session, project, said)


def _codex(file: Path) -> Iterator[PastConversation]:
    """Codex: rollouts; a person's words are marked as such, a hook's as well."""
    session, project, said = "", "", list[PastMessage]()
    for number, line in enumerate(lines(file)):
        payload = line.get("payload")
        if not isinstance(payload, dict):
            continue
        if line.get("type") == "session_meta" and not session:  # a fork has its parent's beside its own
            source = payload.get("source")
            if isinstance(source, dict) and "subagent" in source:
                return
            session, project = str(payload.get("id") or ""), str(payload.get("cwd") or "")
        if line.get("type") != "response_item" or payload.get("type", "message") != "message":
            continue
        role = str(payload.get("role"))
        marks: Any = payload.get("internal_chat_message_metadata_passthrough") or {}
        if role == "user" and "user.text" not in marks.get("content_item_kinds", ["user.text"]):
            continue
        said += spoken(str(payload.get("id") or number), role, payload.get("content"), line.get("timestamp"))
    yield from history(session or file.stem, project, said)


def _gemini(file: Path) -> Iterator[PastConversation]:
    """Gemini CLI: a header, patches and messages, which come again as they change; what was taken back is left out."""
    said: dict[str, list[PastMessage]] = {}
    session = ""
    roles = {"user": "user", "gemini": "assistant"}
    for number, line in enumerate(lines(file)):
        if line.get("kind") == "subagent":
            return
        session = session or str(line.get("sessionId") or "")
        back = str(line.get("$rewindTo") or "")
        if back in said:
            ids = list(said)
            said = {one: said[one] for one in ids[: ids.index(back)]}
        if role := roles.get(str(line.get("type"))):
            number_ = str(line.get("id") or number)
            said[number_] = list(spoken(number_, role, line.get("content"), line.get("timestamp")))
    yield from history(session or file.stem, _gemini_project(file.parents[1]), chain.from_iterable(said.values()))


def _gemini_project(folder: Path) -> str:
    """Return the project that a folder of Gemini CLI is of; a file within says it, or the list of projects."""
    try:
        return (folder / ".project_root").read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        pass
    try:
        projects = msgspec.json.decode((folder.parents[1] / "projects.json").read_bytes())["projects"]
        return next((str(path) for path, name in projects.items() if name == folder.name), "")
    except (FileNotFoundError, msgspec.DecodeError, KeyError, TypeError, AttributeError):
        return ""


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
        of_subagent = data.get("parentToolCallId") or line.get("agentId")
        of_skill = str(data.get("source") or "").startswith("skill-")
        role = "" if of_subagent or of_skill else roles.get(str(line.get("type")), "")
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
            if data.get("summary") is True:  # of a compaction
                continue
            at = (data.get("time") or {}).get("created")
            for one in spoken(row["id"], str(data.get("role")), parts[row["id"]], at):
                said[row["session_id"]].append(
                    msgspec.structs.replace(one, text=unquoted(one.text)) if one.role == "user" else one
                )
        found: list[PastConversation] = []
        for row in database.execute("SELECT * FROM session ORDER BY id"):
            columns = set(row.keys())
            if "parent_id" in columns and row["parent_id"]:
                continue  # a subagent's
            project = str(row["directory"]) if "directory" in columns and row["directory"] else ""
            found += history(row["id"], project, said[row["id"]])
    yield from sorted(found, key=lambda one: in_utc(one.said[0].at or datetime.min))


def _json_lines(file: Path) -> Iterator[PastConversation]:
    """A folder a session with `session.jsonl`: messages, calls and results, a line each."""
    said: list[PastMessage] = []
    for number, line in enumerate(lines(file)):
        if line.get("type") == "message":
            said += spoken(str(number), str(line.get("role")), line.get("content"), line.get("timestamp"))
    yield from history(file.parent.name, "", said)


PROGRAMS: Final[Mapping[str, Program]] = {
    "claude-code": Program(".claude/projects", "*/*.jsonl", _claude, agent="claude"),
    "codex": Program(".codex/sessions", "**/rollout-*.jsonl", _codex),
    "gemini": Program(".gemini/tmp", "*/chats/session-*.jsonl", _gemini),
    "opencode": Program(".local/share/opencode", "opencode.db", _opencode),
    "copilot": Program(".copilot/session-state", "*/events.jsonl", _copilot),
    "qwen": Program(".qwen/projects", "*/chats/*.jsonl", _claude),
    "jsonl": Program("sessions", "*/session.jsonl", _json_lines, has_projects=False),
}
"""By the name that `memoryd import --from` takes."""
