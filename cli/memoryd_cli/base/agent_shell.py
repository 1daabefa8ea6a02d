"""Whether a command runs in the shell of a coding agent, and of which.

Claude Code, Gemini CLI and Codex tell of their variable themselves; those of Qwen Code, Cursor and OpenCode were read
in their source or by others. `AGENT`, `AI_AGENT` and what Copilot may set are left out: they are no program's own, or
not sure.
"""

from collections.abc import Mapping
from typing import Final

SHELLS: Final[Mapping[str, str]] = {
    "CLAUDECODE": "claude",
    "CODEX_THREAD_ID": "codex",
    "GEMINI_CLI": "gemini",
    "QWEN_CODE": "qwen",
    "CURSOR_AGENT": "cursor",
    "OPENCODE": "opencode",
}
"""The variable of each program, and the name under which `memoryd connect` knows it."""


def agent_of_shell(environ: Mapping[str, str]) -> str:
    """Return the agent that runs commands in this shell; empty where no variable says so."""
    return next((agent for name, agent in SHELLS.items() if environ.get(name, "0") not in {"", "0", "false"}), "")
