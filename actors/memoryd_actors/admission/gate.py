"""What may become a memory, and how it is put down: the rules that every write passes.

A content is kept as it was given, but for private blocks and secrets. Labels (title, category, tags and so on) are one
line each and bounded: they go into every prompt that the memory goes into.
"""

import hashlib
import re
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import msgspec

from memoryd_actors.admission import workflow
from memoryd_actors.admission.names import check_names
from memoryd_actors.admission.project_files import NO_FILES, ProjectFiles, named_files, quoted_files, stated_files
from memoryd_actors.admission.writing import written
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.settings import BY_USER, CORRECTION, DOCUMENT, FACT, FILE, KNOWLEDGE, PATH, RULE, STAMP
from memoryd_actors.memory.signature import MAX_LABEL, signed
from memoryd_actors.redaction import Rules, redact
from memoryd_actors.redaction.finding import MARKER
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.texts.characters import clean
from memoryd_actors.texts.fence import TAG, one_line
from memoryd_actors.texts.hidden import (
    PRIVATE,
    UnbalancedPrivate,
    hidden_names,
    is_skipped,
    strip_hidden,
    strip_private,
)
from memoryd_actors.texts.normal_form import normalized
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import MAX_CONTENT_BYTES, MAX_FILE_BYTES, Memory, NewMemory, Scope, Source

MAX_SESSION = 500
"""Characters of a session: some agents use the path of a transcript."""
MAX_CATEGORY = 60
MAX_VALUE = 2_000
"""Characters of the value of a metadata entry."""
MAX_PATH = 4_096
"""Characters of a file or project: the longest path that Linux takes."""
BY_AGENT = 0.5
"""Trust in what an agent stores, whatever its category."""
MAX_ENTRIES = 100
"""Tags, files and metadata entries, of each."""

_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_FENCE_TAG = re.compile(rf"</?\s{{0,8}}{re.escape(TAG)}[^<>]{{0,400}}>?", re.IGNORECASE)
_NAMED = frozenset({RULE, "profile"})
_NOT_IN_NAMES = re.compile(r"[\W_]+")


class Admitted(NamedTuple):
    """A memory that may be stored, and what was done to it on the way."""

    memory: Memory
    notes: tuple[str, ...]
    """For the history: `redacted:github-token`, `private`, `injected`, `noise`, `trimmed`; in order, each once."""


def admit(
    new: NewMemory, caller: Caller, now: datetime, rules: Rules = DEFAULT, seen: ProjectFiles = NO_FILES
) -> Admitted:
    """Return the memory that is to be stored: private blocks and secrets out, fields checked and filled in.

    What a model or a rule wrote (source `extracted`) has to read as `writing` says, and is trimmed to it. `seen` is
    what the project says about the files that the memory names.

    Raises:
        Refused: it has no content left, no project, a field that is too long, an owner or project that holds a secret,
            or content of a file that is not to be kept; or it was written badly. The message names the field and the
            reason, the hint says what to do.
    """
    new = workflow.admitted(new)
    if not _ID.fullmatch(new.id):
        raise Refused(
            "an id may have 1 to 64 letters, digits and any of `_.:-`", "Leave the id out, and one is drawn for it."
        )
    check_names(id=new.id)
    gate = _Gate(msgspec.structs.replace(rules, environment=seen.environment) if seen.environment else rules)
    _check_size(new)
    _check_skipped(new)
    _check_files(new, seen)
    content = gate.content(new)
    if new.scope is Scope.PROJECT and not caller.project.strip():
        raise Refused(
            "a memory of scope `project` needs a project",
            "Give the project's folder, or store it with scope `global`.",
        )
    if new.source_messages is not None and not 0 <= new.source_messages[0] <= new.source_messages[1]:
        raise Refused("`source_messages` must be the first and the last message, counted from 0", "Swap or mend them.")
    category = gate.label("category", new.category, MAX_CATEGORY).casefold() or "fact"
    metadata = gate.metadata(new.metadata)
    if category == KNOWLEDGE:
        metadata.pop(STAMP, None)  # else whoever writes a memory has the daemon read any file
    memory = Memory(
        id=new.id,
        owner=gate.place("owner", caller.owner, MAX_LABEL),
        content=content,
        category=category,
        scope=new.scope,
        project=gate.place("project", caller.project, MAX_PATH) if new.scope is Scope.PROJECT else "",
        title=gate.label("title", new.title),
        tags=gate.labels("tags", new.tags, MAX_LABEL),
        metadata=metadata,
        importance=new.importance,
        pinned=new.pinned,
        source=new.source,
        speaker=gate.label("speaker", new.speaker),
        occurred_at=new.occurred_at,
        session=gate.label("source_session", new.source_session, MAX_SESSION)
        or gate.label("session", caller.session, MAX_SESSION),
        source_messages=new.source_messages,
        files=gate.labels("files", new.files, MAX_PATH),
        created_at=now,
        updated_at=now,
        trust=initial_trust(new),
        agent=signed(caller),
        role=role_of(new),
        expires_at=new.expires_at,
    )
    return Admitted(msgspec.structs.replace(memory, content_hash=identity(memory)), tuple(gate.notes))


