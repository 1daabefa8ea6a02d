"""Whether an allowlist names an agent that nobody has heard of: it may come yet, or its name is written wrongly."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from difflib import get_close_matches
from pathlib import Path

from memoryd.config import Config
from memoryd.doctor.data import read_only
from memoryd.doctor.finding import Finding, warn
from memoryd.doctor.transcripts import Looked
from memoryd_actors.access.presets import AGENT
from memoryd_actors.memory.settings import name_of
from memoryd_client.wire.caller import PERSON, SCRIPT

_ALL = "*"
_NEAR = 0.6
"""Of the letters: `reseacher` and `researcher` share 0.95 of them, `boss` and `kid` none."""


def examine_agents(config: Config, sessions: Iterable[Looked], ledger: Path) -> Iterator[Finding]:
    """Look for agents that allowlists name and that neither speak, nor stored a memory, nor have an allowlist."""
    named = {
        (agent, name_of(entry).removeprefix(AGENT))
        for agent, entries in config.allowlists.items()
        for entry in entries
        if name_of(entry).startswith(AGENT)
    }
    named = {(agent, other) for agent, other in named if other != _ALL}
    if not named:
        return
    heard = {name_of(one) for session in sessions if session.written for one in session.written.agents}
    known = (heard | set(map(name_of, config.allowlists)) | _stored_by(ledger)) - {"", PERSON, SCRIPT}
    for agent, other in sorted(named):
        if other not in known:
            near = [f"`{one}`" for one in get_close_matches(other, sorted(known), cutoff=_NEAR)]
            meant = f"; was {' or '.join(near)} meant?" if near else ""
            what = f"allowlists.{agent} names `{AGENT}{other}`, and no agent of that name was heard of yet{meant}"
            yield warn("agents", what, "memoryd config list allowlists")


def _stored_by(ledger: Path) -> set[str]:
    """Return the agents that stored memories; none where the ledger cannot be read, which is a finding of its own."""
    try:
        with closing(read_only(ledger)) as connection:
            return {name_of(str(row[0])) for row in connection.execute("SELECT DISTINCT agent FROM memories")}
    except (sqlite3.Error, OSError):
        return set()
