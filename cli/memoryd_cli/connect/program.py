"""The programs that a host is told to start: the hook, copied into the daemon's home, and `memoryd` itself.

The hook's place never changes, so what a host was told (and what people trusted) stays right over upgrades; and where
memoryd is gone, the shell finds no program, which hosts ignore, instead of an interpreter that fails.
"""

import os
import shutil
import sys
from pathlib import Path

import msgspec

from memoryd_client.base.paths import Paths

_LONGEST_SHEBANG = 120
"""Linux reads 127 bytes of the first line in old versions, 255 in new ones."""


class Programs(msgspec.Struct, frozen=True):
    """What hosts start on behalf of one daemon."""

    hook: Path
    memoryd: Path
    environment: dict[str, str]
    """What `memoryd` needs to find this very daemon where a host hands on little more than HOME, as Codex does; empty
    where that is enough."""

    @classmethod
    def of(cls, paths: Paths) -> "Programs":
        """Return the programs for a daemon."""
        home, needed = {"HOME": os.environ.get("HOME", "")}, dict[str, str]()
        if Paths.from_environment(home).home != paths.home:
            needed["MEMORYD_HOME"] = str(paths.home)
        if Paths.from_environment(home | needed).runtime != paths.runtime:
            needed["MEMORYD_RUNTIME_DIR"] = str(paths.runtime)
        return cls(paths.home / "memoryd-hook", _memoryd(), needed)


def hook_text(paths: Paths) -> str:
    """Return the hook program of a daemon, run by this interpreter without site packages."""
    source = (Path(__file__).parents[1] / "hook.py").read_text(encoding="utf-8")
    body = source.replace('\nRUNTIME = ""\n', f"\nRUNTIME = {str(paths.runtime)!r}\n", 1)
    return _first_lines(_interpreter()) + body


def _interpreter() -> str:
    in_environment = Path(sys.prefix) / "bin" / "python"
    return str(in_environment) if sys.prefix != sys.base_prefix and in_environment.exists() else sys.executable


def _first_lines(interpreter: str) -> str:
    line = f"#!{interpreter} -IS\n"
    if len(os.fsencode(line)) <= _LONGEST_SHEBANG and not any(character.isspace() for character in interpreter):
        return line
    # For the shell this starts the interpreter; for Python it is a string that nobody reads.
    quoted = interpreter.replace('"', '\\"')
    return f"#!/bin/sh\n'''exec' \"{quoted}\" -IS \"$0\" \"$@\"\n' '''\n"


def _memoryd() -> Path:
    """Return the `memoryd` command of this installation, by the name that people have on their PATH where it is one."""
    own = Path(sys.prefix) / "bin" / "memoryd"
    found = shutil.which("memoryd")
    return Path(found) if found and (not own.exists() or Path(found).resolve() == own.resolve()) else own
