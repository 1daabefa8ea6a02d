"""Knowledge at a real daemon: documents are read, found with their sources, followed and removed."""

import os
import subprocess
from pathlib import Path

import pytest

from memoryd_client import Client, RequestFailed
from memoryd_client.tools import Tools
from running import RunningDaemon, until

HANDBOOK = """# Handbook

## Deploying
The ferry service is deployed on Fridays at noon by the harbour crew.

## Lunch
On Mondays there is soup.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "handbook.md").write_text(HANDBOOK)
    (tmp_path / "docs" / "fares.txt").write_text("A crossing to Aran costs four euros for adults.\n")
    return tmp_path


def in_project(served: RunningDaemon, folder: Path) -> Client:
    return served.client("s1", project=str(folder))


def rewrite(file: Path, text: str) -> None:
    before = file.stat().st_mtime
    file.write_text(text)
    os.utime(file, (before + 10, before + 10))


def test_passages_are_found_with_file_heading_and_lines(served: RunningDaemon, folder: Path) -> None:
    with in_project(served, folder) as client:
        added = client.add_knowledge(folder / "docs")
        assert [(one.path.rpartition("/")[2], one.passages) for one in added.documents] == [
            ("fares.txt", 1),
            ("handbook.md", 2),
        ]
        (best,) = client.knowledge_search("when is the ferry service deployed?", limit=1)
        assert (best.path, best.heading, best.lines) == (str(folder / "docs/handbook.md"), "Deploying", (3, 4))
        assert best.text.startswith("## Deploying\nThe ferry service")
        # Searches for memories have them only where they are named.
        assert client.search("when is the ferry service deployed?") == []
        assert client.search("when is the ferry service deployed?", category="knowledge")[0].id == best.id
        told = Tools(client, ["knowledge_search"]).call("knowledge_search", {"query": "what is a crossing to Aran?"})
        assert told.startswith(f"[{folder}/docs/fares.txt, line 1, of ")
        assert "costs four euros" in told
    with served.client("s1", project="/elsewhere") as client:
        assert client.list_knowledge() == []
        assert client.knowledge_search("when is the ferry service deployed?") == []


def test_status_counts_passages_apart_from_memories(served: RunningDaemon, folder: Path) -> None:
    with in_project(served, folder) as client:
        client.remember("The ferry to Aran sails at nine.")
        before = client.status().components["ledger"].numbers
        client.add_knowledge(folder / "docs")
        after = client.status().components["ledger"].numbers
        assert (after["memories"], after["active"]) == (before["memories"], before["active"])
        assert after["passages"] - before.get("passages", 0) == 3
        assert after["documents"] - before.get("documents", 0) == 2


def test_what_changes_is_read_again_and_what_did_not_stays(served: RunningDaemon, folder: Path) -> None:
    file = folder / "docs" / "handbook.md"
    with in_project(served, folder) as client:
        client.add_knowledge(file)
        (lunch,) = client.knowledge_search("soup on Mondays", limit=1)
        rewrite(file, HANDBOOK.replace("# Handbook\n", "# Handbook\n\nNew here.\n").replace("on Fridays", "on Sundays"))
        (found,) = client.knowledge_search("when is the ferry service deployed?", limit=1)
        assert "on Sundays" in found.text
        assert found.modified > lunch.modified
        (again,) = client.knowledge_search("soup on Mondays", limit=1)
        assert (again.id, again.modified) == (lunch.id, lunch.modified)
        assert lunch.lines is not None
        assert again.lines == (lunch.lines[0] + 2, lunch.lines[1] + 2)
        (document,) = client.list_knowledge()
        assert (document.passages, document.gone) == (3, False)
        old = client.list(categories=["knowledge"], states=["forgotten"])
        assert any("on Fridays" in one.content for one in old)
        file.unlink()
        assert client.list_knowledge()[0].gone
        assert client.knowledge_search("soup on Mondays", limit=1)[0].gone


def test_secrets_are_replaced_and_what_may_not_be_kept_is_left_out(served: RunningDaemon, folder: Path) -> None:
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    (folder / ".git").mkdir()
    (folder / ".gitignore").write_text("docs/private.md\n")
    (folder / "docs" / "private.md").write_text("The vault stands behind the mirror.\n")
    (folder / "docs" / "token.md").write_text(f"# Token\nThe deploy token is {key} and lives in the harbour.\n")
    (folder / "docs" / "picture.png").write_bytes(b"\x89PNG")
    with in_project(served, folder) as client:
        added = client.add_knowledge(folder / "docs")
        assert {one.path.rpartition("/")[2]: one.reason for one in added.left_out} == {
            "picture.png": "its name is not that of a document",
            "private.md": f"{folder}/docs/private.md is a file which .gitignore leaves out",
        }
        (hit,) = client.knowledge_search("deploy token of the harbour", limit=1)
        assert key not in hit.text
        assert "[redacted:" in hit.text
        with pytest.raises(RequestFailed, match="gitignore"):
            client.add_knowledge(folder / "docs" / "private.md")
        with pytest.raises(RequestFailed, match="No such file"):
            client.add_knowledge(folder / "nowhere")


def test_a_document_that_is_marked_sensitive_is_forgotten(served: RunningDaemon, folder: Path) -> None:
    (folder / "docs" / "fair.md").write_text("# Fair\nThe fair of the village is in October.\n")
    with in_project(served, folder) as client:
        client.add_knowledge(folder / "docs")
        assert client.knowledge_search("when is the fair of the village?", limit=1)[0].path.endswith("fair.md")
        rewrite(
            folder / "docs" / "fair.md", "---\nsensitive: true\n---\n# Fair\nThe fair of the village is in October.\n"
        )
        assert not any("October" in hit.text for hit in client.knowledge_search("when is the fair of the village?"))
        assert not any(one.path.endswith("fair.md") for one in client.list_knowledge())
        assert [one.path for one in client.list_knowledge()]
        (forgotten,) = client.list(categories=["knowledge"], states=["forgotten"])
        assert "October" in forgotten.content


def test_removed_is_out_of_sight_and_purged_is_gone(served: RunningDaemon, folder: Path) -> None:
    with in_project(served, folder) as client:
        client.add_knowledge(folder / "docs")
        assert client.remove_knowledge(folder / "docs" / "fares.txt").startswith("1 passage of 1 document forgotten")
        assert [one.path for one in client.list_knowledge()] == [str(folder / "docs/handbook.md")]
        rewrite(folder / "docs" / "handbook.md", "# Handbook\nNothing is left here but this line.\n")
        assert client.list_knowledge()[0].passages == 1
        said = client.remove_knowledge(folder / "docs", purge=True)
        assert said.startswith("4 passages of 2 documents destroyed")  # those of the earlier version, too
        assert client.list(categories=["knowledge"], states=["active", "forgotten"]) == []
        with pytest.raises(RequestFailed, match="nothing was read"):
            client.remove_knowledge(folder / "docs")
        # The file is still there, and may come again.
        assert len(client.add_knowledge(folder / "docs").documents) == 2


def test_what_is_purged_leaves_its_path_in_no_file_of_the_home(served: RunningDaemon, tmp_path: Path) -> None:
    name = "quokka-contract"
    (tmp_path / f"{name}.md").write_text("# Contract\nThe harbour crew is paid on Fridays.\n")
    with in_project(served, tmp_path) as client:
        client.add_knowledge(tmp_path / f"{name}.md")
        rewrite(tmp_path / f"{name}.md", "-----BEGIN RSA PRIVATE KEY-----\n")
        client.list_knowledge()
        client.remove_knowledge(tmp_path / f"{name}.md", purge=True)
    told = [file for file in served.home.rglob("*") if file.is_file() and name.encode() in file.read_bytes()]
    assert told == []
    assert "passages are knowledge" in served.paths.log.read_text("utf-8")


def test_an_agent_destroys_no_document_that_the_user_added(served: RunningDaemon, folder: Path) -> None:
    docs, own = folder / "docs" / "handbook.md", folder / "docs" / "fares.txt"
    with (
        in_project(served, folder) as user,
        served.client("s2", project=str(folder), agent="planner") as agent,
    ):
        user.add_knowledge(docs)
        agent.add_knowledge(own)
        with pytest.raises(RequestFailed, match="only the user destroys"):
            agent.remove_knowledge(folder / "docs", purge=True)
        assert len(user.list_knowledge()) == 2
        assert agent.remove_knowledge(own, purge=True).startswith("1 passage of 1 document destroyed")
        assert agent.remove_knowledge(docs).startswith("2 passages of 1 document forgotten")
        with pytest.raises(RequestFailed, match="only the user destroys"):
            agent.remove_knowledge(docs, purge=True)
        assert user.remove_knowledge(docs, purge=True).startswith("2 passages of 1 document destroyed")


def test_knowledge_is_recalled_beside_memories_with_its_source(served: RunningDaemon, folder: Path) -> None:
    with served.client("earlier", project=str(folder)) as client:
        client.remember("Ada leads the harbour crew that deploys the ferry service.")
    with in_project(served, folder) as client:
        client.add_knowledge(folder / "docs")
        served.indexed(client)
        assert [one.category for one in client.list(passages=False)] == ["fact"]
        served.turn(client, "Who leads the harbour crew, and when is the ferry service deployed?")
        pending = until(client.take_pending, "what was found")
        assert "docs/handbook.md:3-4 (Deploying)" in pending.text
        assert "Ada leads" in pending.text
        assert "Memory updates" not in pending.text


def test_only_who_adds_a_document_has_its_file_read(served: RunningDaemon, folder: Path) -> None:
    forged = {"document": str(folder / "docs" / "fares.txt"), "stamp": "an earlier one"}
    handbook = folder / "docs" / "handbook.md"
    with in_project(served, folder) as client:
        client.remember("The harbour has three piers.", category="knowledge", metadata=forged)
        assert client.list_knowledge() == []
        assert all("four euros" not in hit.text for hit in client.knowledge_search("a crossing to Aran"))
        client.add_knowledge(handbook)
        (first,) = [one for one in client.list(categories=["knowledge"]) if "stamp" in one.metadata]
        client.update(first.id, metadata={**first.metadata, **forged})
        assert [(one.path, one.passages) for one in client.list_knowledge()] == [(str(handbook), 2)]
        assert all("four euros" not in hit.text for hit in client.knowledge_search("a crossing to Aran"))


def test_an_agent_has_files_of_its_project_read_and_no_others(served: RunningDaemon, folder: Path) -> None:
    docs, beyond = folder / "docs", folder / "beyond.md"
    beyond.write_text("The beacon is lit at dusk.\n")
    (docs / ".keys").mkdir()
    (docs / ".keys" / "note.md").write_text("The lock is behind the mill.\n")
    (docs / "link.md").symlink_to(beyond)
    with served.client("s1", project=str(docs), agent="claude-code") as agent:
        assert len(agent.add_knowledge(docs).documents) == 2
        for place in (beyond, folder, docs / "link.md", docs / ".." / "beyond.md", Path("/etc/hostname")):
            with pytest.raises(RequestFailed, match="beyond the folder of the project"):
                agent.add_knowledge(place)
        with pytest.raises(RequestFailed, match="which is hidden"):
            agent.add_knowledge(docs / ".keys" / "note.md")
        # What it had read is let go of where it leads elsewhere.
        (docs / "fares.txt").unlink()
        (docs / "fares.txt").symlink_to(beyond)
        assert [one.path for one in agent.list_knowledge()] == [str(docs / "handbook.md")]
        assert not any("beacon" in hit.text for hit in agent.knowledge_search("when is the beacon lit?"))
    for project in ("", "/", "/etc"):
        with (
            served.client("s1", project=project, agent="claude-code") as agent,
            pytest.raises(RequestFailed, match="beyond the folder"),
        ):
            agent.add_knowledge("/etc/hostname", everywhere=True)


def test_an_agent_has_files_of_any_worktree_of_its_project_read(served: RunningDaemon, folder: Path) -> None:
    (folder / "main").mkdir()
    git = ["git", "-C", str(folder / "main"), "-c", "user.name=a", "-c", "user.email=a@example.net"]
    tree = folder / "main" / ".trees" / "one"
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"], ["worktree", "add", "-q", str(tree)]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    (tree / "piers.md").write_text("The harbour has three piers.\n")
    with served.client("s1", project=str(tree), agent="claude-code") as agent:
        assert len(agent.add_knowledge(tree).documents) == 1
        with pytest.raises(RequestFailed, match="which is hidden"):
            agent.add_knowledge(tree / ".git")
        with pytest.raises(RequestFailed, match="beyond the folder"):
            agent.add_knowledge(folder / "docs")


def test_the_user_has_read_what_they_name_but_for_what_is_no_file(served: RunningDaemon, folder: Path) -> None:
    with served.client("s1", project="/elsewhere", agent="cli") as user:
        assert len(user.add_knowledge(folder / "docs").documents) == 2
        for place in ("/proc/version", "/proc", "/dev/null"):
            with pytest.raises(RequestFailed, match="makes up"):
                user.add_knowledge(place)


def test_words_in_the_places_of_numbers_stop_nothing(served: RunningDaemon, folder: Path) -> None:
    with in_project(served, folder) as client:
        client.add_knowledge(folder / "docs")
        for one in client.list(categories=["knowledge"]):
            client.update(one.id, metadata={**one.metadata, "passages": "many", "passage": "last"})
        assert len(client.list_knowledge()) == 2
        assert "2 documents forgotten" in client.remove_knowledge(folder / "docs")
