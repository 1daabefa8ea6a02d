import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

import memoryd.ledger
from memoryd.ledger import SqlLedger
from memoryd.ledger.tables import HEAD, metadata

from .samples import HandClock, memory
from .server import database


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


async def test_aliases_from_before_they_had_an_age_are_kept_for_another_while(file: Path) -> None:
    ledger = SqlLedger(file, clock=HandClock())
    await ledger.open()
    (kept,), _ = await ledger.insert([memory("tea")], actor="a")
    again = memory("tea")
    await ledger.insert([again], actor="a")
    await ledger.close()
    with closing(sqlite3.connect(file)) as raw:
        raw.executescript("ALTER TABLE aliases DROP COLUMN ts; UPDATE alembic_version SET version_num = '0001'")
    await ledger.open()
    an_hour_ago = datetime.now(UTC) - timedelta(hours=1)
    deleted = await ledger.prune(traces_before=an_hour_ago, sessions_before=an_hour_ago, aliases_before=an_hour_ago)
    assert deleted["aliases"] == 0
    (standing,), _ = await ledger.insert([again], actor="a")
    assert (standing.id, standing.strength) == (kept.id, 2)
    await ledger.close()
