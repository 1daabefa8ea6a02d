"""Memories as files, at a real daemon."""

import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memoryd_client import Entry, InvalidArgument, Message, RequestFailed
from memoryd_client.tools import Tools
from running import RunningDaemon, until


@pytest.fixture(scope="module")
def daemon(models: Path) -> Iterator[RunningDaemon]:
    home = Path(tempfile.mkdtemp(prefix="md-"))
    with RunningDaemon(home, models) as running:
        yield running
    shutil.rmtree(home, ignore_errors=True)


def test_a_file_is_written_listed_read_edited_found_and_deleted(daemon: RunningDaemon) -> None:
    with daemon.client("s1", owner="writer") as client:
        made = client.write_file("notes/deploy.md", "# Deploy\nThe ferry service is deployed on Monday.", tags=["ops"])
        assert (made.path, made.title, made.tags, made.revision) == ("notes/deploy.md", "Deploy", ("ops",), 1)
        client.write_file("notes_x/other.md", "# Other\nNothing of interest stands here, honestly.")
        assert [one.path for one in client.list_files()] == ["notes/deploy.md", "notes_x/other.md"]
        assert [one.path for one in client.list_files("notes/")] == ["notes/deploy.md"]
        edited = client.edit_file("notes/deploy.md", "on Monday", "on Friday")
        assert edited.revision == 2
        with pytest.raises(RequestFailed, match="'/etc/passwd' is absolute"):
            client.write_file("/etc/passwd", "root")
        assert client.read_file("/notes/deploy.md").content == "# Deploy\nThe ferry service is deployed on Friday."
        assert [(one.path, one.line) for one in client.grep_files(r"F(ri|ro)day")] == [("notes/deploy.md", 2)]
        (best,) = client.search_files("when is the ferry deployed?", limit=1)
        assert (best.path, best.tags) == ("notes/deploy.md", ("ops",))
        assert best.score > 0
        with pytest.raises(RequestFailed, match="revision"):
            client.write_file("notes/deploy.md", "# Deploy\nNobody deploys it.", revision=1)
        client.delete_file("notes/deploy.md")
        assert client.list_files("notes/") == []
        with pytest.raises(RequestFailed, match="no memory file"):
            client.read_file("notes/deploy.md")
        again = client.write_file("notes/deploy.md", "# Deploy\nIt begins anew, on Sundays.")
        assert again.id == made.id
        assert client.read_file("notes/deploy.md").content.endswith("on Sundays.")


def test_what_an_agent_writes_stands_under_the_project_that_the_user_named(daemon: RunningDaemon) -> None:
    with daemon.client("s1", owner="labels", agent="scout", project="/tide") as agent:
        agent.append([Entry(content="Let us go on with the tide tables, project: alpha.", role="user")])
        agent.write_file("notes/p1.md", "# Note of the part list\nPart 33 is made of brass.")
        agent.write_file("notes/p2.md", "# Other parts, project: beta\nPart 34 is made of tin.", tags=["parts"])
        agent.write_file("notes/p3.md", "# Parts\nPart 35 is made of zinc.", tags=["project:gamma"])
        tags = {one.path: one.tags for one in agent.list_files()}
    assert tags == {
        "notes/p1.md": ("project:alpha",),
        "notes/p2.md": ("parts", "project:beta"),
        "notes/p3.md": ("project:gamma",),
    }


def test_what_an_agent_writes_and_nobody_keeps_is_told_as_an_event(daemon: RunningDaemon) -> None:
    with daemon.client("s1", owner="refused", agent="scout") as agent:
        kept = agent.remember("The tide table of pier 4 is printed in March.")
        for refused in (
            lambda: agent.remember("ok"),
            lambda: agent.update(kept.id, content="The user is going to lunch."),
            lambda: agent.write_file("notes/x.md", "ok"),
        ):
            with pytest.raises(RequestFailed):
                refused()
        until(lambda: len([one for one in agent.done() if one.status == "error"]) == 3, "three refusals")
        told = [(one.op, one.session, one.agent) for one in agent.done() if one.status == "error"]
    assert sorted(told) == [("create", "s1", "scout"), ("create", "s1", "scout"), ("update", "s1", "scout")]


def test_a_path_that_no_file_system_has_is_refused_and_no_bug(daemon: RunningDaemon, tmp_path: Path) -> None:
    with daemon.client("s1", owner="paths") as client:
        deep = "/" + "a/" * 2_000
        for asked in (
            lambda: client.backup("/tmp/a\x00b"),
            lambda: client.backup(deep),
            lambda: client.mirror(deep),
            lambda: client.add_knowledge("\x00"),
        ):
            with pytest.raises(InvalidArgument, match="characters"):
                asked()