def role_of(new: NewMemory) -> str:
    """Return whose voice a memory has: the speaker's where that is a role, else the user's or the assistant's."""
    speaker = new.speaker.strip().casefold()
    if speaker in {"user", "assistant", "system", "tool"}:
        return speaker
    return "user" if new.source is Source.USER else "assistant"


def category_of(new: NewMemory) -> str:
    """Return the category in lower case; `fact` where none is given."""
    return _Gate(DEFAULT).label("category", new.category, MAX_CATEGORY).casefold() or "fact"


def initial_trust(new: NewMemory) -> float:
    """Return how far to trust a memory: 1.0 for a user's correction, 0.8 for what else they say, 0.5 for an agent's."""
    if new.trust is not None:
        return new.trust
    if category_of(new) == CORRECTION and new.source is not Source.AGENT:
        return 1.0
    return BY_USER if new.source is Source.USER else BY_AGENT


def agents_trust(new: NewMemory) -> float:
    """Return how far to trust what an agent stores with its tools, whatever it says of it."""
    return min(initial_trust(new), BY_AGENT)


def content_hash(content: str, category: str = FACT, name: str = "") -> str:
    """Return the SHA-256 of a content, of which only white space that says nothing is folded.

    Two contents of one hash are one memory, and the second is kept nowhere. So case counts (`userId`, `userID`), and so
    do characters that merely look alike (`½`, `1/2`), and in a text of several lines what indents them. The same words
    of another category are another memory: a rule is always in force, a fact is not, and not every agent sees both. So
    are those of another `name`, which files, rules and what is known of the user have.
    """
    # As it will be read back: what is edited later must still be known as the same.
    lines = normalized("NFC", clean(content)).strip().replace("\r\n", "\n").split("\n")
    read = "\n".join(line.rstrip() for line in lines) if len(lines) > 1 else " ".join(lines[0].split())
    if category != FACT:
        read = "\0".join((category, name, read))
    return hashlib.sha256(read.encode()).hexdigest()


def identity(memory: Memory) -> str:
    """Return the hash by which a memory is known as the very same as another in its place."""
    name = memory.metadata.get(PATH, "") if memory.category == FILE else ""
    if memory.category == KNOWLEDGE and memory.metadata.get(DOCUMENT):
        name = memory.id  # what stands in several documents, or twice in one, does so
    if memory.category in _NAMED:
        name = _NOT_IN_NAMES.sub("", memory.title.casefold())
    return content_hash(memory.content, memory.category, name)


