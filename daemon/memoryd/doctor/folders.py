"""Who owns the folders, who else can read them, and how much room is left."""

import os
import shutil
import stat
import tomllib
from collections.abc import Iterator
from pathlib import Path

from memoryd.doctor.finding import Finding, fail, ok, quoted, warn
from memoryd_client.base.paths import Paths

LITTLE_BYTES, TOO_LITTLE_BYTES = 1024**3, 100 * 1024**2
"""Optimising the index needs room for a second copy of it; below 100 MB, writes are about to fail."""
TOO_FEW_INODES = 1000
"""Each index update makes a handful of small files, cleaned up every few minutes."""


def examine_folders(paths: Paths) -> Iterator[Finding]:
    """Look at the home, the runtime folder and the configuration file."""
    yield _folder("home", paths.home)
    yield _folder("runtime", paths.runtime)
    yield _configuration_file(paths.config)
    environment = paths.config.parent / "environment"
    if _readable_by_others(environment):
        yield fail("environment file", f"others can read {environment}, and it may hold a key", _closed(environment))
    yield from examine_disk(paths.home)


def examine_disk(home: Path) -> Iterator[Finding]:
    """Look at the free space and the free inodes of the disk that holds, or would hold, the home."""
    place = next(folder for folder in (home, *home.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    mend = f"du -sh {quoted(home)}/* shows what takes the space; delete old logs and backups, or move MEMORYD_HOME"
    said = f"{free / 1024**2:,.0f} MB are free where {home} is"
    if free < TOO_LITTLE_BYTES:
        yield fail("disk", said, mend)
    elif free < LITTLE_BYTES:
        yield warn("disk", said, mend)
    else:
        yield ok("disk", said)
    inodes = os.statvfs(place)
    # File systems without a fixed number of inodes say 0.
    if inodes.f_files and inodes.f_favail < TOO_FEW_INODES:
        yield fail("inodes", f"only {inodes.f_favail} more files can be made where {home} is", f"df -i {quoted(place)}")


def _folder(name: str, path: Path) -> Finding:
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return ok(name, f"{path} does not exist yet; the first start makes it")
    except OSError as exc:
        return fail(name, f"{path} cannot be looked at: {exc.strerror}", f"ls -ld {quoted(path)}")
    if not stat.S_ISDIR(status.st_mode):
        return fail(name, f"{path} is not a folder", f"mv {quoted(path)} {quoted(path)}.aside")
    return _access(name, path, status)


def _access(name: str, path: Path, status: os.stat_result) -> Finding:
    if status.st_uid != os.geteuid():
        return fail(
            name,
            f"{path} belongs to user {status.st_uid}, and you are user {os.geteuid()}",
            f"sudo chown -R {os.geteuid()} {quoted(path)}",
        )
    if status.st_mode & 0o077:
        mode = f"{stat.S_IMODE(status.st_mode):04o}"
        return fail(name, f"others can get into {path} (mode {mode})", f"chmod 700 {quoted(path)}")
    if not os.access(path, os.W_OK | os.X_OK):
        return fail(name, f"{path} cannot be written to", f"chmod 700 {quoted(path)}")
    return ok(name, f"{path} is yours alone")


def _configuration_file(path: Path) -> Finding:
    name = "config file"
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return ok(name, f"there is no {path}: defaults are in force")
    except OSError as exc:
        return fail(name, f"{path} cannot be looked at: {exc.strerror}", f"ls -l {quoted(path)}")
    if status.st_uid not in {os.geteuid(), 0}:
        return fail(
            name,
            f"{path} belongs to user {status.st_uid}, who can change it",
            f"sudo chown {os.geteuid()} {quoted(path)}",
        )
    if status.st_mode & 0o022:
        return fail(name, f"others can change {path}", _closed(path))
    if status.st_mode & 0o044 and _holds_key(path):
        return fail(name, f"others can read {path}, which holds an API key", _closed(path))
    return ok(name, f"{path} is readable by whom it concerns")


def _readable_by_others(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & 0o077)
    except OSError:
        return False


def _holds_key(path: Path) -> bool:
    """Return whether the file sets a key; one that cannot be parsed may."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return True
    sidecar: object = tables.get("sidecar")
    return isinstance(sidecar, dict) and bool(sidecar.get("api_key"))


def _closed(path: Path) -> str:
    return f"chmod 600 {quoted(path)}"
