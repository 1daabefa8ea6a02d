"""Status: the health of every part, gathered from counters, never by asking the work loop to stop."""

import os
import resource
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from memoryd import __version__
from memoryd_client.messages import ComponentStatus, Status

BAD = frozenset({"degraded", "failed"})


def resident_bytes() -> int:
    """Return the resident memory of this process, in bytes."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError, ValueError):
        # Elsewhere only the peak is known: in bytes on macOS, in kilobytes on other systems.
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
    return pages * os.sysconf("SC_PAGE_SIZE")


def status(
    *,
    home: Path,
    ready: bool,
    busy: bool,
    uptime_s: float,
    components: Mapping[str, Callable[[], ComponentStatus]],
) -> Status:
    """Return the whole picture; a part that is degraded or failed is also a warning with the way out."""
    parts = {name: component() for name, component in components.items()}
    warnings = tuple(
        f"{name}: {part.message}" + (f" {part.hint}" if part.hint else "")
        for name, part in parts.items()
        if part.state in BAD
    )
    return Status(
        pid=os.getpid(),
        version=__version__,
        home=str(home),
        live=True,
        ready=ready,
        busy=busy,
        uptime_s=round(uptime_s, 3),
        rss_bytes=resident_bytes(),
        components=parts,
        warnings=warnings,
    )
