"""What may become a memory, and how it is put down: the rules that every write passes.

A content is kept as it was given, but for private blocks and secrets. Labels (title, category, tags and so on) are one
line each and bounded: they go into every prompt that the memory goes into.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime

from memoryd_actors.errors import Refused
from memoryd_actors.fence import one_line
from memoryd_actors.hidden import UnopenedPrivate, strip_private
from memoryd_actors.redaction import redact
from memoryd_client.memory import MAX_CONTENT_BYTES, Memory, NewMemory, Scope, Source
from memoryd_client.messages import Caller

MAX_LABEL = 200
"""Characters of a title, a speaker, a tag, an owner, the name of a metadata entry."""
MAX_SESSION = 500
"""Characters of a session: some agents use the path of a transcript."""
MAX_CATEGORY = 60
MAX_VALUE = 2_000
"""Characters of the value of a metadata entry."""
MAX_PATH = 4_096
"""Characters of a file or project: the longest path that Linux takes."""
MAX_ENTRIES = 100
"""Tags, files and metadata entries, of each."""

_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_MARKERS = re.compile(r"\[redacted:[a-z0-9-]{1,48}\]")


def admit(new: NewMemory, caller: Caller, now: datetime) -> Memory:
    """Return the memory that is to be stored: private blocks and secrets out, fields checked and filled in.

    Raises:
        Refused: it has no content left, no project, a field that is too long, or an owner or project that holds a
            secret; the message names the field, the hint says what to do.

    """
    if not _ID.fullmatch(new.id):
        raise Refused(
            "an id may have 1 to 64 letters, digits and any of `_.:-`", "Leave the id out, and one is drawn for it."
        )
    content = _content(new.content)
    if new.scope is Scope.PROJECT and not caller.project.strip():
        raise Refused(
            "a memory of scope `project` needs a project",
            "Give the project's folder, or store it with scope `global`.",
        )
    if new.source_messages is not None and not 0 <= new.source_messages[0] <= new.source_messages[1]:
        raise Refused("`source_messages` must be the first and the last message, counted from 0", "Swap or mend them.")
    return Memory(
        id=new.id,
        owner=_place("owner", caller.owner, MAX_LABEL),
        content=content,
        category=category_of(new),
        scope=new.scope,
        project=_place("project", caller.project, MAX_PATH) if new.scope is Scope.PROJECT else "",
        title=_label("title", new.title),
        tags=_labels("tags", new.tags, MAX_LABEL),
        metadata=_metadata(new.metadata),
        importance=new.importance,
        pinned=new.pinned,
        source=new.source,
        speaker=_label("speaker", new.speaker),
        occurred_at=new.occurred_at,
        session=_label("source_session", new.source_session, MAX_SESSION)
        or _label("session", caller.session, MAX_SESSION),
        source_messages=new.source_messages,
        files=_labels("files", new.files, MAX_PATH),
        created_at=now,
        updated_at=now,
        trust=initial_trust(new),
        content_hash=content_hash(content),
    )


def category_of(new: NewMemory) -> str:
    """Return the category in lower case; `fact` where none is given."""
    return _label("category", new.category, MAX_CATEGORY).casefold() or "fact"


def initial_trust(new: NewMemory) -> float:
    """Return how far to trust a memory: seed 004 has 1.0 for a user's correction, 0.5 for an agent's inference."""
    if new.trust is not None:
        return new.trust
    if category_of(new) == "correction":
        return 1.0
    return 0.8 if new.source is Source.USER else 0.5


def content_hash(content: str) -> str:
    """Return the SHA-256 of a content as it reads: Unicode-normalised, in lower case, white space folded."""
    read = " ".join(unicodedata.normalize("NFKC", content).casefold().split())
    return hashlib.sha256(read.encode("utf-8", "replace")).hexdigest()


def signed(caller: Caller) -> str:
    """Return the name under which a caller's write goes into the history: never a reason to refuse it, so it is cut."""
    return redact(one_line(caller.agent, MAX_LABEL)).text


def _content(given: str) -> str:
    size = len(given.encode("utf-8", "replace"))
    if size > MAX_CONTENT_BYTES:
        raise Refused(
            f"the content has {size} bytes and may have {MAX_CONTENT_BYTES} ({MAX_CONTENT_BYTES // 1024} kB)",
            "Store the gist, and name the file that has the rest in `files`.",
        )
    if _blank(given):
        raise Refused("there is nothing to remember: the content is empty", "Give the text that is to be kept.")
    public = _public("content", given).strip()
    if _blank(public):
        raise Refused(
            "there is nothing to remember: all of the content is private or was recalled by memoryd itself",
            "What stands in `<private>` is never kept; take the tags away to store it.",
        )
    content = redact(public).text.strip()
    if content != public and _blank(_MARKERS.sub("", content)):
        raise Refused(
            "there is nothing to remember: the content is a secret, and secrets are not kept",
            "Say what it is for and where it is kept instead.",
        )
    return content


def _blank(text: str) -> bool:
    """Return whether nothing can be seen of a text."""
    return not any(character.isprintable() and not character.isspace() for character in text)


def _public(field: str, text: str) -> str:
    try:
        return strip_private(text)
    except UnopenedPrivate as unopened:
        raise Refused(
            f"`{field}` cannot be kept: {unopened}",
            "Put `<private>` where the private part begins, or take `</private>` away.",
        ) from None


def _label(field: str, text: str, longest: int = MAX_LABEL) -> str:
    """Return a field as one line, without private blocks and secrets."""
    if len(text) > longest:
        raise Refused(
            f"`{field}` has {len(text)} characters and may have {longest}",
            "Shorten it; what is long belongs in the content.",
        )
    return redact(one_line(_public(field, text))).text


def _labels(field: str, texts: tuple[str, ...], longest: int) -> tuple[str, ...]:
    _check_entries(field, len(texts))
    labels = dict.fromkeys(_label(field, text, longest) for text in texts)
    labels.pop("", None)
    return tuple(labels)


def _metadata(given: dict[str, str]) -> dict[str, str]:
    _check_entries("metadata", len(given))
    return dict(_entries(given.items()))


def _entries(given: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    for key, value in given:
        name = _label("metadata", key)
        if len(value) > MAX_VALUE:
            raise Refused(
                f"`metadata`, {name!r}, has {len(value)} characters and may have {MAX_VALUE}",
                "Shorten it; what is long belongs in the content.",
            )
        if not name:
            continue
        kept = redact(_public("metadata", value)).text
        # `password: swordfish` is a secret, `swordfish` alone is a fish.
        told = f'{name} = "'
        together = redact(f'{told}{kept}"').text
        yield name, together[len(told) : -1] if together.startswith(told) and together.endswith('"') else kept


def _check_entries(field: str, count: int) -> None:
    if count > MAX_ENTRIES:
        raise Refused(f"`{field}` has {count} entries and may have {MAX_ENTRIES}", "Store several memories instead.")


def _place(field: str, text: str, longest: int) -> str:
    """Return an owner or a project as it is: a memory is found again under the same one only."""
    if len(text) > longest:
        raise Refused(f"`{field}` has {len(text)} characters and may have {longest}", f"Use a shorter {field}.")
    if redact(text).findings:
        raise Refused(
            f"`{field}` holds a secret: {redact(text).text}",
            f"Use another {field}; it stands beside every memory, so it cannot hold one.",
        )
    return text
