"""Whether a command runs in the shell of a coding agent, and of which.

Claude Code, Gemini CLI and Codex tell of their variable themselves; those of Qwen Code, Cursor and OpenCode were read
in their source or by others. `AGENT`, `AI_AGENT` and what Copilot may set are left out: they are no program's own, or
not sure.
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from msgspec.structs import replace

from memoryd_cli.base.output import note
from memoryd_client.wire.context import Message
from memoryd_client.wire.transcripts import Entry

SHELLS: Final[Mapping[str, str]] = {
    "CLAUDECODE": "claude",
    "CODEX_THREAD_ID": "codex",
    "GEMINI_CLI": "gemini",
    "QWEN_CODE": "qwen",
    "CURSOR_AGENT": "cursor",
    "OPENCODE": "opencode",
}
"""The variable of each program, and the name under which `memoryd connect` knows it."""


Said = TypeVar("Said", Message, Entry)


def agent_of_shell(environ: Mapping[str, str]) -> str:
    """Return the agent that runs commands in this shell; empty where no variable says so."""
    return next((agent for name, agent in SHELLS.items() if environ.get(name, "0") not in {"", "0", "false"}), "")


def as_said_here(said: Sequence[Said], environ: Mapping[str, str]) -> list[Said]:
    """Return what is said in the shell of a coding agent as that agent's, on whose behalf ever it says that it speaks.

    It cannot speak for its user; where something is said to be the user's, a line says what became of that.
    """
    agent = agent_of_shell(environ)
    if not agent or not any(one.role == "user" for one in said):
        return list(said)
    note(f"this is the shell of {agent}: what it says the user said is taken as its own word")
    return [replace(one, role="assistant") if one.role == "user" else one for one in said]
