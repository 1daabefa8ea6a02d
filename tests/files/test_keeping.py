"""The Keeper asks the project before it keeps what a memory says about its files."""

from pathlib import Path

import pytest

from memoryd.project_files import ProjectFolders
from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.orders import LinkMemories, Store
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate, Message
from memoryd_client.wire.memory import MAX_CONTENT_BYTES, NewMemory, Source
from recall_system import Place, running


@pytest.mark.anyio
async def test_nothing_of_ignored_and_environment_files_is_kept(tmp_path: Path, models: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    (project / ".secretsignore").write_text("notes/\n", encoding="utf-8")
    (project / ".env").write_text("DB_PASSWORD=swordfishes\n", encoding="utf-8")
    async with running(Place(tmp_path / "home", models, files=ProjectFolders())) as system:
        caller = Caller(project=str(project))
        for refused, reason in (
            (NewMemory(content="The job runs at noon.", files=("notes/diary.md",)), "secretsignore"),
            (NewMemory(content="cat notes/diary.md\nDear diary"), "quotes notes/diary.md"),
            (NewMemory(content="```.env\nPORT=1\n```"), "environment file"),
            (NewMemory(content="x" * MAX_CONTENT_BYTES + "y"), f"{MAX_CONTENT_BYTES + 1} bytes"),
        ):
            with pytest.raises(Refused, match=reason):
                await system.keeper.ask(Store((refused,), caller), deadline_s=10)
        assert await system.ledger.memories.counts() == {}
        kept = NewMemory(content="The job in notes/diary.md logs in with swordfishes.", files=("src/job.py",))
        (stored,) = await system.keeper.ask(Store((kept,), caller), deadline_s=10)
        assert stored.content == "The job in notes/diary.md logs in with [redacted:env]."
        (entry,) = await system.ledger.memories.history("local", memory_id=stored.id)
        assert entry.meta == {"gate": "redacted:env"}
        (other,) = await system.keeper.ask(
            Store((NewMemory(content="The shop opens at nine."),), caller), deadline_s=10
        )
        link = LinkMemories(stored.id, other.id, "opens with swordfishes", 1.0, caller)
        await system.keeper.ask(link, deadline_s=10)
        named = {one.relation for one in await system.ledger.memories.edges("local", [other.id])}
        assert "opens with [redacted:env]" in named


@pytest.mark.anyio
async def test_what_stands_in_an_environment_file_is_in_no_context(tmp_path: Path, models: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    (project / ".env").write_text("DB_PASSWORD=swordfishes\n", encoding="utf-8")
    said = Message("user", "Why does the job of the shop log in with swordfishes at noon?")
    async with running(Place(tmp_path / "home", models, files=ProjectFolders())) as system:
        caller = Caller(project=str(project), session="s")
        assert system.recall.offer(ContextUpdate(caller=caller, messages=(said,)))
        trace = await system.decided("s", "Why does the job of the shop log in with [redacted:env] at noon?")
        assert trace.turn == 1
        elsewhere = Caller(project=str(tmp_path), session="s")
        assert await system.recall.recall(elsewhere, [said]) is None


@pytest.mark.anyio
@pytest.mark.parametrize(
    "content",
    [
        "In secret_notes.md we wrote that the launch is in June.",
        "In vault/keys.txt: the door code is blue elephant.",
        "secret_notes.md: the launch is in June.",
        "vault/keys.txt has the door code of the office: blue elephant.",
        "According to `secret_notes.md` the launch is in June.",
        "Laut secret_notes.md ist der Start im Juni.",
        "The launch is in June. secret_notes.md says so, and who is invited.",
    ],
)
async def test_what_an_ignored_file_holds_is_the_users_to_keep_and_nobody_elses(
    tmp_path: Path, models: Path, content: str
) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    (project / ".gitignore").write_text("secret_notes.md\nvault/\n", encoding="utf-8")
    async with running(Place(tmp_path / "home", models, files=ProjectFolders())) as system:
        caller = Caller(project=str(project))
        for source in (Source.AGENT, Source.EXTRACTED, Source.IMPORTED):
            with pytest.raises(Refused, match=r"says what .* holds, which .gitignore leaves out"):
                await system.keeper.ask(Store((NewMemory(content=content, source=source),), caller), deadline_s=10)
        mention = NewMemory(content="The build copies secret_notes.md into the archive.", source=Source.EXTRACTED)
        with pytest.raises(Refused, match=r"says what .* holds"):
            await system.keeper.ask(Store((mention,), caller), deadline_s=10)
        own = NewMemory(content=content, source=Source.USER)
        agent = NewMemory(content="The job copies secret_notes.md into the archive.", source=Source.AGENT)
        other = NewMemory(content="In readme.md we wrote that the launch is in July.", source=Source.AGENT)
        for kept in (own, agent, other):
            (stored,) = await system.keeper.ask(Store((kept,), caller), deadline_s=10)
            assert stored.content == kept.content
