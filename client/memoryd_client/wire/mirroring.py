"""Folders of Markdown files that are kept in step with memory."""

import msgspec

from memoryd_client.wire.places import Place
from memoryd_client.wire.request import Request


class MirrorTrouble(msgspec.Struct, frozen=True, kw_only=True):
    """A file that is not taken into memory."""

    path: str
    """Within the folder."""
    reason: str


class MirrorStatus(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One folder, and how it is."""

    folder: str
    owner: str = "local"
    project: str | None = None
    """The one project whose memories are in it; None: all, and those that belong to none."""
    since: str = ""
    """ISO 8601, UTC."""
    state: str = "ok"
    """ok, working, paused."""
    message: str = ""
    hint: str = ""
    files: int = 0
    """Memories that have a file."""
    synced: str = ""
    """When folder and memory were brought together last; ISO 8601, UTC."""
    not_taken: int = 0
    troubles: tuple[MirrorTrouble, ...] = ()
    """The first of the files that are not taken into memory, and why."""
    conflicts: tuple[str, ...] = ()
    """Files that hold what a file said when its memory had changed, too."""


class Mirrors(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="mirrors"):
    """The mirrors of the caller's owner."""

    mirrors: tuple[MirrorStatus, ...] = ()


class StartMirror(Request[Mirrors], frozen=True, kw_only=True, omit_defaults=True, tag="mirror_start"):
    """Keep a folder in step with memory, from now on and after every start; answered with this mirror."""

    folder: Place
    """An absolute path."""
    project: str | None = None
    """None: all projects, and what belongs to none."""
    adopt: bool = False
    """Whether Markdown files that are there become memories; refused otherwise, where there are any."""
    projects: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    """Projects by the names that their folders have in it."""


class StopMirror(Request[Mirrors], frozen=True, kw_only=True, omit_defaults=True, tag="mirror_stop"):
    """Leave a folder as it is from now on; answered with the mirrors that are left."""

    folder: Place = ""
    """Empty: the only one."""


class ListMirrors(Request[Mirrors], frozen=True, tag="mirrors"):
    """Which folders are mirrored, and how are they?"""


MirrorRequest = StartMirror | StopMirror | ListMirrors
