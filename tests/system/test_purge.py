"""A purge leaves no byte: proved by reading every file of the home."""

from pathlib import Path

from memoryd_client import Message
from running import RunningDaemon, until

TOLD = "The vault of the Meridian observatory opens with quokkabanana."
ASKED = "How does the vault of the Meridian observatory open?"


def files_with(home: Path, needle: bytes) -> list[str]:
    return [str(file) for file in sorted(home.rglob("*")) if file.is_file() and needle in file.read_bytes()]


def test_no_file_of_the_home_has_a_word_of_what_was_purged(daemon: RunningDaemon) -> None:
    with daemon.client(session="s1") as client:
        kept = client.remember("Ana drinks tea at four.", scope="global")
        secret = client.remember(TOLD, scope="global", title="quokkabanana", tags=["quokkabanana"])
        client.update(secret.id, content=TOLD + " It is blue.")
        client.backup()
        assert client.search("quokkabanana")[0].id == secret.id
    with daemon.client(session="s2") as client:
        client.push_acknowledged([Message("user", ASKED)])
        pending = until(client.take_pending, "something pending")
        assert "quokkabanana" in pending.text
        assert files_with(daemon.paths.home, b"quokkabanana")
        assert client.purge([secret.id]) == "1 memories destroyed"
        assert files_with(daemon.paths.home, b"quokkabanana") == []
        # A log that was rewritten, an index that was rebuilt: all else is still there.
        assert [hit.id for hit in client.search("Ana drinks tea")] == [kept.id]
        assert client.get(kept.id).content == kept.content
        assert [entry.event for entry in client.history(secret.id)] == ["PURGE", "UPDATE", "ADD"]
