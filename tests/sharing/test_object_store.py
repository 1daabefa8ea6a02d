"""Two daemons on one ledger, with one object store for their indexes: one dies, the other goes on; it comes back."""

import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from memoryd_client import Client, Entry, RequestFailed
from memoryd_client.wire.transcripts import SearchMessages
from object_store import BUCKET, missing, object_store
from postgresql import database
from running import RunningDaemon, until


def finds(client: Client, query: str, memory_id: str) -> bool:
    return memory_id in [hit.id for hit in client.search(query)]


@pytest.mark.slow
def test_kill_9_of_one_of_two_that_share_an_object_store(server: str, models: Path) -> None:
    if reason := missing():
        pytest.skip(reason)
    with ExitStack() as stack:
        url = stack.enter_context(database(server, "memoryd_store"))
        store = stack.enter_context(object_store())
        homes = [Path(tempfile.mkdtemp(prefix="md-")) for _ in range(2)]
        for home in homes:
            stack.callback(shutil.rmtree, home, ignore_errors=True)
        settings = {"MEMORYD_LEDGER_URL": url, "MEMORYD_INDEX_URL": f"s3://{BUCKET}/team", **store.environment}
        one, other = (stack.enter_context(RunningDaemon(home, models, **settings)) for home in homes)
        with one.client("crane") as here, other.client("crane") as there:
            tokens = here.remember("Token expiry is computed in UTC.")
            here.append([Entry(role="user", content="The harbour crane is called Berta.")])
            until(lambda: finds(there, "token expiry", tokens.id), "the other's index")
            assert there.search_messages("harbour crane").found[0].record.sequence == 1
            one.kill()
            ferry = there.remember("The ferry to the island does not take bicycles before nine.")
            there.append([Entry(role="user", content="Its hook is painted yellow.")])
            until(lambda: finds(there, "bicycles on the ferry", ferry.id), "the survivor's index")
            assert finds(there, "token expiry", tokens.id)
            assert there.search_messages("what colour is the hook").found[0].record.sequence == 2
            one.start()
            until(lambda: finds(here, "bicycles on the ferry", ferry.id), "the one that was killed")
            assert {found.record.sequence for found in here.search_messages("crane hook").found} == {1, 2}
            assert here.status().warnings == ()
        assert [file for home in homes for file in home.rglob("*.lance")] == []


@pytest.mark.slow
def test_who_searches_what_was_said_is_told_that_the_object_store_is_away(short_home: Path, models: Path) -> None:
    if reason := missing():
        pytest.skip(reason)
    with object_store() as store:
        settings = {"MEMORYD_INDEX_URL": f"s3://{BUCKET}/mine", **store.environment}
        with RunningDaemon(short_home, models, **settings) as daemon, daemon.client("crane") as client:
            client.remember("The harbour crane is called Berta.")
            client.append([Entry(role="user", content="The hook of the crane is painted yellow.")])
            until(lambda: client.search_messages("hook of the crane").found, "the message to be found")
            store.kill()
            with pytest.raises(RequestFailed, match=r"does not answer in time|cannot be reached"):
                client.call(SearchMessages(query="hook of the crane"), 5.0)
            assert client.search("harbour crane")
