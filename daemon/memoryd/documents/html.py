"""HTML as sections: what a reader sees, by its headings."""

import re
from html.parser import HTMLParser

from memoryd_actors.knowledge import DocumentSection, DocumentText

_UNSEEN = frozenset({"script", "style", "template", "noscript", "svg", "nav", "head"})
_BLOCKS = frozenset(
    "address article aside blockquote body br dd details div dl dt figcaption figure footer form header hr li main ol "
    "p pre section summary table tbody thead tr ul h1 h2 h3 h4 h5 h6".split()
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_LONGEST_HEADING = 120
_COMMENT_ENDS = re.compile(r"--\s*>")


def html(text: str) -> DocumentText | str:
    """Return what a page says, with the lines of its source; or why it cannot be read."""
    page = _Page()
    try:
        page.feed(_without_open_ends(text))
        page.close()
    except AssertionError as exc:  # how the parser says that a declaration is none: `<![1`
        return f"it is no HTML that can be read: {exc}"
    return page.document()


def _without_open_ends(text: str) -> str:
    """Return a page in which what begins a tag or a comment that never ends is text.

    The parser looks for each end up to the last character: 64 kB of `<a <a <a` took it 34 s.
    """
    tags = text.rfind(">") + 1
    comments = max((end.end() for end in _COMMENT_ENDS.finditer(text)), default=0)
    text = text[:tags] + text[tags:].replace("<", "&lt;")
    return text[:comments] + text[comments:].replace("<!--", "&lt;!--")


class _Page(HTMLParser):
    """Collects lines of text and headings as the tags come."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._sections: list[DocumentSection] = []
        self._above: list[tuple[int, str]] = []
        self._lines: list[tuple[int, str]] = []
        self._said: list[str] = []
        self._begun = 1
        """The line of the source where `_said` begins."""
        self._unseen: list[str] = []
        self._preformatted = 0
        self._heading = 0
        """The level of the heading that is open."""
        self._titled = False
        self._title = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title" and not self._title:
            self._titled = True
        if tag in _UNSEEN:
            self._unseen.append(tag)
        if self._unseen:
            return
        if tag in _BLOCKS:
            self._break()
        if tag in {"td", "th"} and self._said:
            self._said.append(" | ")
        if tag == "pre":
            self._preformatted += 1
        if tag in _HEADINGS:
            self._end_section()
            self._heading = int(tag[1])

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._titled = False
        if tag in self._unseen:
            del self._unseen[self._unseen.index(tag) :]
            return
        if self._unseen:
            return
        if tag in _HEADINGS and self._heading:
            name = " ".join("".join(self._said).split())[:_LONGEST_HEADING]
            self._above = [*((level, known) for level, known in self._above if level < self._heading)]
            self._above.append((self._heading, name))
            self._title = self._title or (name if self._heading == 1 else "")
            self._heading = 0
        if tag in _BLOCKS:
            self._break()
        if tag == "pre":
            self._preformatted = max(0, self._preformatted - 1)
        elif tag in {"p", "table", "ul", "ol"} and self._lines:
            self._lines.append((self.getpos()[0], ""))

    def handle_data(self, data: str) -> None:
        if self._titled:
            self._title += data
        if self._unseen:
            return
        if self._preformatted:
            for number, line in enumerate(data.split("\n")):
                if number:
                    self._break(keep=True)
                self._begun = self._begun if self._said else self.getpos()[0] + number
                self._said.append(line)
            return
        if not self._said:
            # Leading line breaks belong to no text.
            blank = len(data) - len(data.lstrip())
            self._begun = self.getpos()[0] + data[:blank].count("\n")
        if data.strip() or self._said:
            self._said.append(data)

    def document(self) -> DocumentText:
        """Return what there is."""
        self._end_section()
        title = " ".join(self._title.split())[:_LONGEST_HEADING]
        return DocumentText(tuple(self._sections), title=title)

    def _break(self, *, keep: bool = False) -> None:
        line = "".join(self._said)
        line = line.rstrip() if keep or self._preformatted else " ".join(line.split())
        if line or keep:
            self._lines.append((self._begun, line))
        self._said = []

    def _end_section(self) -> None:
        self._break()
        if self._lines:
            path = " > ".join(name for _, name in self._above if name)
            self._sections.append(DocumentSection(path, tuple(self._lines)))
        self._lines = []
