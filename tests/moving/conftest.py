"""Homes without a daemon: a ledger of either kind, transcripts, and what goes from one to another."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, insert

from memoryd.config import LedgerConfig
from memoryd.ledger import all_rows, opening
from memoryd.ledger.tables import metadata
from memoryd.moving.archive import Setting
from memoryd.moving.arriving import Arrived, arrive
from memoryd.moving.leaving import Left, leave
from memoryd_client.base.paths import Paths
from postgresql import database


def nothing() -> None:
    pass


@dataclass(frozen=True)
class Home:
    """A home and its database."""

    paths: Paths
    url: str

    @property
    def config(self) -> LedgerConfig:
        return LedgerConfig(url=self.url)

    def opened(self) -> Any:
        return all_rows.opened(self.url or self.paths.ledger, self.paths.backups)

    def fill(self, rows: Mapping[str, list[dict[str, Any]]]) -> None:
        """Put rows into the tables of a new ledger."""
        with self.opened() as engine:
            opening.migrate(engine, "")
            with engine.execution_options(memoryd_writes=True).begin() as connection:
                for name, some in rows.items():
                    if some:
                        connection.execute(insert(metadata.tables[name]), some)

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Return every row as the database has it."""

        def all_of(connection: Connection) -> Iterator[tuple[str, list[dict[str, Any]]]]:
            for name, table in metadata.tables.items():
                found = [dict(row) for row in connection.execute(table.select()).mappings()]
                yield name, sorted(found, key=str)

        with self.opened() as engine, engine.connect() as connection:
            return dict(all_of(connection))

    def transcript_bytes(self) -> dict[str, bytes]:
        """Return every transcript as it lies on the disk, by its folders."""
        root = self.paths.transcripts
        return {str(file.relative_to(root)): file.read_bytes() for file in sorted(root.rglob("session.jsonl"))}

    def leave(
        self, advance: Callable[[], None] = nothing, settings: Mapping[str, Setting] | None = None
    ) -> tuple[bytes, Left]:
        stream = BytesIO()
        done = leave(self.paths, self.config, stream, settings=settings or {}, advance=advance)
        return stream.getvalue(), done

    def arrive(
        self,
        archive: bytes,
        places: Mapping[str, str] | None = None,
        configure: Callable[[Mapping[str, Setting]], None] = lambda _: None,
    ) -> Arrived:
        return arrive(
            self.paths, self.config, BytesIO(archive), places=places or {}, configure=configure, advance=nothing
        )


def home_at(folder: Path, url: str = "") -> Home:
    folder.mkdir(mode=0o700, exist_ok=True)
    return Home(Paths.from_environment({"MEMORYD_HOME": str(folder), "HOME": str(folder)}), url)


@pytest.fixture
def here(tmp_path: Path) -> Home:
    return home_at(tmp_path / "here")


@pytest.fixture
def there(tmp_path: Path) -> Home:
    return home_at(tmp_path / "there")


@pytest.fixture
def shared_url(server: str) -> Iterator[str]:
    with database(server, "memoryd_moving") as url:
        yield url
