import msgspec

from memoryd.ledger import SqlLedger
from memoryd_actors.memory.visibility import Visibility
from memoryd_client.wire.memory import Memory, State

from .samples import insert, memory


def file(path: str, content: str = "", **fields: str) -> Memory:
    one = memory(content or f"what {path} says", owner=fields.get("owner", "local"))
    return msgspec.structs.replace(one, metadata={"other": "notes/a.md", "path": path})


async def test_memories_with_a_path_are_found_by_how_it_begins(ledger: SqlLedger) -> None:
    gone = msgspec.structs.replace(file("notes/gone.md"), state=State.FORGOTTEN)
    plain = msgspec.structs.replace(memory("no file"), metadata={"about": 'notes/"path":"notes/'})
    stored = [file("notes/b.md"), file("notes/a.md"), file("notes_x.md"), file("Notes/c.md"), gone, plain]
    await insert(ledger, [*stored, file("notes/theirs.md", owner="them")], actor="a")
    seen = Visibility(owner="local")

    async def paths(prefix: str, limit: int = 10) -> list[str]:
        return [one.metadata["path"] for one in await ledger.memories.files(seen, prefix=prefix, limit=limit)]

    assert await paths("notes/") == ["notes/a.md", "notes/b.md"]
    assert await paths("notes_") == ["notes_x.md"]
    assert await paths("") == ["Notes/c.md", "notes/a.md", "notes/b.md", "notes_x.md"]
    assert await paths("", limit=1) == ["Notes/c.md"]
    assert await paths('"') == []
    assert await paths("%") == []
