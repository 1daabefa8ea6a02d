"""Earlier conversations and rules on their way into memory; what is there already stays as it is."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from memoryd_cli.failures import CommandFailed
from memoryd_cli.histories.programs import PROGRAMS
from memoryd_cli.histories.rules import TAG, files, rules
from memoryd_cli.histories.spoken import PastConversation
from memoryd_client.project import project_root
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.transcripts import Entry

if TYPE_CHECKING:
    from memoryd_client.client import Client

Connect = Callable[[str, str, str], AbstractContextManager["Client"]]
"""Opens a client of a session and a project, on behalf of an agent."""


class Brought(msgspec.Struct, kw_only=True):
    """What an import of histories has done so far."""

    sessions: int = 0
    stored: int = 0
    known: int = 0
    unreadable: list[str] = []


class RulesBrought(msgspec.Struct, kw_only=True):
    """What an import of rules has done."""

    files: int = 0
    added: int = 0
    known: int = 0
    gone: int = 0
    """Rules that stand in their file no more, and were forgotten."""


def bring_conversations(
    program: str,
    home: Path,
    connect: Connect,
    *,
    since: datetime | None,
    project: str,
    tell: Callable[[Brought, PastConversation], None],
) -> Brought:
    """Append every conversation of a program to a transcript of its own, and end it, so that it is read for facts.

    With `since`, only what was said from then on; with a `project`, only what was said there.

    Raises:
        CommandFailed: the program keeps nothing here.

    """
    done = Brought()
    found = PROGRAMS[program].files(home)
    if not found:
        kept = home / PROGRAMS[program].folder / PROGRAMS[program].pattern
        raise CommandFailed(f"{program} keeps no conversations here", f"They would be {kept}.")
    for file in found:
        try:
            for history in PROGRAMS[program].read(file):
                entries = list(_entries(program, history, since))
                where = project_root(history.project) if history.project else ""
                if not entries or (project and where != project):
                    continue
                with connect(f"{program}-{history.session}", where, program) as client:
                    appended = client.append(entries)
                    if appended.stored:
                        client.end_session()
                done.sessions += 1
                done.stored += appended.stored
                done.known += appended.known
                tell(done, history)
        except (OSError, ValueError, KeyError, msgspec.MsgspecError) as failed:
            done.unreadable.append(f"{file}: {failed}")
    return done


def bring_rules(project: Path, connect: Connect) -> RulesBrought:
    """Store the rules in a project's files for agents; forget those that such a file had and has no more.

    Raises:
        CommandFailed: the project has no such file.

    """
    done = RulesBrought()
    with connect("", str(project), "rules") as client:
        before = [memory for memory in _all_rules(client) if any(tag.startswith(TAG) for tag in memory.tags)]
        if not (found := files(project)) and not before:
            raise CommandFailed(f"{project} has no rules for agents", "Such as CLAUDE.md, AGENTS.md or .cursorrules.")
        wanted = [rule for file in found for rule in rules(project, file)]
        known = {(memory.content, memory.tags) for memory in before}
        new = [rule for rule in wanted if (rule.content, rule.tags) not in known]
        standing = {(rule.content, rule.tags) for rule in wanted}
        if new:
            client.remember_many(new)
        for memory in before:
            if (memory.content, memory.tags) not in standing:
                client.forget(memory.id)
                done.gone += 1
    done.files, done.added, done.known = len(found), len(new), len(wanted) - len(new)
    return done


def _entries(program: str, history: PastConversation, since: datetime | None) -> Iterator[Entry]:
    for one in history.said:
        at = one.at.replace(tzinfo=UTC) if one.at is not None and one.at.tzinfo is None else one.at
        if since is not None and (at is None or at < since):
            continue
        yield Entry(id=f"{program}-{history.session}-{one.id}"[-200:], role=one.role, content=one.text, at=at)


def _all_rules(client: "Client") -> Iterator[Memory]:
    before = ""
    while page := client.list(category="rule", scope="project", limit=200, before=before):
        yield from page
        before = page[-1].id
