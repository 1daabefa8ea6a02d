"""The wire of knowledge: documents that the user gave to memory, found passage by passage."""

from datetime import datetime
from typing import Annotated

import msgspec

from memoryd_client.wire.memory import Scope
from memoryd_client.wire.places import Place
from memoryd_client.wire.request import Done, Request

DocumentPath = Annotated[Place, msgspec.Meta(min_length=1)]


class Document(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file that was read as knowledge."""

    path: str
    scope: Scope
    title: str = ""
    passages: int
    modified: datetime
    """When the file was last changed, as it was read."""
    read_at: datetime
    gone: bool = False
    """Whether there is no such file any more. What was read of it stays."""


class LeftOutFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file, or a part of one, that was not taken as knowledge."""

    path: str
    reason: str


class Documents(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="documents"):
    """Documents, by path."""

    documents: tuple[Document, ...]
    left_out: tuple[LeftOutFile, ...] = ()


class AddKnowledge(Request[Documents], frozen=True, kw_only=True, omit_defaults=True, tag="knowledge_add"):
    """Read a file, or all documents in a folder, as knowledge; answered when it is durable.

    What was read before is read again where it has changed. The answer has the documents that were read now.
    """

    needs_memory = True

    path: DocumentPath
    """Absolute, on the machine of the daemon."""
    scope: Scope = Scope.PROJECT


class ListKnowledge(Request[Documents], frozen=True, kw_only=True, omit_defaults=True, tag="knowledge_list"):
    """The documents of this project, and those that hold everywhere. What has changed is read again before."""


class RemoveKnowledge(Request[Done], frozen=True, kw_only=True, omit_defaults=True, tag="knowledge_remove"):
    """Forget what was read of a file, or of all files in a folder. The files stay as they are."""

    path: DocumentPath
    purge: bool = False
    """Destroy it for good, with what was read of earlier versions."""


class KnowledgeHit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A passage of a document."""

    id: str
    """Of the memory that it is."""
    path: str = ""
    """Empty: an agent or a person wrote it down as knowledge; no file has it."""
    heading: str = ""
    """The headings that it stands under, outermost first, with ` > ` between them."""
    lines: tuple[int, int] | None = None
    """The first and the last line in the file, from 1."""
    pages: tuple[int, int] | None = None
    """Of a file that has pages."""
    text: str
    modified: datetime
    """When the file was last changed, as this passage was read."""
    score: float = 0.0
    gone: bool = False
    """Whether there is no such file any more."""


class KnowledgeHits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="knowledge_hits"):
    """Passages, best first."""

    hits: tuple[KnowledgeHit, ...]
    note: str = ""
    """What was not searched yet, or not by meaning."""


class SearchKnowledge(Request[KnowledgeHits], frozen=True, kw_only=True, omit_defaults=True, tag="knowledge_search"):
    """Passages of documents by meaning and words. What has changed is read again before."""

    needs_memory = True

    query: str
    limit: Annotated[int, msgspec.Meta(ge=1, le=50)] = 3


KnowledgeRequest = AddKnowledge | ListKnowledge | RemoveKnowledge | SearchKnowledge
