"""The systemd units: templates, what is filled in, and whether an installed file is still as it was installed.

An installed unit begins with the checksum of everything below, so that a change by hand shows without any record kept
elsewhere.
"""

import hashlib
import re
import sys
from collections.abc import Mapping
from enum import Enum
from pathlib import Path

from memoryd.model import agent_state
from memoryd_actors.core.errors import DaemonError
from memoryd_client.base.paths import Paths

NAMES = ("memoryd.socket", "memoryd.service")

_HEADER = re.compile(r"# Installed by memoryd; sha256 of what follows: ([0-9a-f]{64})\n")
_PLACEHOLDER = re.compile(r"@([A-Z_]+)@")
_UNQUOTABLE = re.compile(r"[\"'\\$\x00-\x1f\x7f]")


class UnitState(Enum):
    """How an installed unit compares with the shipped one."""

    ABSENT = "absent"
    CURRENT = "current"
    OUTDATED = "outdated"
    """As some memoryd installed it, but not what this one would install."""
    EDITED = "edited"
    """Installed by memoryd and changed since."""
    FOREIGN = "foreign"
    """Somebody else's file of the same name."""


class PathNotForUnit(DaemonError):
    """Raised when a path has characters that mean something else in a unit file."""

    hint = "Use a folder whose path has no quotes, backslashes, dollar signs or control characters."

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} cannot be written into a systemd unit")


def templates() -> Path:
    """Return the folder of the shipped templates; in a checkout, a link to the one at its root."""
    return Path(__file__).parents[1] / "systemd"


def interpreter() -> str:
    """Return the interpreter that a unit names: one spelling per environment, whatever started this process."""
    in_environment = Path(sys.prefix) / "bin" / "python"
    return str(in_environment) if sys.prefix != sys.base_prefix and in_environment.exists() else sys.executable


def unit_folder(environ: Mapping[str, str]) -> Path:
    """Return where a user's own units belong."""
    return Path(environ.get("XDG_CONFIG_HOME") or _home(environ) / ".config") / "systemd/user"


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or Path.home())


def shipped(name: str, *, paths: Paths, environ: Mapping[str, str], python: str = "") -> str:
    """Return the unit as it would be installed now, header included; run by this interpreter unless told otherwise.

    Raises:
        PathNotForUnit: the interpreter's or one of the daemon's paths cannot stand in a unit.
    """
    template = (templates() / name).read_text(encoding="utf-8")
    return signed(fill(template, paths=paths, python=python or interpreter(), environ=environ))


def fill(template: str, *, paths: Paths, python: str, environ: Mapping[str, str]) -> str:
    """Return the template with interpreter, folders and, where they are not the usual ones, their variables.

    Where an agent is asked, by the configuration of now, its own folders are among those that may be written.

    Raises:
        PathNotForUnit: the interpreter's or one of the daemon's paths cannot stand in a unit.
    """
    values = {
        "PYTHON": _written(python),
        "HOME": _written(str(paths.home)),
        "RUNTIME": _written(str(paths.runtime)),
        "CONFIG_FOLDER": _written(str(paths.config.parent)),
        "AGENT": "".join(f' "-{_written(str(path))}"' for path in agent_state(paths.config, _home(environ))),
        "ENVIRONMENT": "\n".join(
            f'Environment="{name}={_written(value)}"' for name, value in _variables(paths, environ)
        ),
    }
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), template)


def _variables(paths: Paths, environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return what must be set for a daemon without this shell's variables to find the same folders."""
    bare = {name: environ[name] for name in ("HOME", "XDG_RUNTIME_DIR") if name in environ}
    if Paths.from_environment(bare) == paths:
        return []
    return [
        ("MEMORYD_HOME", str(paths.home)),
        ("MEMORYD_CONFIG", str(paths.config)),
        ("MEMORYD_RUNTIME_DIR", str(paths.runtime)),
    ]


def _written(path: str) -> str:
    """Return a path as it stands in a unit, where a percent sign begins a specifier."""
    if _UNQUOTABLE.search(path):
        raise PathNotForUnit(path)
    return path.replace("%", "%%")


def signed(body: str) -> str:
    """Return the unit text with its checksum above it."""
    return f"# Installed by memoryd; sha256 of what follows: {hashlib.sha256(body.encode()).hexdigest()}\n{body}"


def compare(installed: str | None, wanted: str) -> UnitState:
    """Compare an installed unit's text (None: no file) with what `shipped` returns."""
    if installed is None:
        return UnitState.ABSENT
    if installed == wanted:
        return UnitState.CURRENT
    header = _HEADER.match(installed)
    if header is None:
        return UnitState.FOREIGN
    body = installed[header.end() :]
    return UnitState.OUTDATED if hashlib.sha256(body.encode()).hexdigest() == header[1] else UnitState.EDITED


def installed(name: str, environ: Mapping[str, str]) -> str | None:
    """Return the text of the user's unit, None where there is none."""
    try:
        return (unit_folder(environ) / name).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None
