"""PDF as sections: its pages, under the headings of its outline."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memoryd_actors.knowledge import DocumentSection, DocumentText

NEEDS = "memoryd reads no PDF without pypdf: `pip install 'memoryd[knowledge]'`, and add it again"
MOST_PAGES = 2_000


def pdf(path: Path) -> DocumentText | str:
    """Return what a file says; or why it cannot be read."""
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError:
        return NEEDS
    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            return "it is locked with a password"
        if len(reader.pages) > MOST_PAGES:
            return f"it has {len(reader.pages)} pages and may have {MOST_PAGES}"
        headings = dict(_outline(reader, reader.outline))
        heading = ""
        sections: list[DocumentSection] = []
        for number, page in enumerate(reader.pages, start=1):
            heading = headings.get(number, heading)
            lines = tuple((number, line) for line in page.extract_text().splitlines())
            sections.append(DocumentSection(heading, lines))
        title = str(reader.metadata.title or "") if reader.metadata else ""
    except (PyPdfError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, OSError) as exc:
        # A damaged file fails wherever its damage is met.
        return f"it is no PDF that can be read: {exc}"
    return DocumentText(tuple(sections), title=" ".join(title.split())[:120], paged=True)


def _outline(reader: Any, entries: Sequence[Any], above: str = "") -> Iterator[tuple[int, str]]:
    """Yield the number of each page at which a heading begins, with the heading and those above it."""
    name = above
    for entry in entries:
        if isinstance(entry, list):
            yield from _outline(reader, entry, name)
            continue
        number = reader.get_destination_page_number(entry)
        name = f"{above} > {entry.title}" if above else str(entry.title)
        if number is not None and number >= 0:
            yield number + 1, " ".join(name.split())
