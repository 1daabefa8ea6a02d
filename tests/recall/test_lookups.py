"""What the remote judge may look up: among real memories, through the real index."""

from datetime import UTC, datetime
from pathlib import Path

from memoryd.project_files import ProjectFolders
from memoryd.transcripts import JsonlTranscripts
from memoryd_actors.admission.project_rules import ProjectRules
from memoryd_actors.judging.lookups import MOST_TEXTS, MemoryLookups, nearby
from memoryd_actors.keeping.orders import Store
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.transcripts import Kept
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_client import Memory, NewMemory, Scope
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.transcripts import Entry
from recall_system import Place, System, running

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SAID = (
    "The release train leaves on Thursdays.",
    "Anna wants the changelog in prose.",
    "The staging database is restored every night.",
    "Nobody deploys after four in the afternoon.",
    "The dashboard shows the error budget.",
    "Bob keeps the on-call calendar.",
)


def at(place: int | None, session: str = "s", number: int = 0) -> Memory:
    where = None if place is None else (place, place)
    return Memory(
        id=f"mem_{session}{place}{number}", owner="local", content="x", session=session, source_messages=where,
        created_at=NOW, updated_at=NOW,
    )  # fmt: skip


async def told(system: System, session: str, project: str = "", *, owner: str = "local") -> list[str]:
    news = tuple(
        NewMemory(
            content=f"{text} ({session})",
            scope=Scope.PROJECT if project else Scope.GLOBAL,
            source_session=session,
            source_messages=(place, place),
            speaker="Anna",
        )
        for place, text in enumerate(SAID)
    )
    caller = Caller(owner=owner, session="importer", project=project)
    stored = await system.keeper.ask(Store(news, caller), deadline_s=10)
    assert await system.indexer.wait_for(system.indexer.target, deadline_s=30)
    return [one.id for one in stored]


async def test_the_source_of_a_memory_is_what_was_said_around_it_in_its_session(place: Place) -> None:
    async with running(place) as system:
        ids = await told(system, "monday")
        await told(system, "tuesday")
        lookups = MemoryLookups(system.ledger.memories, system.searcher)
        texts = await lookups.source(ids[1], Visibility(owner="local"))
        assert [text.split("Anna: ")[1] for text in texts] == [f"{SAID[n]} (monday)" for n in (0, 2, 3, 4)]
        assert await lookups.source("mem_nowhere", Visibility(owner="local")) == []


async def test_where_there_is_a_transcript_the_source_is_what_was_said_there(place: Place, tmp_path: Path) -> None:
    async with running(place) as system:
        transcripts = JsonlTranscripts(tmp_path / "transcripts")
        said = [f"message {number} of the day" for number in range(1, 13)]
        kept = [Kept(Entry(role="user", name="Anna", content=one), NOW) for one in said]
        await transcripts.append(("local", "monday"), kept, project="", agent="")
        ids = await told(system, "monday")
        lookups = MemoryLookups(system.ledger.memories, system.searcher, transcripts=transcripts)
        texts = await lookups.source(ids[5], Visibility(owner="local"))
        assert [text.split("Anna: ")[1] for text in texts] == [said[number - 1] for number in range(2, 8)]
        limited = await lookups.source(ids[5], Visibility(owner="local", allowed=frozenset({"fact"})))
        assert limited
        assert not any("message" in text for text in limited)


async def test_a_session_is_searched_alone_and_without_the_candidate_itself(place: Place) -> None:
    async with running(place) as system:
        ids = await told(system, "monday")
        await told(system, "tuesday")
        lookups = MemoryLookups(system.ledger.memories, system.searcher)
        texts = await lookups.session_search("who has the on-call calendar?", ids[0], Visibility(owner="local"))
        assert "Bob keeps the on-call calendar. (monday)" in texts[0]
        assert len(texts) == len(SAID) - 1
        assert not any("tuesday" in text or SAID[0] in text for text in texts)
        everywhere = await lookups.session_search("who has the on-call calendar?", "", Visibility(owner="local"))
        assert {"(monday)", "(tuesday)"} == {text.split()[-1] for text in everywhere[:2]}


