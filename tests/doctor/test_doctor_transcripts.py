"""What an examination finds in transcripts: each fault is made for real, and nothing is changed by looking."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np
import pytest

from memoryd.clock import SystemClock
from memoryd.config import IndexConfig
from memoryd.doctor import Finding, examine
from memoryd.index.messages import LanceMessages
from memoryd.ledger import SqlLedger
from memoryd.transcripts import JsonlTranscripts
from memoryd_actors.memory.steps import Add
from memoryd_actors.ports.transcripts import MessageRow
from memoryd_client.base.paths import Paths
from memoryd_client.wire.memory import Memory, new_memory_id
from transcript_files import append, kept, lines

MODEL = "a model"


class House:
    """A scratch installation in which something was said."""

    def __init__(self, root: Path) -> None:
        self.environ = {"HOME": str(root), "MEMORYD_HOME": str(root / "home"), "PATH": str(root)}
        self.paths = Paths.from_environment(self.environ)
        self.paths.home.mkdir(mode=0o700)
        self.paths.backups.mkdir(mode=0o700)

    def transcripts(self) -> JsonlTranscripts:
        return JsonlTranscripts(self.paths.transcripts, self.paths.transcripts_copy)

    async def said(self, *words: str, copied: bool = False) -> Path:
        transcripts = self.transcripts()
        await append(transcripts, *(kept(one, id=one) for one in words))
        await transcripts.save()
        if copied:
            await transcripts.back_up()
        return lines(self.paths.transcripts)

    async def index(self, *numbers: int) -> None:
        messages = LanceMessages(self.paths.messages_index, IndexConfig())
        await messages.open(model=MODEL, dimensions=4)
        await messages.apply([row(number) for number in numbers])
        await messages.close()

    def find(self, name: str = "transcripts") -> list[Finding]:
        return [one for one in examine(self.paths, environ=self.environ) if one.name == name]

    def worst(self, name: str = "transcripts") -> Finding:
        found = self.find(name)
        return next((one for level in ("fail", "warn") for one in found if one.level == level), found[0])


def row(number: int) -> MessageRow:
    vector = np.ones(4, np.float32)
    return MessageRow(
        owner="local",
        session="s1",
        sequence=number,
        text="x",
        vector=vector,
        kind="message",
        role="user",
        name="",
        at=1,
    )


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def bytes_of(root: Path) -> dict[str, str]:
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in root.rglob("*") if file.is_file()}


def spoil(file: Path, *numbers: int) -> None:
    text = file.read_bytes().splitlines(keepends=True)
    for number in numbers:
        text[number - 1] = text[number - 1].replace(b'"content"', b'"conte\xff\xff"').replace(b'{"type"', b'\xff"type"')
    file.write_bytes(b"".join(text))


async def test_sound_transcripts_are_counted(house: House) -> None:
    assert [one.what for one in house.find()] == ["nothing was said yet"]
    await house.said("one", "two", "three")
    (finding,) = house.find()
    assert finding.level == "ok"
    assert finding.numbers == {
        "sessions": 1, "entries": 3, "messages": 3, "damaged_lines": 0, "unreadable_entries": 0,
        "compacted_sessions": 0, "archived_entries": 0,
    }  # fmt: skip


async def test_damaged_lines_are_named_with_file_and_number_and_nothing_is_changed(house: House) -> None:
    file = await house.said("one", "two", "three", "four")
    spoil(file, 2, 4)
    before = bytes_of(house.paths.home)
    finding = house.worst()
    assert (finding.level, finding.file, finding.lines) == ("fail", str(file), (2, 4))
    assert finding.numbers == {"damaged_lines": 2, "unreadable_entries": 2}
    assert f"{file} (session 's1'): lines 2, 4" in finding.what
    assert "memoryd backup" in finding.mend
    assert house.find()[-1].numbers["damaged_lines"] == 2
    assert bytes_of(house.paths.home) == before


async def test_what_a_copy_can_bring_back_is_said(house: House) -> None:
    file = await house.said("one", "two", "three", copied=True)
    spoil(file, 2)
    assert "memoryd session show s1 --owner local  # brings 1 back" in house.worst().mend
    assert len(await house.transcripts().read(("local", "s1"), after=0, limit=9, characters=99)) == 3
    assert house.worst().level == "ok"


async def test_lines_that_are_gone_are_missed(house: House) -> None:
    file = await house.said("one", "two", "three")
    file.write_bytes(file.read_bytes().splitlines(keepends=True)[0])
    finding = house.worst()
    assert finding.level == "fail"
    assert "lines of it are gone, 2 entries in all" in finding.what


async def test_metadata_that_do_not_fit_the_lines_are_found(house: House) -> None:
    file = (await house.said("one", "two")).with_name("metadata.json")
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b'"entryCount":2', b'"entryCount":7'))
    finding = house.worst()
    assert finding.level == "warn"
    assert "entry_count is 7 and should be 2" in finding.what
    file.write_bytes(b"{")
    finding = house.worst()
    assert finding.level == "fail"
    assert "nobody can tell whose session this is" in finding.what
    file.write_bytes(msgspec.json.encode({"id": "s1", "userId": "local"}))
    assert house.worst().level == "ok"
    file.write_bytes(whole.replace(b'"s1"', b'"s2"'))
    assert "is not looked for here" in house.worst().what


async def test_what_others_can_read_is_found(house: House) -> None:
    file = await house.said("one")
    file.chmod(0o644)
    finding = house.worst()
    assert finding.level == "warn"
    assert str(file) in finding.what
    assert finding.mend.startswith("chmod -R go=")


async def test_messages_that_no_search_finds_are_counted(house: House) -> None:
    assert house.worst("message index").level == "ok"
    await house.said("one", "two", "three", "four")
    assert "lacks 4 entries yet" in house.worst("message index").what
    await house.index(1, 3)
    finding = house.worst("message index")
    assert finding.level == "warn"
    assert finding.numbers == {"messages": 2, "waiting": 1, "missing": 1, "without_session": 0}
    await house.index(2, 4)
    assert house.worst("message index").what == "everything that was said can be found"


async def test_messages_of_a_session_that_is_gone_are_found(house: House) -> None:
    await house.index(1)
    assert "1 message of sessions that have no transcript" in house.worst("message index").what


async def test_an_index_that_cannot_be_read_is_said_to_be_so(house: House) -> None:
    await house.index(1)
    for file in house.paths.messages_index.rglob("*.manifest"):
        file.write_bytes(b"x" * 64)
    assert house.worst("message index").level == "fail"


async def test_with_a_shared_ledger_those_that_stand_in_files_are_told(house: House) -> None:
    house.environ["MEMORYD_LEDGER_URL"] = "postgresql+psycopg://db.example/memoryd"
    assert house.worst().level == "ok"
    await house.said("one")
    assert house.worst().level == "warn"
    assert "ledger.url: 1 transcript" in house.worst().what
    assert house.find("message index") == []


async def test_an_allowlist_that_names_an_agent_that_nobody_has_heard_of_is_told_with_names_near_it(
    house: House,
) -> None:
    await house.said("one")  # by the agent `a`
    house.paths.config.write_text(
        '[allowlists]\nresearcher = ["fact"]\n'
        'boss = ["agent:researcher", "agent:A", "agent:reseacher", "agent:zzz", "agent:*", "fact"]\n',
        encoding="utf-8",
    )
    assert [(one.level, one.what) for one in house.find("agents")] == [
        (
            "warn",
            "allowlists.boss names `agent:reseacher`, and no agent of that name was heard of yet; "
            "was `researcher` meant?",
        ),
        ("warn", "allowlists.boss names `agent:zzz`, and no agent of that name was heard of yet"),
    ]
    ledger = SqlLedger(house.paths.ledger, backups=house.paths.backups, clock=SystemClock())
    await ledger.open()
    now = datetime.now(UTC)
    memory = Memory(
        id=new_memory_id(), owner="local", content="Tests need Redis.", agent="Zzz", created_at=now, updated_at=now
    )
    await ledger.memories.apply("local", [Add(memory, compared=False)], actor="test")
    await ledger.close()
    assert ["reseacher" in one.what for one in house.find("agents")] == [True]