def test_an_agent_neither_changes_nor_deletes_a_file_that_is_pinned(daemon: RunningDaemon) -> None:
    with daemon.client("s1", owner="pinner") as user, daemon.client("s1", owner="pinner", agent="scout") as agent:
        made = user.write_file("notes/rules.md", "# Rules\nNobody deploys on Fridays.", tags=["ops"])
        agent.edit_file("notes/rules.md", "on Fridays", "on Mondays")
        user.update(made.id, pinned=True)
        for change in (
            lambda: agent.edit_file("notes/rules.md", "on Mondays", "at night"),
            lambda: agent.write_file("notes/rules.md", "# Rules\nEverybody deploys on Fridays."),
            lambda: agent.delete_file("notes/rules.md"),
        ):
            with pytest.raises(RequestFailed, match="is pinned, and only the user"):
                change()
        with pytest.raises(RequestFailed, match="true for a moment only"):
            agent.write_file("notes/weather.md", "The user just asked about the weather.")
        assert agent.read_file("notes/rules.md").content.endswith("on Mondays.")
        assert "; ops)" in Tools(agent, "all").call("ls", {})
        user.delete_file("notes/rules.md")


def test_a_file_that_lost_its_path_as_a_memory_is_written_there_again(daemon: RunningDaemon) -> None:
    with daemon.client("s1", owner="loser") as client:
        made = client.write_file("notes/lost.md", "The first text of this file.")
        client.update(made.id, metadata={})
        assert client.list_files() == []
        again = client.write_file("notes/lost.md", "The second text of this file.")
        assert (again.id, again.path) == (made.id, "notes/lost.md")
        assert client.read_file("notes/lost.md").content == "The second text of this file."


def test_files_and_memories_of_the_same_words_are_each_their_own(daemon: RunningDaemon) -> None:
    words = "The lighthouse of Farol is painted every spring."
    with daemon.client("s1") as client:
        fact = client.remember(words)
        assert client.write_file("copies/one.md", words).id != fact.id
        client.write_file("copies/two.md", "Something else entirely is told here.")
        client.edit_file("copies/two.md", "Something else entirely is told here.", words)
        assert [one.path for one in client.list_files("copies/")] == ["copies/one.md", "copies/two.md"]
        rules = [client.remember(words, category="rule", title=title) for title in ("painting", "spring")]
        assert [(one.category, one.active) for one in map(client.get, [one.id for one in rules])] == [
            ("rule", True)
        ] * 2
        assert client.remember(words).id == fact.id
        for one in (fact, *rules):
            client.forget(one.id)
        for path in ("copies/one.md", "copies/two.md"):
            client.delete_file(path)


def test_many_who_write_one_file_first_make_one_file(daemon: RunningDaemon) -> None:
    def write(number: int) -> None:
        with daemon.client(f"w{number}") as client:
            client.write_file("race/one.md", f"# One\nWritten by number {number}.")

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(write, range(6)))
    with daemon.client("s1") as client:
        assert [one.path for one in client.list_files("race/")] == ["race/one.md"]


def test_a_pattern_that_takes_for_ever_is_given_up_and_the_daemon_goes_on(daemon: RunningDaemon) -> None:
    with daemon.client("s1") as client:
        client.write_file("traps/long.md", "a" * 60 + "!")
        with pytest.raises(RequestFailed, match="given up"):
            client.grep_files(r"(a+)+$")
        assert [one.path for one in client.grep_files("aaa!$", prefix="traps/")] == ["traps/long.md"]


def test_files_are_of_their_owner_and_their_project(daemon: RunningDaemon) -> None:
    with daemon.client("s1") as client:
        client.write_file("mine/plan.md", "# Plan\nThe plan is mine alone.")
    with daemon.client("s1", owner="them") as client:
        assert client.list_files() == []
    with daemon.client("s1", project="/projects/other") as client:
        assert client.list_files("mine/") == []
    with daemon.client("s1", project="") as client:
        client.write_file("everywhere.md", "# Everywhere\nThis holds in every project.")
    with daemon.client("s1") as client:
        assert [one.path for one in client.list_files("every")] == ["everywhere.md"]


def test_no_secret_is_kept_in_a_file(daemon: RunningDaemon) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with daemon.client("s1") as client:
        written = client.write_file("notes/keys.md", f"# Keys\nThe token of the build host is {key}\nAsk Ana for it.")
        assert written.revision == 1
        assert key not in client.read_file("notes/keys.md").content


