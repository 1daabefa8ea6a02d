"""Every host that reports events, by the name under which it is connected."""

from memoryd.hosts import claude, codex, copilot, cursor, gemini, goose, opencode, pi, qwen, windsurf
from memoryd.hosts.event import Dialect

_ALL = (claude, codex, gemini, opencode, copilot, qwen, cursor, pi, goose, windsurf)
HOSTS: dict[str, Dialect] = {one.HOST.name: one.HOST for one in _ALL}
