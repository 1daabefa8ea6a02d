"""The index in an object store: the same as in a folder, and an outage is no damage."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyarrow import fs

from memoryd.assembly.app import with_index_of_its_own
from memoryd.config import Config, IndexConfig, LedgerConfig
from memoryd.index import LanceIndex, LanceMessages
from memoryd_actors.core.errors import Unavailable
from memoryd_actors.ports.transcripts import MessageRow, Wanted
from memoryd_client.base.paths import Paths
from object_store import BUCKET, ObjectStore, missing, object_store

from .rows import DIMENSIONS, axis, row, seen_by

KEY = ("local", "s1")


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    if reason := missing():
        pytest.skip(reason)
    with object_store() as served:
        for name, value in served.environment.items():
            monkeypatch.setenv(name, value)
        yield served


def stored(store: ObjectStore) -> bytes:
    """Return every byte in the bucket."""
    s3 = fs.S3FileSystem(
        access_key="test", secret_key="test", scheme="http", endpoint_override=f"127.0.0.1:{store.port}"
    )
    found = s3.get_file_info(fs.FileSelector(BUCKET, recursive=True))
    return b"".join(s3.open_input_stream(one.path).read() for one in found if one.is_file)


@pytest.mark.slow
async def test_an_index_in_an_object_store_is_as_one_in_a_folder(store: ObjectStore) -> None:
    url, config = f"s3://{BUCKET}/mine", IndexConfig(keep_versions_s=0.001)
    index, messages = LanceIndex(url, config), LanceMessages(f"{url}/messages", config)
    assert await index.open(model="m", dimensions=DIMENSIONS) == 0
    assert await messages.open(model="m", dimensions=DIMENSIONS) == {}
    await index.apply([row("a", text="apple"), row("b", text="secret")], removed=[], sequence=2)
    for session in ("s1", "s2"):
        said = MessageRow("local", session, 1, f"secret {session}", axis(0), "message", "user", "", 1)
        await messages.apply([said])
    await messages.note_heard(7)
    await index.close()
    await messages.close()
    # The next daemon finds what was there.
    assert await index.open(model="m", dimensions=DIMENSIONS) == 2
    assert await messages.open(model="m", dimensions=DIMENSIONS) == {KEY: 1, ("local", "s2"): 1}
    assert messages.heard == 7
    found = await index.search(vector=None, words="apple", visible=seen_by(), limit=5)
    assert [one.id for one in found] == ["a"]
    assert b"secret s1" in stored(store)
    await index.apply([], removed=["b"], sequence=3)
    await index.purge()
    await messages.remove(KEY)
    assert b"secret s1" not in stored(store)
    assert messages.heard == 7
    assert [one.session for one in await messages.search(Wanted("local"), vector=axis(0), words="secret", limit=5)] == [
        "s2"
    ]
    # Away, it is not taken for damaged: what is in memory goes on being searched.
    store.kill()
    with pytest.raises(Unavailable, match="cannot be reached"):
        await index.apply([row("c", text="cherry")], removed=[], sequence=4)
    with pytest.raises(Unavailable, match="cannot be reached"):
        await messages.search(Wanted("local"), vector=axis(0), words="secret", limit=5)
    assert [one.id for one in await index.search(vector=None, words="apple", visible=seen_by(), limit=5)] == ["a"]
    with pytest.raises(Unavailable, match="cannot be reached"):
        await LanceIndex(url, config).open(model="m", dimensions=DIMENSIONS)


def test_homes_that_share_a_ledger_have_places_of_their_own_below_one_url(tmp_path: Path) -> None:
    paths = Paths.from_environment({"MEMORYD_HOME": str(tmp_path), "HOME": str(tmp_path)})
    (tmp_path / "name").write_text("abc\n")
    alone = Config(index=IndexConfig(url="s3://memories/team/"))
    assert with_index_of_its_own(paths, alone) is alone
    shared = Config(index=alone.index, ledger=LedgerConfig(url="postgresql+psycopg://db/memoryd"))
    assert with_index_of_its_own(paths, shared).index.url == "s3://memories/team/abc"
    folder = Config(ledger=shared.ledger)
    assert with_index_of_its_own(paths, folder).index.url == ""
