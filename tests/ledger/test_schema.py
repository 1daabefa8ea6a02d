import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

import memoryd.ledger
from memoryd.ledger import SqlLedger
from memoryd.ledger.purging import erase, erase_in
from memoryd.ledger.tables import HEAD, metadata
from memoryd_actors.admission.gate import content_hash, identity
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.steps import RevertOperation
from memoryd_actors.memory.visibility import Visibility
from memoryd_client.wire.filters import Filters
from postgresql import database

from .samples import HandClock, insert, memory


async def differences(url: str) -> list[object]:
    ledger = SqlLedger(url, clock=HandClock())
    await ledger.open()
    await ledger.close()
    engine = create_engine(url)
    with engine.connect() as connection:
        found = compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), metadata)
    engine.dispose()
    return list(found)


async def test_migrations_end_where_the_tables_say_in_sqlite(file: Path) -> None:
    assert await differences(f"sqlite:///{file}") == []


async def test_migrations_end_where_the_tables_say_in_postgresql(server: str) -> None:
    with database(server, "memoryd_schema") as url:
        assert await differences(url) == []


def test_the_known_head_is_the_newest_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(memoryd.ledger.__path__[0]) / "migrations"))
    assert ScriptDirectory.from_config(config).get_current_head() == HEAD


async def test_a_failed_migration_leaves_nothing_behind(file: Path) -> None:
    # A table in the way of a later one: those created before it must not stay.
    file.parent.mkdir()
    engine = create_engine(f"sqlite:///{file}")
    metadata.tables["spending"].create(engine)
    with pytest.raises(Exception, match="spending"):
        await SqlLedger(file, clock=HandClock()).open()
    with engine.connect() as connection:
        assert engine.dialect.get_table_names(connection) == ["spending"]
    engine.dispose()


def at_version(file: Path, version: str) -> None:
    """A ledger as an older memoryd left it."""
    file.parent.mkdir(exist_ok=True)
    config = Config()
    config.set_main_option("script_location", str(Path(memoryd.ledger.__path__[0]) / "migrations"))
    engine = create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, version)
    engine.dispose()


OLD_MEMORY = """
INSERT INTO memories (id, owner, content, category, scope, project, title, tags, metadata, importance, pinned, source,
    speaker, session, files, created_at, updated_at, access_count, strength, sources, trust, state, superseded_by,
    content_hash, embedding_model)
VALUES ('mem_tea', 'local', 'tea', 'fact', 'global', '', '', '[]', '{}', 3, 0, 'user', '', '', '[]', 1, 1, 0, 1, '[]',
    0.8, 'active', '', 'hash', '');
INSERT INTO history (memory_id, owner, event, old, new, actor, meta, ts)
VALUES ('mem_tea', 'local', 'ADD', '', 'tea', '', '{}', 1);
"""


async def test_aliases_from_before_they_had_an_age_are_kept_for_another_while(file: Path) -> None:
    at_version(file, "0001")
    with closing(sqlite3.connect(file)) as raw:
        raw.executescript(OLD_MEMORY)
        raw.executescript("INSERT INTO aliases (id, memory_id) VALUES ('mem_again', 'mem_tea')")
    ledger = SqlLedger(file, clock=HandClock())
    await ledger.open()
    an_hour_ago = datetime.now(UTC) - timedelta(hours=1)
    deleted = await ledger.pruning.prune(
        traces_before=an_hour_ago, sessions_before=an_hour_ago, aliases_before=an_hour_ago
    )
    assert deleted["aliases"] == 0
    (standing,), _ = await insert(ledger, [memory("tea", id="mem_again")], actor="a")
    assert standing.id == "mem_tea"
    await ledger.close()


async def test_a_ledger_from_before_operations_keeps_its_memories_and_its_history(file: Path) -> None:
    at_version(file, "0002")
    with closing(sqlite3.connect(file)) as raw:
        raw.executescript(OLD_MEMORY)
    ledger = SqlLedger(file, clock=HandClock())
    await ledger.open()
    assert [one.id for one in await ledger.memories.uncompared(limit=10)] == ["mem_tea"]
    (entry,) = await ledger.memories.history("local")
    assert (entry.event, entry.new, entry.operation) == ("ADD", "tea", 1)
    with pytest.raises(Refused, match="cannot be undone"):
        await ledger.memories.apply("local", [RevertOperation(1)], actor="a")
    await ledger.close()


