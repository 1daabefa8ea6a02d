"""Qwen Code: events as Claude Code's; a prompt comes again, empty, after a tool's result."""

from memoryd.hosts.claude import read
from memoryd.hosts.event import Dialect, as_context

HOST = Dialect("qwen", read, as_context)
