"""What agents' programs (Claude Code, Codex, ...) report through their hooks, and what is answered there."""
