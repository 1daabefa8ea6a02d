"""One file read as a document, in whatever format its name says. Runs in a process of its own: see `files`."""

from pathlib import Path, PurePath

from memoryd.documents.html import html
from memoryd.documents.lines import code, markdown, plain
from memoryd.documents.pdf import pdf
from memoryd_actors.knowledge import DocumentText
from memoryd_actors.texts.hidden import UnbalancedPrivate, strip_private

MARKDOWN = frozenset({".md", ".markdown", ".mdx"})
HTML = frozenset({".html", ".htm", ".xhtml"})
PDF = frozenset({".pdf"})
TEXT = frozenset({".txt", ".text", ".rst", ".adoc", ".org", ".tex"})
CODE = frozenset(
    ".py .pyi .js .jsx .mjs .ts .tsx .vue .svelte .java .kt .kts .scala .groovy .go .rs .c .h .cc .cpp .hpp .cs .swift "
    ".m .rb .php .pl .pm .lua .r .jl .ex .exs .erl .hs .ml .clj .dart .zig .nim .sh .bash .zsh .fish .ps1 .sql "
    ".graphql .proto .tf .nix .css .scss .toml .yaml .yml .ini .cfg .dockerfile".split()
)
NAMES = frozenset({"readme", "license", "licence", "changelog", "contributing", "authors", "makefile", "dockerfile"})
"""Files without an ending that are documents."""
LARGEST_TEXT = 4 * 1024 * 1024
LARGEST_PDF = 64 * 1024 * 1024


def is_document(name: str) -> bool:
    """Return whether a file of a folder is a document by its name."""
    ending = PurePath(name).suffix.casefold()
    return ending in MARKDOWN | HTML | PDF | TEXT | CODE or (not ending and name.casefold() in NAMES)


def read_document(path: str) -> DocumentText | str:
    """Return what a file says; or why it cannot be read. Blocks, for seconds where a PDF is large."""
    file = Path(path)
    ending = file.suffix.casefold()
    largest = LARGEST_PDF if ending in PDF else LARGEST_TEXT
    try:
        size = file.stat().st_size
        if size > largest:
            return f"it has {size} bytes and may have {largest} ({largest // 1024 // 1024} MB)"
        if ending in PDF:
            return pdf(file)
        data = file.read_bytes()
    except OSError as exc:
        return exc.strerror or str(exc)
    if b"\0" in data:
        return "it is no text"
    text = data.decode("utf-8-sig", "replace")
    understand = markdown if ending in MARKDOWN else html if ending in HTML else code if ending in CODE else plain
    try:
        # Of the whole, before it is cut into sections and passages: each line keeps its number.
        return understand(strip_private(text, numbered=True))
    except UnbalancedPrivate as unbalanced:
        return f"{unbalanced}. {unbalanced.hint}"
