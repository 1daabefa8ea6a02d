"""Codex: events as Claude Code's; an answer with one key that it does not know is dropped whole."""

from memoryd.hosts.claude import read
from memoryd.hosts.event import Dialect, as_context

HOST = Dialect("codex", read, as_context, longest=8_000, counts_bytes=True)
"""Of what has more than some 2,500 tokens it cuts out the middle; it takes four bytes for a token."""
