"""No byte of a secret on the disk, through whatever door it came: names, notes, transcripts, core memory."""

from pathlib import Path

import pytest

from memoryd_client import Client, Message, RequestFailed
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.importing import MemoryRecord
from memoryd_client.wire.transcripts import Entry
from running import RunningDaemon, until

TOKEN = "ghp_Zq8LrT4vWx2NcY6uKd9sBf3hJm5pAe7gQo1i"
PASSWORD = "gurkensalat77"
DIARY = "elefantenrennen"


@pytest.fixture
def project(tmp_path: Path) -> str:
    folder = tmp_path / "shop"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / ".env").write_text(f"DB_PASS={PASSWORD}\n", encoding="utf-8")
    (folder / ".gitignore").write_text("secret_notes.md\n", encoding="utf-8")
    return str(folder)


def files_with(home: Path, needle: str) -> list[str]:
    return [str(one) for one in sorted(home.rglob("*")) if one.is_file() and needle.encode() in one.read_bytes()]


def test_a_name_that_is_a_secret_is_refused_and_other_places_lose_it(daemon: RunningDaemon) -> None:
    for name, value in (("session", TOKEN), ("owner", TOKEN), ("project", f"/projects/{TOKEN}")):
        with (
            daemon.client(**{"session": "s", name: value}) as client,
            pytest.raises(RequestFailed, match=f"`{name}` holds a secret"),
        ):
            client.remember("The mill has two stones.")
    with daemon.client(session=TOKEN) as client:
        client.push_context([Message("user", "How many stones has the mill?")])
        with pytest.raises(RequestFailed, match="holds a secret"):
            client.push_acknowledged([Message("user", "How many stones has the mill?")])
        with pytest.raises(RequestFailed, match="holds a secret"):
            client.take_pending()
    with daemon.client(session="s") as client:
        one, two = client.remember("The mill has two stones."), client.remember("Ada drinks tea at four.")
        edges = client.relate(one.id, two.id, relation=TOKEN)
        assert "[redacted:github-token]" in {edge.relation for edge in edges}
        done = client.import_records([MemoryRecord(id=f"mem_{TOKEN}", content="The mill is old.")])
        assert "holds a secret" in done.left_out[0].reason
        done = client.import_records(edges=[Edge(from_id=two.id, to_id=one.id, relation=f"as {TOKEN}")])
        assert done.edges == 1
        for refused in (
            lambda: client.core_append("human", "x", thread=TOKEN),
            lambda: client.save_checkpoint(TOKEN, b"x"),
            lambda: client.append([Entry(id=f"e-{TOKEN}", content="x")]),
            lambda: client.end_session(TOKEN),
        ):
            with pytest.raises(RequestFailed, match="holds a secret"):
                refused()
        client.save_checkpoint("build", b"x", meta={"about": f"with {TOKEN}"})
        daemon.indexed(client)
    daemon.stop()
    assert files_with(daemon.home, TOKEN) == []


def test_what_an_environment_file_or_an_ignored_file_holds_is_in_no_transcript(
    daemon: RunningDaemon, project: str
) -> None:
    def said(client: Client) -> list[str]:
        return [record.content for record in client.messages().entries]

    call = '{"command": "head -5 secret_notes.md"}'
    with daemon.client(session="s", project=project) as client:
        client.push_acknowledged(
            [Message("user", f"what about {PASSWORD}?"), Message("user", "And now?")], trigger="turn"
        )
        until(lambda: len(said(client)) == 2, "the push to be written")
        client.append([Entry(id="a", kind="tool_call", role="assistant", name="bash", content=call, call_id="c1")])
        client.append(
            [
                Entry(id="b", kind="tool_result", role="tool", content=f"dear diary\n{DIARY}", call_id="c1"),
                Entry(id="c", kind="tool_result", role="tool", content=f"$ cat secret_notes.md\n{DIARY}\n\n{DIARY}"),
                Entry(
                    id="d",
                    role="user",
                    content=f"secret_notes.md:\n```\n{DIARY}\n\n{DIARY}\n```\nWhat does it mean, {PASSWORD}?",
                ),
                Entry(id="e", kind="tool_result", role="tool", content="$ cat readme.md\nThe mill", call_id="c2"),
            ]
        )
        assert said(client)[0] == "what about [redacted:env]?"
        assert said(client)[-4:] == [
            "[left out: secret_notes.md, which .gitignore leaves out]",
            "$ cat secret_notes.md\n[left out: secret_notes.md, which .gitignore leaves out]",
            "secret_notes.md:\n[left out: secret_notes.md, which .gitignore leaves out]\n"
            "What does it mean, [redacted:env]?",
            "$ cat readme.md\nThe mill",
        ]
        client.core_append("human", f"Ada logs in with {PASSWORD}.")
        client.remember(f"The shop logs in with {PASSWORD}.", scope="global")
        client.save_checkpoint("build", b"x", meta={"note": PASSWORD})
        daemon.indexed(client)
    daemon.stop()
    assert files_with(daemon.home, DIARY) == []
    assert [file for file in files_with(daemon.home, PASSWORD) if "ledger" not in file] == []
