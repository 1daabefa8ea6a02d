"""Small files in the formats in which agents' programs keep conversations."""

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path

AT = "2026-03-01T12:00:00Z"


def write(file: Path, lines: Iterable[object]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def claude_line(role: str, content: object, **more: object) -> dict[str, object]:
    return {
        "type": role,
        "uuid": f"{role}-{len(str(content))}",
        "message": {"role": role, "content": content},
        "timestamp": AT,
        "cwd": "/projects/app",
        **more,
    }


def claude(home: Path, folder: str = ".claude/projects/-projects-app") -> None:
    injected = "<system-reminder>Be brief.</system-reminder>\n<memoryd-memory>old</memoryd-memory>why is it red?"
    write(
        home / folder / "s1.jsonl",
        [
            {"type": "queue-operation"},
            claude_line("user", "hello"),
            claude_line("assistant", [{"type": "text", "text": "hi"}, {"type": "tool_use", "name": "Bash"}]),
            claude_line("user", [{"type": "tool_result", "content": "secret output"}], toolUseResult={"stdout": "x"}),
            claude_line("user", "This session is being continued", isCompactSummary=True),
            claude_line("user", "of a subagent", isSidechain=True),
            claude_line("user", "<command-name>/clear</command-name>"),
            claude_line("user", "/model opus"),
            claude_line("user", "What I keep to myself #skip"),
            claude_line("assistant", [{"type": "text", "text": "You keep it to yourself."}]),
            claude_line("user", "[Request interrupted by user for tool use]"),
            claude_line("assistant", [{"type": "text", "text": "API Error: 500"}], isApiErrorMessage=True),
            claude_line("user", injected),
        ],
    )
    with (home / folder / "s1.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"type": "user", "half writ')


def codex(home: Path) -> None:
    def item(role: str, text: str, kind: str = "user.text") -> dict[str, object]:
        block = {"type": "input_text" if role == "user" else "output_text", "text": text}
        marks = {"internal_chat_message_metadata_passthrough": {"content_item_kinds": [kind]}}
        return {
            "timestamp": AT,
            "type": "response_item",
            "payload": {"type": "message", "role": role, "content": [block]} | (marks if role == "user" else {}),
        }

    write(
        home / ".codex/sessions/2026/03/01/rollout-1-s1.jsonl",
        [
            {"timestamp": AT, "type": "session_meta", "payload": {"id": "s1", "cwd": "/projects/app"}},
            item("user", "<environment_context>linux</environment_context>", "environment"),
            {"timestamp": AT, "type": "session_meta", "payload": {"id": "parent", "cwd": "/projects/parent"}},
            item("user", "# AGENTS.md instructions for /projects/app\n\n<INSTRUCTIONS>Be brief.</INSTRUCTIONS>"),
            item("user", "<turn_aborted>The user interrupted the previous turn.</turn_aborted>"),
            item("user", "hello"),
            item("user", "remembered", "hooks.additional_context"),
            {"timestamp": AT, "type": "event_msg", "payload": {"type": "user_message", "message": "hello"}},
            item("assistant", "hi"),
            item("user", "why is it red?"),
        ],
    )
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "s1"}}}
    write(
        home / ".codex/sessions/2026/03/01/rollout-2-s2.jsonl",
        [
            {
                "timestamp": AT,
                "type": "session_meta",
                "payload": {"id": "s2", "cwd": "/projects/app", "source": spawned},
            },
            item("user", "of a subagent"),
        ],
    )


def gemini(home: Path) -> None:
    (home / ".gemini/tmp/app").mkdir(parents=True)
    (home / ".gemini/tmp/app/.project_root").write_text("/projects/app", encoding="utf-8")
    write(
        home / ".gemini/tmp/app/chats/session-2-s2.jsonl",
        [
            {"sessionId": "s2", "projectHash": "x", "kind": "subagent", "directories": ["/projects/app"]},
            {"id": "1", "timestamp": AT, "type": "user", "content": [{"text": "of a subagent"}]},
        ],
    )
    write(
        home / ".gemini/tmp/app/chats/session-1-s1.jsonl",
        [
            {"sessionId": "s1", "projectHash": "x", "kind": "main"},
            {"$set": {"summary": "x"}},
            {"id": "1", "timestamp": AT, "type": "user", "content": [{"text": "hello"}]},
            {"id": "2", "timestamp": AT, "type": "gemini", "content": ""},
            {"id": "2", "timestamp": AT, "type": "gemini", "content": "hi"},
            {"id": "4", "timestamp": AT, "type": "user", "content": [{"text": "taken back"}]},
            {"id": "5", "timestamp": AT, "type": "gemini", "content": "as well"},
            {"$rewindTo": "4"},
            {
                "id": "3",
                "timestamp": AT,
                "type": "user",
                "content": [{"text": "<hook_context>old</hook_context>"}, {"text": "why is it red?"}],
            },
        ],
    )