async def test_contents_that_differ_in_case_were_one_and_are_two(file: Path) -> None:
    at_version(file, "0009")
    with closing(sqlite3.connect(file)) as raw:
        raw.executescript(OLD_MEMORY)
    ledger = SqlLedger(file, clock=HandClock())
    await ledger.open()
    there = (await ledger.memories.get("local", ["mem_tea"]))["mem_tea"]
    assert there.content_hash == content_hash("tea")
    said = [memory(content, id=f"mem_{n}") for n, content in enumerate(("Tea", " tea"))]
    again = [msgspec.structs.replace(one, content_hash=content_hash(one.content)) for one in said]
    standing, _ = await insert(ledger, again, actor="a")
    assert [one.id for one in standing] == ["mem_0", "mem_tea"]
    await ledger.close()


async def test_the_same_words_of_two_categories_were_one_and_are_two(file: Path) -> None:
    at_version(file, "0011")
    with closing(sqlite3.connect(file)) as raw:
        for category, path in (("rule", ""), ("file", "a.md")):
            old = OLD_MEMORY.replace("'fact'", f"'{category}'").replace("'{}', 3", f'\'{{"path": "{path}"}}\', 3')
            old = old.replace("mem_tea", f"mem_{category}").replace("'global', '', ''", "'global', '', 'What To_Drink'")
            raw.executescript(old.replace("'hash'", f"'{category}'"))
    ledger = SqlLedger(file, clock=HandClock())
    await ledger.open()
    there = await ledger.memories.get("local", ["mem_rule", "mem_file"])
    assert [one.content_hash for one in there.values()] == [identity(one) for one in there.values()]
    assert there["mem_file"].content_hash == content_hash("tea", "file", "a.md")
    assert there["mem_rule"].content_hash == content_hash("tea", "rule", "whattodrink")
    fact = msgspec.structs.replace(memory("tea", id="mem_fact"), content_hash=content_hash("tea"))
    assert [one.id for one in (await insert(ledger, [fact], actor="a"))[0]] == ["mem_fact"]
    await ledger.close()


async def test_lists_history_and_counts_of_an_older_ledger_are_those_of_a_new_one(file: Path) -> None:
    at_version(file, "0016")
    with closing(sqlite3.connect(file)) as raw:
        raw.executescript(OLD_MEMORY)
        raw.executescript(
            """
            INSERT INTO memory_tags (memory_id, tag) VALUES ('mem_tea', 'drink'), ('mem_gone', 'drink');
            INSERT INTO history (memory_id, owner, event, old, new, actor, meta, ts)
            VALUES ('mem_gone', 'local', 'PURGE', '', '', '', '{}', 1);
            """
        )
    ledger = SqlLedger(file, clock=HandClock())
    await ledger.open()
    tagged = Visibility("local", filters=Filters(tags=("drink",)))
    assert [one.id for one in await ledger.memories.page(tagged, limit=5)] == ["mem_tea"]
    allowed = frozenset({"fact", ""})
    assert [one.memory_id for one in await ledger.memories.history("local", allowed=allowed)] == ["mem_tea"]
    assert await ledger.memories.counts() == {"active": 1}
    assert await ledger.memories.by_category(Visibility("local")) == {"fact": 1}
    await ledger.close()


@pytest.mark.parametrize("version", ["0002", "0016"])
async def test_what_is_purged_goes_out_of_a_copy_that_an_older_memoryd_left(file: Path, version: str) -> None:
    at_version(file, version)
    with closing(sqlite3.connect(file)) as raw:
        raw.executescript(OLD_MEMORY)
    erase_in(file, lambda connection: erase(connection, ["mem_tea"]))
    with closing(sqlite3.connect(file)) as raw:
        assert raw.execute("SELECT count(*) FROM memories").fetchone() == (0,)
        assert raw.execute("SELECT memory_id, event, new FROM history").fetchall() == [("mem_tea", "ADD", "")]
    ledger = SqlLedger(file, clock=HandClock())
    await ledger.open()
    assert await ledger.memories.counts() == {}
    await ledger.close()
