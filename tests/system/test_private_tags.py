"""`<private>`: what stands in it is not kept, what only speaks of it is kept whole, and half of it is never guessed."""

from pathlib import Path

import pytest

from memoryd_client import Entry, NewMemory, RequestFailed
from running import RunningDaemon

MENTIONED = "Our parser handles `<private>` tags wrongly, and this stands after it: the harbour office uses PostgreSQL."
HALF = "The first line.\nHere <private> begins, and nothing closes it.\nThe harbour office uses PostgreSQL."
TELLS = "line 2 has a `<private>` that no `</private>` closes"


def test_what_only_speaks_of_the_tag_is_kept_whole_by_every_write(served: RunningDaemon, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(f"# Notes\n\n{MENTIONED}\n\n# More\n\nThe ferry leaves at nine.\n")
    with served.client("s1") as client:
        assert client.remember(MENTIONED).content == MENTIONED
        client.write_file("notes/readme.md", f"{MENTIONED}\nAnd so on.\n")
        client.edit_file("notes/readme.md", "And so on.", "And `</private>` closes it.")
        assert client.read_file("notes/readme.md").content == f"{MENTIONED}\nAnd `</private>` closes it.\n"
        assert client.core_append("context", MENTIONED).text == MENTIONED
        client.append([Entry(content=MENTIONED, role="user")])
        assert client.build_context(2_000).entries[0].content == MENTIONED
        summary = client.summarize_conversation()
        assert any("PostgreSQL" in fact for fact in summary.key_facts)
        (document,) = client.add_knowledge(tmp_path / "notes.md").documents
        assert document.passages == 2


def test_what_one_call_writes_with_half_a_block_is_refused_and_nothing_is_lost(
    served: RunningDaemon, tmp_path: Path
) -> None:
    (tmp_path / "notes.md").write_text(HALF)
    with served.client("s1") as client:
        kept = client.remember("The harbour office uses SQLite.")
        client.write_file("notes/a.md", "The first line.\nThe second.\n")
        client.core_append("context", "It is about the harbour.")
        for write in (
            lambda: client.remember(HALF),
            lambda: client.remember_many([NewMemory(content="It rains in Graz."), NewMemory(content=HALF)]),
            lambda: client.update(kept.id, content=HALF),
            lambda: client.write_file("notes/a.md", HALF),
            lambda: client.edit_file("notes/a.md", "The second.", "Here <private> begins."),
            lambda: client.core_append("context", HALF),
            lambda: client.add_knowledge(tmp_path / "notes.md"),
        ):
            with pytest.raises(RequestFailed, match=TELLS) as refused:
                write()
            assert "backticks" in str(refused.value.hint) + str(refused.value)
        assert client.get(kept.id).content == "The harbour office uses SQLite."
        assert client.read_file("notes/a.md").content == "The first line.\nThe second.\n"
        assert "It is about the harbour." in [one.text for one in client.core_view()]
        assert [one.content for one in client.list(category="fact")] == ["The harbour office uses SQLite."]


def test_of_a_message_with_half_a_block_the_rest_stays_private(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        client.append([Entry(content=HALF, role="user")])
        assert client.build_context(2_000).entries[0].content.strip() == "The first line.\nHere"


def test_a_private_part_of_a_document_is_private_across_its_headings(served: RunningDaemon, tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    file.write_text(
        "# Ferry\n\nIt leaves at nine.\n\n<private>\n\n# Vault\n\nBehind the mirror.\n\n# Key\n\n</private>\n"
    )
    with served.client("s1") as client:
        (document,) = client.add_knowledge(file).documents
        assert document.passages == 1
        assert "mirror" not in str(client.list(category="knowledge"))
