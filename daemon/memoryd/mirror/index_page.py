"""The index page of a mirrored folder: every file, by project and category."""

from itertools import groupby
from pathlib import PurePosixPath

from memoryd.mirror.known import KnownFiles, stem
from memoryd.mirror.state import MirrorSettings
from memoryd_client.base.wording import counted


def index_page(known: KnownFiles, settings: MirrorSettings) -> str:
    """Return the page as Markdown. It is written anew whenever files come, go, or get other names."""
    paths = sorted((row.path for row in known), key=lambda path: (str(PurePosixPath(path).parent), path.casefold()))
    what = f"of {settings.project}" if settings.project else f"of {settings.owner}"
    count = counted(len(paths), "memory")
    lines = ["# Memory", "", f"{count} {what}. This page is made by memoryd; what is written into it is lost.", ""]
    for folder, those in groupby(paths, key=lambda path: str(PurePosixPath(path).parent)):
        lines += [f"## {folder}", "", *(f"- [[{stem(path)}]]" for path in those), ""]
    return "\n".join(lines)
