"""The launchd agent that runs the daemon on macOS, in the place of the systemd units; never tried on a Mac.

It is written with `plistlib` and loaded with `launchctl`, as launchd.plist(5) and launchctl(1) describe them. launchd
holds no sockets for the daemon: it starts at login, and again where it ended with an error.
"""

import os
import plistlib
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from memoryd.rewriting import rewriting
from memoryd.system.service import ServiceFailed, ask_manager
from memoryd.system.units import interpreter
from memoryd_client.base.paths import Paths

LABEL = "org.memoryd.memoryd"
_LAUNCHCTL_S = 30.0
_AGAIN_AFTER_S = 30
_OPEN_FILES = 65_536
WITHOUT = "`memoryd start` runs the daemon without launchd."


def rules_here() -> bool:
    """Return whether this is a system whose services launchd runs."""
    return sys.platform == "darwin"


def agent_file(environ: Mapping[str, str]) -> Path:
    """Return where a user's own agent belongs."""
    return Path(environ.get("HOME") or Path.home()) / "Library" / "LaunchAgents" / f"{LABEL}.plist"


def agent(paths: Paths, *, python: str = "") -> bytes:
    """Return the agent's property list: the interpreter, the folders of this daemon, its log, its limits."""
    return plistlib.dumps(
        {
            "Label": LABEL,
            # -P: the working directory holds data, not modules.
            "ProgramArguments": [python or interpreter(), "-P", "-m", "memoryd"],
            "EnvironmentVariables": {
                "MEMORYD_HOME": str(paths.home),
                "MEMORYD_CONFIG": str(paths.config),
                "MEMORYD_RUNTIME_DIR": str(paths.runtime),
            },
            "WorkingDirectory": str(paths.home),
            "StandardOutPath": str(paths.log),
            "StandardErrorPath": str(paths.log),
            "RunAtLoad": True,
            # A stop that was asked for ends with 0, and is not followed by a start.
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": _AGAIN_AFTER_S,
            "ProcessType": "Background",
            "Nice": 5,
            "Umask": 0o077,
            # Two for each connected client; at the limit ZeroMQ aborts the process.
            "SoftResourceLimits": {"NumberOfFiles": _OPEN_FILES, "Core": 0},
        }
    )


def install(paths: Paths, *, start: bool, python: str = "", environ: Mapping[str, str] | None = None) -> list[str]:
    """Write the agent and (with `start`) load it; return the steps done, in words. Again, it brings it up to date.

    Raises:
        ServiceFailed: there is no launchctl, or it refuses.
    """
    env = os.environ if environ is None else environ
    file, wanted = agent_file(env), agent(paths, python=python)
    steps: list[str] = []
    paths.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if file.exists() and file.read_bytes() == wanted:
        steps.append(f"{file.name} is installed already")
    else:
        file.parent.mkdir(parents=True, exist_ok=True)
        with rewriting(file) as out:
            out.write(wanted)
        file.chmod(0o644)
        steps.append(f"wrote {file}: the daemon starts when you log in")
    if start:
        _launchctl(env, "bootout", f"{_domain()}/{LABEL}")  # what was loaded before; there may be nothing
        loaded = _launchctl(env, "bootstrap", _domain(), str(file))
        if loaded.returncode:
            raise ServiceFailed(f"`launchctl bootstrap` failed: {loaded.stderr.strip()}", WITHOUT, steps)
        steps.append(f"loaded {LABEL}: it is starting")
    return steps


def uninstall(paths: Paths, *, environ: Mapping[str, str] | None = None) -> list[str]:
    """Unload and remove the agent; return the steps done, in words. Data stay. Again, it finds nothing to do.

    Raises:
        ServiceFailed: there is no launchctl.
    """
    env = os.environ if environ is None else environ
    file = agent_file(env)
    if not file.exists():
        return ["nothing to remove: memoryd is not installed as a service"]
    steps: list[str] = []
    if _launchctl(env, "bootout", f"{_domain()}/{LABEL}").returncode == 0:
        steps.append(f"stopped and unloaded {LABEL}")
    file.unlink()
    return [*steps, f"removed {file}", f"your memories are still in {paths.home}"]


def _domain() -> str:
    return f"gui/{os.getuid()}"


def _launchctl(env: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return ask_manager(env, ("launchctl", *arguments), timeout_s=_LAUNCHCTL_S, absent=WITHOUT, late=WITHOUT)
