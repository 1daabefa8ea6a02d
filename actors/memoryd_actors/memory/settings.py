"""The numbers that recall turns on, with their sources."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

import msgspec

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


Strictness = Literal["quiet", "balanced", "generous"]


class RecallSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The pipeline from context to pending memory."""

    topic_rule: Literal["exchange", "request", "message"] = "exchange"
    """What decides a topic: a request and its reply, the request alone, or the request and one message."""
    topic_threshold: Share = 0.3
    """Similarity below which the topic has changed."""
    reset_turns: Annotated[int, msgspec.Meta(ge=1)] = 50
    """Turns after which memories may be shown again."""
    ranking: Literal["context", "fused"] = "context"
    """context: meaning, words, and what was said around a memory, by whom and when. fused: meaning and words alone."""
    vector_weight: Share = 0.7
    """Share of the cosine in the fused score; the words have the rest. Counts where `ranking` is fused."""
    candidates: Annotated[int, msgspec.Meta(ge=1, le=200)] = 50
    """Taken from each side of the search before fusion."""
    judged: Annotated[int, msgspec.Meta(ge=1, le=50)] = 20
    """Put before the judge: nearly all that is needed is among so many."""
    strictness: Strictness = "balanced"
    """How sure the local judge has to be: quiet, balanced or generous."""
    minimum_cosine: Annotated[float, msgspec.Meta(ge=-1, le=1)] = -1.0
    """A hard floor under the cosine. 0.4 loses a third of what is relevant: off."""
    maximum_surfaced: Annotated[int, msgspec.Meta(ge=1, le=20)] = 5
    """Memories handed over at once."""
    related: bool = True
    """Whether one or two memories that contradict what is handed over, or are near to it, stand beside it."""
    pending_turns: Annotated[int, msgspec.Meta(ge=1)] = 10
    """Turns after which an untaken memory expires."""
    budget_tokens: Annotated[int, msgspec.Meta(ge=64)] = 1000
    """Size of the text handed over."""
    standing_tokens: Annotated[int, msgspec.Meta(ge=0)] = 1200
    """Size of the rules, preferences, corrections and profile that come with a session's first take, beside that."""
    stale_s: Annotated[float, msgspec.Meta(gt=0)] = 600.0
    """A context older than this when it arrives is dropped, in seconds."""


class CaptureSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What of a conversation becomes memory by itself."""

    explicit: bool = True
    """Whether what a user asks to have remembered ("remember that ...", "merk dir ...") is stored at once."""
    standing: bool = True
    """Whether a message that only tells the assistant what to do always, never or from now on is stored as a rule."""
    procedures: bool = True
    """Whether a message that tells step by step how something is done ("how we release: first ...") is stored as a
    procedure, which comes up when that is to be done."""
    extract: bool = True
    """Whether conversations are looked through for what is worth remembering: by a model where a key is configured,
    else by rules."""
    extract_turns: Annotated[int, msgspec.Meta(ge=1, le=100)] = 12
    """After how many turns of the user, where nothing else gives cause before."""
    extract_idle_minutes: Annotated[float, msgspec.Meta(gt=0)] = 30.0
    """After how many minutes without a word a session counts as over."""
    daily_memories: Annotated[int, msgspec.Meta(ge=0)] = 200
    """What conversations may bring on one day (UTC), for each owner; the rest waits."""
    session_memories: Annotated[int, msgspec.Meta(ge=0)] = 67
    """What one session may bring of that on one day: a third, so that a talkative one leaves room for the others."""
    daily_calls: Annotated[int, msgspec.Meta(ge=0)] = 200
    """How often a model is asked about an owner's conversations on one day, within `sidecar.daily_tokens` and
    `sidecar.daily_usd`; the rest waits."""
    insights: bool = True
    """Whether a model may guess, once in a day and where a key is configured, how a user likes to work."""
    batches: bool = True
    """Whether what nobody waits for is read in batches, which cost half and take up to a day."""
    batch_poll_s: Annotated[float, msgspec.Meta(gt=0)] = 60.0
    """How often it is looked whether a batch is read, in seconds."""
    retry_minutes: Annotated[float, msgspec.Meta(ge=0)] = 10.0
    """Until a model that failed is asked again; doubled each time."""


PROCEDURAL: Final = "procedural"
PROCEDURES: Final = frozenset({"procedure", PROCEDURAL, "workflow"})
"""Categories of ways of doing things."""
FACT: Final = "fact"
"""The category of what is stored without one."""
FILE: Final = "file"
"""That of a memory file."""
VERSION: Final = "version"
"""The entry of a procedure's metadata that counts its versions."""
PATH: Final = "path"
"""The entry of a memory's metadata that holds its path."""
RULE: Final = "rule"
CORRECTION: Final = "correction"
ONE_VALUED: Final = frozenset({RULE, *PROCEDURES})
"""Categories in which a title has one value: the one that was given last takes the place of the others."""
KNOWLEDGE: Final = "knowledge"
"""That of what stands in documents."""
DOCUMENT: Final = "document"
"""The entry of a passage's metadata that holds the path of its document."""
STAMP: Final = "stamp"
"""The entry of a document's first passage that says which version of the file was read. What has it is read again when
the file changes: only who read the file says so."""
HEADING: Final = "heading"
LINES: Final = "lines"
PAGES: Final = "pages"
BY_USER: Final = 0.8
"""Trust in what the user said."""
DERIVED: Final = frozenset({"episode", "session_summary", "project_summary"})
"""Categories of what is told of conversations: of what went on in them, right or wrong."""


class CategorySettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How one category comes into a context."""

    context: Literal["all", "rag", "asked"] = "rag"
    """all: it stands in every context, as far as there is room; rag: what is relevant; asked: only when asked for by
    name."""
    rag_length: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    """Of this category at most so many are considered for one context; 0: as many as are relevant."""
    weight: Annotated[float, msgspec.Meta(gt=0, le=1)] = 1.0
    """What its scores are multiplied by when a context is searched for."""


BUILT_IN_CATEGORIES: Final[Mapping[str, CategorySettings]] = {
    RULE: CategorySettings(context="all"),
    "preference": CategorySettings(context="all"),
    CORRECTION: CategorySettings(context="all"),
    "profile": CategorySettings(context="all"),
    "event": CategorySettings(rag_length=30),
    "activity": CategorySettings(rag_length=50),
    # As many of its passages as `knowledge_search` gives.
    KNOWLEDGE: CategorySettings(rag_length=3),
    # Guesses about people are surfaced with low weight.
    "relationship_dynamic": CategorySettings(weight=0.5),
}
"""What is so without a word in the configuration. Every other category is `CategorySettings()`."""

WRITTEN_CATEGORIES: Final = frozenset({*PROCEDURES, *DERIVED, "fact", "lesson"})
"""Others that memoryd itself stores something in."""


def name_of(name: str) -> str:
    """Return a category or an agent as names are compared: without the blanks around it, in lower case."""
    return " ".join(name.split()).casefold()
