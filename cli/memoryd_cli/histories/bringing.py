"""Earlier conversations and rules on their way into memory; what is there already stays as it is."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.histories.programs import PROGRAMS, Program
from memoryd_cli.histories.rules import TAG, files, rules
from memoryd_cli.histories.spoken import PastConversation, in_utc, is_legible
from memoryd_client.base.errors import RequestFailed
from memoryd_client.project import project_root
from memoryd_client.wire.memory import Memory, NewMemory
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
    left_out: list[str] = []
    """What could not be read, belongs nobody knows where, or is of a project in which memory is off."""


class RulesBrought(msgspec.Struct, kw_only=True):
    """What an import of rules has done."""

    files: int = 0
    added: int = 0
    known: int = 0
    gone: int = 0
    """Rules that stand in no file any more, and were forgotten."""
    left_out: list[str] = []
    """Rules that may not be kept, and why."""


def bring_conversations(
    program: str,
    home: Path,
    connect: Connect,
    *,
    since: datetime | None,
    project: str,
    moved: Mapping[str, str],
    tell: Callable[[Brought, PastConversation], None],
) -> Brought:
    """Append every conversation of a program to the transcript of its session, and end it: it is read for facts then.

    What a hook has written down there while it was said stays as it is. With `since`, only what was said from then on;
    with a `project`, only what was said there. `moved` has new folders of projects by their old ones. Where no project
    is known, nothing is taken: what it says would hold everywhere. A program that knows no projects speaks of
    `project`, or of everything.

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
            if not is_legible(file):
                raise ValueError("nothing in it can be read")
            for history in PROGRAMS[program].read(file):
                entries = list(_entries(program, history, since))
                where = _place(PROGRAMS[program], history, project, moved)
                if not where and PROGRAMS[program].has_projects:
                    done.left_out.append(f"{file}: it does not say which project it is of")
                elif entries and where in (project or where, ""):
                    with connect(history.session, where, PROGRAMS[program].agent or program) as client:
                        _bring(client, entries, _prefix(program, history), done)
                    tell(done, history)
        except (OSError, ValueError, KeyError, msgspec.MsgspecError) as failed:
            done.left_out.append(f"{file}: {failed}")
    return done


def _place(program: Program, history: PastConversation, project: str, moved: Mapping[str, str]) -> str:
    if not program.has_projects:
        return project
    for old, new in moved.items():
        if Path(history.project).is_relative_to(old):
            return new
    return project_root(history.project) if history.project else ""


def _bring(client: "Client", entries: Sequence[Entry], prefix: str, done: Brought) -> None:
    """Append what of a conversation is not there; nothing where the daemon refuses, as where memory is off."""
    heard = _heard_from(client, prefix, entries)
    if entries[:heard]:
        try:
            appended = client.append(entries[:heard])
        except RequestFailed as refused:
            if refused.code != "refused":
                raise
            if str(refused) not in done.left_out:
                done.left_out.append(str(refused))
            return
        if appended.stored:
            client.end_session()
        done.stored += appended.stored
        done.known += appended.known
    done.sessions += 1
    done.known += len(entries) - heard


def _heard_from(client: "Client", prefix: str, entries: Sequence[Entry]) -> int:
    """Return how many entries were said before a hook began to write the session down: the rest is there already.

    A prompt is written down with its answer, so the first one there is the last that was asked until then.
    """
    after = 0
    while page := client.messages(after=after, limit=1000).entries:
        spoken = (one for one in page if one.role in {"user", "assistant"} and not one.id.startswith(prefix))
        first = next((one.at for one in spoken), None)
        if first is not None:
            asked = (n for n, one in enumerate(entries) if one.role == "user" and (one.at is None or one.at <= first))
            return max(asked, default=0)
        after = page[-1].sequence
    return len(entries)


def bring_rules(project: Path, connect: Connect) -> RulesBrought:
    """Store the rules in a project's files for agents; forget those that such files had and have no more.

    A rule is known by what it says, or by what the daemon makes of it: it may not keep all of the words.

    Raises:
        CommandFailed: the project has no such file.

    """
    done = RulesBrought()
    with connect("", str(project), "rules") as client:
        before = {memory.id: memory for memory in _all_rules(client)}
        from_files = [memory for memory in before.values() if _file_tags(memory)]
        if not (found := files(project)) and not from_files:
            raise CommandFailed(f"{project} has no rules for agents", "Such as CLAUDE.md, AGENTS.md or .cursorrules.")
        known = {memory.content: memory for memory in before.values()}
        rules_by_id: dict[str, NewMemory] = {}
        """By the id of the memory that each is."""
        unknown: list[NewMemory] = []
        for rule in rules(project, found):
            if there := known.get(rule.content):
                rules_by_id[there.id] = rule
            else:
                unknown.append(rule)
        for rule, memory in _stored(client, unknown, done):
            rules_by_id[memory.id] = rule
        if done.left_out and not rules_by_id:
            raise CommandFailed("no rule was taken", done.left_out[0])
        for memory in from_files:
            if memory.id not in rules_by_id:
                client.forget(memory.id)
                done.gone += 1
            elif _file_tags(memory) != (tags := rules_by_id[memory.id].tags):
                others = (tag for tag in memory.tags if not tag.startswith(TAG))
                client.update(memory.id, tags=(*others, *tags), files=rules_by_id[memory.id].files)
    done.files, done.added, done.known = len(found), len(rules_by_id.keys() - before), len(rules_by_id.keys() & before)
    return done


def _stored(client: "Client", new: list[NewMemory], done: RulesBrought) -> list[tuple[NewMemory, Memory]]:
    """Store rules; where one of them may not be kept, all others."""
    if not new:
        return []
    try:
        return list(zip(new, client.remember_many(new), strict=True))
    except RequestFailed as refused:
        if refused.code != "refused":
            raise
        if len(new) == 1:
            done.left_out.append(f"{new[0].content[:60]!r}: {refused}")
            return []
    half = len(new) // 2
    return [*_stored(client, new[:half], done), *_stored(client, new[half:], done)]


def _file_tags(memory: Memory) -> tuple[str, ...]:
    return tuple(tag for tag in memory.tags if tag.startswith(TAG))


def _entries(program: str, history: PastConversation, since: datetime | None) -> Iterator[Entry]:
    for one in history.said:
        at = in_utc(one.at) if one.at is not None else None
        if since is not None and (at is None or at < since):
            continue
        yield Entry(id=_prefix(program, history) + one.id[-100:], role=one.role, content=one.text, at=at)


def _prefix(program: str, history: PastConversation) -> str:
    """Return how the ids of all begin that a history brings: a hook's do not."""
    return f"{program}-{history.session}-"[-100:]


def _all_rules(client: "Client") -> Iterator[Memory]:
    before = ""
    while page := client.list(category="rule", scope="project", limit=200, before=before):
        yield from page
        before = page[-1].id