async def test_nothing_is_looked_up_beyond_what_the_session_may_see(place: Place) -> None:
    async with running(place) as system:
        ids = await told(system, "monday", "/other")
        lookups = MemoryLookups(system.ledger.memories, system.searcher)
        for visible in (Visibility(owner="local", project="/mine"), Visibility(owner="eve", project="/other")):
            assert await lookups.source(ids[0], visible) == []
            assert await lookups.session_search("release", ids[0], visible) == []
        assert await lookups.source(ids[0], Visibility(owner="local", project="/other"))


def test_the_nearest_messages_are_nearest_and_in_order() -> None:
    session = [at(number) for number in range(20)]
    assert [one.source_messages for one in nearby(at(10), session)] == [(n, n) for n in (7, 8, 9, 11, 12, 13)]
    several = [at(number, number=copy) for number in range(20) for copy in range(3)]
    found = nearby(at(10, number=9), several)
    assert len(found) == MOST_TEXTS
    assert {one.source_messages for one in found} <= {(9, 9), (10, 10), (11, 11)}


def test_without_known_messages_those_stored_nearest_in_time_are_near() -> None:
    session = [at(None, number=number) for number in range(10)]
    assert len(nearby(session[0], session)) == MOST_TEXTS
    assert session[0] not in nearby(session[0], session)


async def test_a_session_is_searched_in_what_was_said_there_and_not_for_an_agent_with_a_list(place: Place) -> None:
    async def found(visible: Visibility, session: str, query: str, limit: int) -> list[str]:
        return [f"2026-03-01 Anna: {query} was said in {session} of {visible.owner}, {limit}"]

    async with running(place) as system:
        ids = await told(system, "monday")
        lookups = MemoryLookups(system.ledger.memories, system.searcher)
        lookups.search_messages(found)
        everybody = Visibility(owner="local")
        texts = await lookups.session_search("staging database", ids[0], everybody)
        assert texts == [f"2026-03-01 Anna: staging database was said in monday of local, {MOST_TEXTS}"]
        limited = await lookups.session_search(
            "staging database", ids[0], Visibility(owner="local", allowed=frozenset({"fact"}))
        )
        assert "The staging database is restored every night. (monday)" in limited[0]


async def test_of_a_projects_files_those_are_read_that_may_be_kept(place: Place, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "docs").mkdir(parents=True)
    lines = [f"Line {n} is about nothing." for n in range(1, 40)]
    lines[20] = "The staging database is restored every night with token hunter2hunter2."
    lines[15] = "<private>The staging database is restored"
    lines[19] = "by Rosalind, alone.</private>"
    (project / "docs" / "staging.md").write_text("\n".join(lines))
    (project / ".env").write_text("RESTORE_TOKEN=hunter2hunter2\n")
    (project / "private.md").write_text("---\nsensitive: true\n---\nThe staging database is Anna's.\n")
    (project / "data.bin").write_bytes(b"staging\0database")
    (tmp_path / "outside.md").write_text("The staging database of others.")
    (project / "link.md").symlink_to(tmp_path / "outside.md")
    (project / "alias.txt").symlink_to(project / ".env")
    folders = ProjectFolders()
    async with running(place) as system:
        lookups = MemoryLookups(
            system.ledger.memories, system.searcher, files=folders, here=ProjectRules(DEFAULT, folders)
        )
        here = Visibility(owner="local", project=str(project))
        (text,) = await lookups.file("docs/staging.md", "which staging database is restored?", here)
        assert text.startswith("line 9: Line 9")
        assert "The staging database is restored every night" in text
        assert "hunter2hunter2" not in text
        assert "Rosalind" not in text
        assert "private" not in text
        for path in (".env", "private.md", "data.bin", "../outside.md", "link.md", "alias.txt", "nowhere.md", "docs"):
            assert await lookups.file(path, "staging database", here) == [], path
        limited = Visibility(owner="local", project=str(project), allowed=frozenset({"fact"}))
        assert await lookups.file("docs/staging.md", "staging database", limited) == []
