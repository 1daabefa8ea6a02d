"""Documents of each format, read and cut into passages."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from memoryd.documents.html import html
from memoryd.documents.reading import is_document, read_document
from memoryd_actors.knowledge import DocumentSection, DocumentText
from memoryd_actors.knowledge.passages import LONGEST, passages_of

MARKDOWN = """---
title: not a heading
---
# Handbook

Before all else.

## Deploy

```sh
# no heading
make deploy
```

### Rollback
Run `make rollback`.

Other things
------------
An end.
"""
PAGE = """<html><head><title>Ferries</title><style>p {color: red}</style></head>
<body><nav>Home</nav>
<h1>Ferries</h1>
<p>They sail
at nine.</p>
<h2>Fares</h2>
<table><tr><td>Adult</td><td>4 &euro;</td></tr></table>
<pre>one
  two</pre>
<script>alert(1)</script>
</body></html>
"""
CODE = """import os


class Ferry:
    def sail(self) -> None:
        go()

    def wait(self) -> None:
        pass


def harbour():
    pass
"""


def read(folder: Path, name: str, content: str) -> DocumentText:
    file = folder / name
    file.write_text(content, encoding="utf-8")
    document = read_document(str(file))
    assert isinstance(document, DocumentText), document
    return document


def told(document: DocumentText) -> list[tuple[str, int, int]]:
    return [(one.heading, one.first, one.last) for one in passages_of(document)]


def test_markdown_has_its_headings_and_lines(tmp_path: Path) -> None:
    document = read(tmp_path, "handbook.md", MARKDOWN)
    assert document.title == "Handbook"
    assert told(document) == [("", 4, 6), ("Deploy", 8, 13), ("Deploy > Rollback", 15, 16), ("Other things", 18, 20)]


def test_a_page_is_what_a_reader_sees(tmp_path: Path) -> None:
    document = read(tmp_path, "ferries.html", PAGE)
    assert document.title == "Ferries"
    found = passages_of(document)
    assert [(one.heading, one.first, one.last) for one in found] == [("Ferries", 3, 4), ("Ferries > Fares", 6, 9)]
    assert found[0].text == "Ferries\nThey sail at nine."
    assert found[1].text == "Fares\nAdult | 4 €\n\none\n  two"


def test_a_program_has_its_classes_and_functions(tmp_path: Path) -> None:
    assert told(read(tmp_path, "ferry.py", CODE)) == [
        ("", 1, 1),
        ("Ferry > sail", 5, 6),
        ("Ferry > wait", 8, 9),
        ("harbour", 12, 13),
    ]


def written_pdf(file: Path, *pages: str) -> None:
    """Write a PDF with a line of text on each page, which the outline names."""
    writer = PdfWriter()
    for number, text in enumerate(pages):
        page = writer.add_blank_page(300, 300)
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode())
        font = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Font"),
                NameObject("/Subtype"): NameObject("/Type1"),
                NameObject("/BaseFont"): NameObject("/Helvetica"),
            }
        )
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        page[NameObject("/Contents")] = writer._add_object(stream)  # pyright: ignore[reportPrivateUsage] - the way pypdf's own tests go
        writer.add_outline_item(title=f"Chapter {number + 1}", page_number=number)
    with file.open("wb") as opened:
        writer.write(opened)


def test_a_pdf_has_its_pages_and_its_outline(tmp_path: Path) -> None:
    file = tmp_path / "terms.pdf"
    written_pdf(file, "The lease ends in May.", "The deposit is two rents.")
    document = read_document(str(file))
    assert isinstance(document, DocumentText)
    assert document.paged
    assert [(one.heading, one.text, one.first) for one in passages_of(document)] == [
        ("Chapter 1", "The lease ends in May.", 1),
        ("Chapter 2", "The deposit is two rents.", 2),
    ]


def test_what_is_none_says_why(tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing follows")
    (tmp_path / "binary.txt").write_bytes(b"ab\0cd")
    for name, why in (
        ("broken.pdf", "no PDF that can be read"),
        ("binary.txt", "no text"),
        ("none.md", "No such file"),
    ):
        found = read_document(str(tmp_path / name))
        assert isinstance(found, str)
        assert why in found


@pytest.mark.parametrize("page", ["<p>One<![1 two", "<p>One<![foo[bar]]>two"])
def test_a_declaration_that_is_none_is_read_over_or_told(page: str) -> None:
    found = html(page)  # parsers of some versions of Python stumble over it
    assert isinstance(found, DocumentText) or "no HTML that can be read" in found


@pytest.mark.parametrize(("name", "expected"), [("a.MD", True), ("README", True), ("a.png", False), ("notes", False)])
def test_documents_are_known_by_their_names(name: str, expected: bool) -> None:
    assert is_document(name) is expected


@given(lines=st.lists(st.text(max_size=3_000), max_size=40))
def test_passages_fit_the_model_and_leave_nothing_out(lines: list[str]) -> None:
    numbered = tuple((number, line) for number, line in enumerate(lines, start=1))
    found = passages_of(DocumentText((DocumentSection("", numbered),)))
    assert all(len(one.text.encode("utf-8", "replace")) <= LONGEST for one in found)
    assert "".join("".join(lines).split()) == "".join("".join(one.text for one in found).split())
    assert all(one.first <= one.last for one in found)
    assert [one.first for one in found] == sorted(one.first for one in found)
