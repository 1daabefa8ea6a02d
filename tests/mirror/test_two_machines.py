"""Two homes share memory by an ordinary git repository, as docs/mirror.md shows it."""

import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from memoryd_actors.memory.steps import Add, ChangeState, Revise
from memoryd_client import Memory, Scope
from memoryd_client.wire.memory import State, new_memory_id

from .play import OWNER, PROJECT, MirroredHome, mirrored_home


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def share(folder: Path) -> str:
    """Commit, merge what others committed, and give it to them."""
    git(folder, "add", "-A")
    git(folder, "commit", "-m", "Memory")
    merged = git(folder, "pull", "--no-rebase", "--no-edit", "origin", "main")
    git(folder, "push", "origin", "HEAD:main")
    return merged


@asynccontextmanager
async def two_machines(place: Path) -> AsyncGenerator[tuple[MirroredHome, MirroredHome]]:
    """Ada's home begins the repository, Bob's takes a clone of it as its mirror."""
    git(place, "init", "--bare", "shared.git")
    (place / "ada").mkdir()
    git(place, "clone", "shared.git", "ada/folder")
    async with mirrored_home(place / "ada") as ada:
        await remember(ada, "Token expiry", "Token expiry is computed in UTC.")
        await remember(ada, "Deploys", "Never deploy on Fridays.\n\nOr before holidays.")
        await ada.sync()
        share(ada.folder)
        (place / "bob").mkdir()
        git(place, "clone", "shared.git", "bob/folder")
        async with mirrored_home(place / "bob") as bob:
            await bob.sync()
            yield ada, bob


async def remember(home: MirroredHome, title: str, content: str) -> str:
    now = datetime.now(UTC)
    new = Memory(
        id=new_memory_id(),
        owner=OWNER,
        content=content,
        title=title,
        scope=Scope.PROJECT,
        project=PROJECT,
        created_at=now,
        updated_at=now,
    )
    await home.perform(Add(new))
    return new.id


async def said(home: MirroredHome) -> dict[str, str]:
    return {one.title: one.content for one in (await home.memories()).values()}


async def exchange(*homes: MirroredHome) -> None:
    """Each shares what it has and takes what the others have, until all have all."""
    for home in (*homes, *homes):
        await home.sync()
        share(home.folder)
        await home.sync()


async def test_a_clone_has_the_same_memories_with_their_ids_and_dates(tmp_path: Path) -> None:
    async with two_machines(tmp_path) as (ada, bob):
        hers, his = await ada.memories(), await bob.memories()
        assert his.keys() == hers.keys()
        for one in hers.values():
            twin = his[one.id]
            assert (twin.title, twin.content, twin.created_at) == (one.title, one.content, one.created_at)
        assert git(bob.folder, "status", "--porcelain") == ""


async def test_what_each_changes_both_have_and_what_each_forgets_both_forget(tmp_path: Path) -> None:
    async with two_machines(tmp_path) as (ada, bob):
        expiry, deploys = sorted((await ada.memories()).values(), key=lambda one: one.title, reverse=True)
        await ada.perform(Revise(replace(expiry, content="Token expiry is a setting now.")))
        await remember(ada, "Node", "CI runs node 22.")
        (bob.folder / "fact" / "Ports.md").write_text("The shop listens on port 8080.\n")
        (bob.folder / "fact" / "Deploys.md").unlink()
        await exchange(ada, bob)
        both = {
            "Token expiry": "Token expiry is a setting now.",
            "Node": "CI runs node 22.",
            "Ports": "The shop listens on port 8080.",
        }
        assert await said(ada) == await said(bob) == both
        assert (await ada.memories("forgotten")).keys() == {deploys.id}
        assert git(ada.folder, "status", "--porcelain") == git(bob.folder, "status", "--porcelain") == ""


async def test_two_paragraphs_of_one_memory_merge(tmp_path: Path) -> None:
    async with two_machines(tmp_path) as (ada, bob):
        for home, old, new in ((ada, "Fridays.", "Saturdays."), (bob, "holidays.", "a release.")):
            file = home.folder / "fact" / "Deploys.md"
            file.write_text(file.read_text().replace(old, new))
        await exchange(ada, bob)
        assert (await said(ada))["Deploys"] == "Never deploy on Saturdays.\n\nOr before a release."
        assert await said(bob) == await said(ada)


async def test_a_conflict_waits_for_somebody_and_memory_stays_as_it_is(tmp_path: Path) -> None:
    async with two_machines(tmp_path) as (ada, bob):
        for home, new in ((ada, "noon."), (bob, "midnight.")):
            file = home.folder / "fact" / "Token expiry.md"
            file.write_text(file.read_text().replace("UTC.", new))
            await home.sync()
        share(ada.folder)
        assert "CONFLICT" in share(bob.folder)
        await bob.sync()
        (trouble,) = bob.mirror.status().troubles
        assert (trouble.path, "merge" in trouble.reason) == ("fact/Token expiry.md", True)
        assert (await said(bob))["Token expiry"] == "Token expiry is computed in midnight."
        git(bob.folder, "checkout", "--theirs", "fact/Token expiry.md")
        await bob.sync()
        assert (await said(bob))["Token expiry"] == "Token expiry is computed in noon."


async def test_a_tombstone_reaches_a_memory_that_came_another_way(tmp_path: Path) -> None:
    async with two_machines(tmp_path) as (ada, bob):
        expiry = next(one for one in (await ada.memories()).values() if one.title == "Token expiry")
        async with mirrored_home(tmp_path / "carol") as carol:
            await carol.perform(Add(expiry))
            await ada.perform(ChangeState(expiry.id, State.FORGOTTEN, "DELETE"))
            await exchange(ada, bob)
            assert "Token expiry" not in await said(bob)
            git(tmp_path, "clone", "shared.git", "carols")
            carol.use(tmp_path / "carols")
            await carol.sync()
            assert await said(carol) == await said(ada)


async def test_another_branch_is_one_operation_there_and_back(tmp_path: Path) -> None:
    async with two_machines(tmp_path) as (ada, _):
        for number in range(20):
            (ada.folder / "fact" / f"Branch {number}.md").write_text(f"House {number} is painted.\n")
        git(ada.folder, "checkout", "-b", "paint")
        await ada.sync()
        share_on_branch(ada.folder)
        assert len(await ada.memories()) == 22
        git(ada.folder, "checkout", "main")
        await ada.sync()
        assert len(await ada.memories()) == 2
        newest = await ada.memory.ledger.memories.history(OWNER, limit=20)
        assert len({entry.operation for entry in newest}) == 1
        git(ada.folder, "checkout", "paint")
        await ada.sync()
        assert len(await ada.memories()) == 22


def share_on_branch(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-m", "Paint")
