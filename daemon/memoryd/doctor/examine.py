"""The whole examination, in the order in which a start would run into things."""

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from memoryd.config import Config, ConfigInvalid, load
from memoryd.doctor.agents import examine_agents
from memoryd.doctor.data import examine_data, ledger_file
from memoryd.doctor.finding import Finding, ok
from memoryd.doctor.folders import examine_folders
from memoryd.doctor.generation import messages_index
from memoryd.doctor.message_index import examine_messages, indexed
from memoryd.doctor.mirrors import examine_mirrors
from memoryd.doctor.model import examine_model
from memoryd.doctor.process import examine_lock, examine_sockets, examine_systemd
from memoryd.doctor.settings import examine_configuration, examine_extras, examine_key
from memoryd.doctor.transcripts import NAME, examine_shared_transcripts, examine_transcripts, look
from memoryd_client.base.paths import Paths
from memoryd_client.wire.status import Status


def examine(
    paths: Paths,
    *,
    status: Status | None = None,
    environ: Mapping[str, str] | None = None,
    now: datetime | None = None,
) -> list[Finding]:
    """Look at everything and return what was found. Blocks: about a second, more with a ledger of gigabytes.

    Nothing is changed, nobody outside this machine is called. `status` is the running daemon's, where one answered;
    `environ` and `now` are the environment and the time to judge by. A configuration that cannot be read is a finding,
    and the rest is judged by the defaults.
    """
    env = os.environ if environ is None else environ
    return list(_all(paths, status, env, datetime.now(UTC) if now is None else now))


def _all(paths: Paths, status: Status | None, env: Mapping[str, str], now: datetime) -> Iterator[Finding]:
    invalid = ""
    try:
        config = load(paths.config, env)
    except ConfigInvalid as exc:
        config, invalid = Config(), str(exc)
    yield from examine_configuration(paths, env, invalid)
    yield from examine_extras(config)
    yield from examine_folders(paths)
    yield from examine_lock(paths, status)
    yield from examine_sockets(paths)
    if not _is_reported("model", status):
        yield examine_model(paths, config)
    yield from examine_data(paths, config, status, now)
    yield from _said(paths, config, status)
    yield from examine_mirrors(paths, status)
    if not _is_reported("sidecar", status):
        yield examine_key(config)
    yield from examine_systemd(paths, env)


def _is_reported(name: str, status: Status | None) -> bool:
    """Whether the running daemon said itself what is wrong with this part of it."""
    part = status.components.get(name) if status else None
    return part is not None and part.state in {"failed", "degraded"}


def _said(paths: Paths, config: Config, status: Status | None) -> Iterator[Finding]:
    if config.ledger.url and not config.ledger.url.startswith("sqlite:///"):
        yield examine_shared_transcripts(paths)
        return
    try:
        # The index first: what is said meanwhile is then not indexed yet, not missing.
        there = indexed(paths, config)
        sessions = look(paths)
        yield from examine_transcripts(paths, sessions)
        yield examine_messages(messages_index(paths), sessions, there, status)
        yield from examine_agents(config, sessions, ledger_file(paths, config))
    except ModuleNotFoundError:
        yield ok(NAME, "how they are cannot be told without the missing packages")