def copilot(home: Path) -> None:
    write(
        home / ".copilot/session-state/s1/events.jsonl",
        [
            {"type": "session.start", "data": {"context": {"cwd": "/projects/app"}}, "timestamp": AT},
            {
                "type": "user.message",
                "id": "1",
                "timestamp": AT,
                "data": {"content": "hello", "transformedContent": "x"},
            },
            {"type": "assistant.message", "id": "2", "timestamp": AT, "data": {"content": "hi"}},
            {
                "type": "assistant.message",
                "id": "5",
                "timestamp": AT,
                "data": {"content": "of a subagent", "parentToolCallId": "t1"},
            },
            {"type": "tool.execution_complete", "id": "3", "timestamp": AT, "data": {"content": "output"}},
            {"type": "user.message", "id": "4", "timestamp": AT, "data": {"content": "why is it red?"}},
        ],
    )


def opencode(home: Path) -> None:
    file = home / ".local/share/opencode/opencode.db"
    file.parent.mkdir(parents=True)
    with sqlite3.connect(file) as database:
        database.executescript(
            "CREATE TABLE session(id TEXT, parent_id TEXT, directory TEXT);"
            "CREATE TABLE message(id TEXT, session_id TEXT, data TEXT);"
            "CREATE TABLE part(id TEXT, message_id TEXT, data TEXT);"
        )
        database.execute("INSERT INTO session VALUES ('s1', NULL, '/projects/app')")
        database.execute("INSERT INTO session VALUES ('s2', 's1', '/projects/app')")
        data = json.dumps({"role": "user", "time": {"created": 1772366400000}})
        database.execute("INSERT INTO message VALUES ('n0', 's2', ?)", (data,))
        subagents = json.dumps({"type": "text", "text": "of a subagent"})
        database.execute("INSERT INTO part VALUES ('q0', 'n0', ?)", (subagents,))
        said = (("user", "hello"), ("assistant", "hi"), ("user", '"why is it red?"'))
        for number, (role, text) in enumerate(said):
            data = json.dumps({"role": role, "time": {"created": 1772366400000}})
            database.execute("INSERT INTO message VALUES (?, 's1', ?)", (f"m{number}", data))
            for n, part in enumerate(
                ({"type": "text", "text": text}, {"type": "text", "text": "remembered", "synthetic": True})
            ):
                database.execute("INSERT INTO part VALUES (?, ?, ?)", (f"p{number}{n}", f"m{number}", json.dumps(part)))
    database.close()


def json_lines(home: Path) -> None:
    write(
        home / "sessions/channel_user/session.jsonl",
        [
            {"type": "message", "role": "user", "content": "hello", "timestamp": AT},
            {"type": "message", "role": "assistant", "content": "hi", "timestamp": AT},
            {"type": "tool_result", "toolCallId": "1", "result": "output", "timestamp": AT},
            {"type": "message", "role": "user", "content": "why is it red?", "timestamp": AT},
        ],
    )


def qwen(home: Path) -> None:
    def line(role: str, *parts: object) -> dict[str, object]:
        message = {"role": {"assistant": "model"}.get(role, role), "parts": parts}
        return claude_line(role, "", message=message, uuid=f"{role}-{len(str(parts))}")

    hook = '<qwen:user-prompt-submit-context hidden="true">old</qwen:user-prompt-submit-context>'
    write(
        home / ".qwen/projects/-projects-app/chats/s1.jsonl",
        [
            line("user", {"text": "hello"}),
            line("assistant", {"text": "They greet me.", "thought": True}, {"text": "hi"}),
            line("user", {"text": f"why is it red?\n\n{hook}"}),
        ],
    )


WRITERS = {
    "claude-code": claude,
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
    "copilot": copilot,
    "qwen": qwen,
    "jsonl": json_lines,
}