class _Gate:
    """One pass of one memory through the gate; collects what was done."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.notes: dict[str, None] = {}

    def content(self, new: NewMemory) -> str:
        given = new.content
        if _blank(given):
            raise Refused("there is nothing to remember: the content is empty", "Give the text that is to be kept.")
        extracted = new.source is Source.EXTRACTED
        public = self._public("content", given)
        public = self._said(public) if extracted else public
        # What stands at the edges of a file is the file's, as in any other.
        public = public if category_of(new) == FILE else public.strip()
        if _blank(public):
            raise Refused(
                "there is nothing to remember: all of the content is private or was recalled by memoryd itself",
                "What stands in `<private>` is never kept; take the tags away to store it.",
            )
        content = self._redacted(public)
        content = content if category_of(new) == FILE else content.strip()
        if new.title and len(content) <= MAX_LABEL and not any(map(str.isspace, content)):
            content = self._named(new.title, content)
        if content != public and _blank(MARKER.sub("", content)):
            raise Refused(
                "there is nothing to remember: the content is a secret, and secrets are not kept",
                "Say what it is for and where it is kept instead.",
            )
        if not extracted:
            return content
        content, trimmed = written(content, category_of(new))
        if trimmed:
            self.notes["trimmed"] = None
        return content

    def _named(self, title: str, content: str) -> str:
        """Return a single word without the secret that its title makes of it: `Router password`, `hunter2xyz`."""
        told = f"{one_line(title)}: "
        together = redact(told + content, self._rules).text
        if together == told + content or not together.startswith(told):
            return content
        return self._redacted(told + content)[len(told) :]

    def label(self, field: str, text: str, longest: int = MAX_LABEL) -> str:
        """Return a field as one line, without private blocks and secrets."""
        if len(text) > longest:
            raise Refused(
                f"`{field}` has {len(text)} characters and may have {longest}",
                "Shorten it; what is long belongs in the content.",
            )
        if not text:
            return ""
        # In a line of a prompt the fence around what was recalled would be opened or closed.
        unfenced = _FENCE_TAG.sub(" ", text)
        if unfenced != text:
            self.notes[_NOTES[TAG]] = None
        return self._redacted(one_line(self._public(field, unfenced)))

    def labels(self, field: str, texts: tuple[str, ...], longest: int) -> tuple[str, ...]:
        _check_entries(field, len(texts))
        labels = dict.fromkeys(self.label(field, text, longest) for text in texts)
        labels.pop("", None)
        return tuple(labels)

    def metadata(self, given: dict[str, str]) -> dict[str, str]:
        _check_entries("metadata", len(given))
        return dict(self._entries(given.items()))

    def place(self, field: str, text: str, longest: int) -> str:
        """Return an owner or a project as it is: a memory is found again under the same one only."""
        if len(text) > longest:
            raise Refused(f"`{field}` has {len(text)} characters and may have {longest}", f"Use a shorter {field}.")
        check_names(**{field: text})
        return text

    def _redacted(self, text: str) -> str:
        redacted = redact(text, self._rules)
        self.notes.update((f"redacted:{finding.rule}", None) for finding in redacted.findings)
        return redacted.text

    def _public(self, field: str, text: str) -> str:
        try:
            return self._noted(text, strip_private(text))
        except UnbalancedPrivate as unbalanced:
            raise Refused(f"`{field}` cannot be kept: {unbalanced}", unbalanced.hint) from None

    def _said(self, text: str) -> str:
        """Return what a model or a rule wrote without what it repeats of a conversation's machinery."""
        return self._noted(text, strip_hidden(text))

    def _noted(self, before: str, after: str) -> str:
        if after != before:
            gone = hidden_names(before)
            kept = hidden_names(after)
            self.notes.update((_NOTES.get(name, "noise"), None) for name in gone if name not in kept)
        return after

    def _entries(self, given: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
        for key, value in given:
            name = self.label("metadata", key)
            if len(value) > MAX_VALUE:
                raise Refused(
                    f"`metadata`, {name!r}, has {len(value)} characters and may have {MAX_VALUE}",
                    "Shorten it; what is long belongs in the content.",
                )
            if not name:
                continue
            kept = self._redacted(self._public("metadata", value))
            # `password: swordfish` is a secret, `swordfish` alone is a fish.
            told = f'{name} = "'
            together = self._redacted(f'{told}{kept}"')
            yield name, together[len(told) : -1] if together.startswith(told) and together.endswith('"') else kept


_NOTES = {PRIVATE: "private", TAG: "injected"}


def _blank(text: str) -> bool:
    """Return whether nothing can be seen of a text."""
    return not any(character.isprintable() and not character.isspace() for character in text)


def _check_size(new: NewMemory) -> None:
    size = len(new.content.encode("utf-8", "replace"))
    most = MAX_FILE_BYTES if category_of(new) == FILE else MAX_CONTENT_BYTES
    if size > most:
        raise Refused(
            f"the content has {size} bytes and may have {most} ({most // 1024} kB)",
            "Store the gist, and name the file that has the rest in `files`.",
        )


def _check_skipped(new: NewMemory) -> None:
    if is_skipped(strip_hidden(new.content)) or any(tag.strip().lower() == "#skip" for tag in new.tags):
        raise Refused("this is tagged #skip, and what is tagged so is not kept", "Take the tag away to store it.")


def _check_files(new: NewMemory, seen: ProjectFiles) -> None:
    for file in new.files:
        if why_not := seen.why_not(file):
            raise Refused(f"`files` names {_shown(file)}, {why_not}", f"{_NOT_KEPT} Leave the file out.")
    for file in quoted_files(new.content):
        if why_not := seen.why_not(file):
            raise Refused(f"the content quotes {_shown(file)}, {why_not}", _NOT_KEPT)
    for file in _files_told(new):
        if why_not := seen.why_not(file):
            raise Refused(f"the content says what {_shown(file)} holds, {why_not}", _NOT_KEPT)


def _files_told(new: NewMemory) -> tuple[str, ...]:
    """Return the files of which a memory tells more than its writer may: see `project_files`."""
    match new.source:
        case Source.EXTRACTED:
            return named_files(new.content)
        case Source.USER:
            return ()
        case _:
            return stated_files(new.content)


def _shown(file: str) -> str:
    return redact(one_line(file, MAX_LABEL)).text


_NOT_KEPT = "What such files hold is not kept; say in your own words what is worth knowing."


def _check_entries(field: str, count: int) -> None:
    if count > MAX_ENTRIES:
        raise Refused(f"`{field}` has {count} entries and may have {MAX_ENTRIES}", "Store several memories instead.")
