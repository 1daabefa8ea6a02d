import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import create_engine, inspect

from memoryd.ledger import SqlLedger
from memoryd.ledger.tables import metadata
from memoryd_actors.admission.gate import content_hash, identity
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.steps import RevertOperation
from postgresql import database

from .samples import HandClock, insert, memory

OLD = Path(__file__).parent / "schemas"
"""How ledgers of earlier versions were made, by SQLite's own account."""


def at_version(file: Path, version: str) -> None:
    """A ledger as an older memoryd left it."""
    file.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(file)) as raw:
        raw.executescript((OLD / f"{version}.sql").read_text(encoding="utf-8"))


async def described(where: Path | str) -> dict[str, object]:
    """All that a database says of its tables, but for the order of columns."""
    ledger = SqlLedger(where, clock=HandClock())
    await ledger.open()
    await ledger.close()
    engine = create_engine(where if isinstance(where, str) else f"sqlite:///{where}")
    with engine.connect() as connection:
        there = inspect(connection)
        found: dict[str, object] = {
            table: (
                sorted(str(column) for column in there.get_columns(table)),
                there.get_pk_constraint(table)["constrained_columns"],
                sorted(
                    (index["name"], index["column_names"], str(index["unique"]), _options(index.get("dialect_options")))
                    for index in there.get_indexes(table)
                ),
            )
            for table in there.get_table_names()
        }
    engine.dispose()
    return found


def _options(given: Mapping[str, object] | None) -> list[str]:
    return sorted(f"{name} {value}" for name, value in (given or {}).items())


@pytest.mark.parametrize("version", ["0001", "0009"])
async def test_an_upgraded_ledger_has_the_tables_of_a_new_one(file: Path, tmp_path: Path, version: str) -> None:
    at_version(file, version)
    upgraded = await described(file)
    assert upgraded == await described(tmp_path / "new.db")
    assert upgraded.keys() == metadata.tables.keys() | {"alembic_version"}


async def test_what_a_ledger_lacks_is_added_in_postgresql(server: str) -> None:
    with database(server, "memoryd_schema") as url:
        new = await described(url)
        engine = create_engine(url)
        with engine.begin() as connection:
            connection.exec_driver_sql("DROP TABLE purges")
            connection.exec_driver_sql("ALTER TABLE memories DROP COLUMN compared, DROP COLUMN revision")
            connection.exec_driver_sql("ALTER TABLE checkpoints DROP COLUMN gone")
            connection.exec_driver_sql("DROP INDEX ix_relations_removed_by")
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0002'")
        engine.dispose()
        assert await described(url) == new


async def test_a_start_that_fails_leaves_nothing_behind(file: Path) -> None:
    # A table in the way of another one: those created before it must not stay.
    file.parent.mkdir()
    engine = create_engine(f"sqlite:///{file}")
    metadata.tables["spending"].create(engine)
    with pytest.raises(Exception, match="spending"):
        await SqlLedger(file, clock=HandClock()).open()
    with engine.connect() as connection:
        assert engine.dialect.get_table_names(connection) == ["spending"]
    engine.dispose()


async def test_an_upgrade_that_fails_leaves_the_ledger_as_it_was(file: Path) -> None:
    at_version(file, "0001")
    with closing(sqlite3.connect(file)) as raw:
        raw.executescript("CREATE TABLE purges (id INTEGER); INSERT INTO purges VALUES (1)")
        before = raw.execute("SELECT sql FROM sqlite_master").fetchall()
    with pytest.raises(Exception, match="NOT NULL"):
        await SqlLedger(file, clock=HandClock()).open()
    with closing(sqlite3.connect(file)) as raw:
        assert raw.execute("SELECT sql FROM sqlite_master").fetchall() == before


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
    at_version(file, "0001")
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
    at_version(file, "0009")
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
