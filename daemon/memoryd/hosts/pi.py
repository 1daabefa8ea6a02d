"""The pi coding agent, whose extension is memoryd's own and speaks as OpenCode's plugin does."""

from memoryd.hosts.event import Dialect, as_it_is
from memoryd.hosts.opencode import read

HOST = Dialect("pi", read, as_it_is, heard_at=frozenset({"prompt"}))
