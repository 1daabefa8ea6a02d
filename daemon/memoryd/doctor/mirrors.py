"""Whether mirrored folders are where they were, and what of them is not in memory."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from memoryd.doctor.finding import Finding, fail, ok, quoted, warn
from memoryd.mirror.folder import MirrorFolder
from memoryd.mirror.state import read_mirrors
from memoryd_client.base.paths import Paths
from memoryd_client.wire.status import Status

NAME = "mirror"


def examine_mirrors(paths: Paths, status: Status | None) -> Iterator[Finding]:
    """Look at every folder that is mirrored; nothing is said where none is."""
    try:
        mirrors = [one for one in read_mirrors(paths.mirrors) if one.on]
    except sqlite3.Error as problem:
        aside = f"mv {quoted(paths.mirrors)} {quoted(paths.mirrors)}.aside, and turn mirrors on again"
        yield fail(NAME, f"{paths.mirrors} cannot be read: {problem}", aside)
        return
    for one in mirrors:
        folder = Path(one.folder)
        again = f"memoryd mirror on {quoted(folder)}"
        mark = MirrorFolder(folder).mark()
        if not mark:
            yield warn(
                NAME,
                f"{folder} is away, or has no marker any more: its mirror waits, and nothing is forgotten",
                f"bring it back, or begin anew: {again}; memoryd mirror off {quoted(folder)} ends it",
            )
        elif mark != one.mark:
            yield warn(NAME, f"{folder} is the folder of another mirror now", again)
        else:
            yield ok(NAME, f"{folder} is mirrored")
    part = status.components.get(NAME) if status is not None else None
    if part is not None and (left := part.numbers.get("not_taken", 0) + part.numbers.get("conflicts", 0)):
        told = f"{left:g} files of mirrored folders are not in memory, or wait for you beside another"
        yield warn(NAME, told, "memoryd mirror status says which, and why")