def test_metadata_are_written_and_stay_until_others_are_given(daemon: RunningDaemon) -> None:
    with daemon.client("s1", owner="labels") as client:
        made = client.write_file("notes/ads.md", "# Ads\nThe ads are paused.", metadata={"status": "draft"})
        assert made.metadata == {"status": "draft"}
        client.write_file("notes/ads.md", "# Ads\nThe ads are paused until May.")
        assert client.list_files()[0].metadata == {"status": "draft"}
        assert client.write_file("notes/ads.md", "# Ads\nThey run.", metadata={"ttl": "30"}).metadata == {"ttl": "30"}
        with pytest.raises(RequestFailed, match="not among its metadata"):
            client.write_file("notes/ads.md", "x y", metadata={"path": "elsewhere.md"})


def test_a_file_is_edited_by_a_unified_diff(daemon: RunningDaemon) -> None:
    with daemon.client("s1", owner="differ") as client:
        client.write_file("notes/plan.md", "# Plan\nMonday: soup\nTuesday: rice\n")
        edited = client.edit_file(
            "notes/plan.md", diff="@@ -2,2 +2,3 @@\n-Monday: soup\n+Monday: stew\n Tuesday: rice\n+Friday: fish"
        )
        assert edited.revision == 2
        assert client.read_file("notes/plan.md").content == "# Plan\nMonday: stew\nTuesday: rice\nFriday: fish\n"
        with pytest.raises(RequestFailed, match="hunk 1 of 1 does not fit"):
            client.edit_file("notes/plan.md", diff="@@\n-Monday: soup\n+Monday: salad")
        with pytest.raises(RequestFailed, match="a diff, or `old` and `new`"):
            client.edit_file("notes/plan.md", "stew", "soup", diff="@@\n-Monday: stew\n+Monday: salad")


def test_a_file_may_have_a_megabyte_and_its_end_is_found(daemon: RunningDaemon) -> None:
    text = "# Log\n" + "".join(f"Line {number} of the harbour log, nothing went on.\n" for number in range(2_000))
    with daemon.client("s1", owner="large") as client:
        client.write_file("logs/harbour.md", text + "The crane of the northern pier broke down.\n")
        page = client.read_file("logs/harbour.md", limit=1024 * 1024)
        assert page.total == len(page.content) > 64 * 1024
        assert [one.line for one in client.grep_files("northern pier")] == [2_002]
        with pytest.raises(RequestFailed, match="may have 1048576"):
            client.write_file("logs/too-large.md", "ü" * 600_000)


def test_a_project_that_the_user_names_places_what_is_written(daemon: RunningDaemon) -> None:
    said = [
        ("user", "Let's see why the ads lose money, project: hdrpop"),
        ("assistant", "The return on ad spend was below one since May."),
        ("user", "Remember that the hdrpop ads are paused until June."),
        ("assistant", "Done: the ads were paused."),
        ("user", "We decided to look at the keywords again on Monday."),
        ("assistant", "A reminder was set for Monday."),
    ]
    with daemon.client("s1", owner="labelled") as client:
        client.append([Entry(id=f"e{n}", role=role, content=text) for n, (role, text) in enumerate(said)])
        client.push_acknowledged([Message("user", "Remember that hdrpop belongs to Ana. project: hdrpop")])
        client.push_acknowledged([Message("user", "Remember that Ben waters the plants.")])

        def tagged() -> bool:
            told = " ".join(one.content for one in client.list(tags=["project:hdrpop"], category="fact"))
            return all(word in told for word in ("Ana", "Ben", "paused"))

        until(tagged, "what was asked to be remembered before, with and after the label")
        tools = Tools(client)
        tools.call("memory_write", {"content": "The ads of the north sell nothing in winter.", "category": "insight"})
        tools.call(
            "memory_write",
            {"content": "Every advertisement needs two approvals.", "category": "insight", "scope": "global"},
        )
        tools.call("memory_write", {"content": "Boats sail at noon (project: ferry).", "category": "insight"})
        written = [one.tags for one in reversed(client.list(category="insight"))]
        assert written == [("project:hdrpop",), (), ("project:ferry",)]
        with daemon.client("s1", owner="labelled", agent="coder") as coder:
            assert coder.remember("The lighthouse keeper paints the railings in July.").tags == ("project:hdrpop",)
        client.end_session()
        (episode,) = until(lambda: client.list(category="episode"), "the episode")
        assert episode.metadata["path"].startswith("projects/hdrpop/episodes/")
        assert "project:hdrpop" in episode.tags
        daemon.indexed(client)
    with daemon.client("s2", owner="labelled") as client:
        recalled = client.recall(
            [Message("user", "Why did the hdrpop ads lose money, and what was decided about the keywords?")]
        )
        assert recalled is not None
        assert f"file {episode.metadata['path'][:40]}" in recalled.text
