"""The tables, as the newest migration leaves them. A test compares the two."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    false,
    literal_column,
    text,
)

from memoryd.ledger.columns import Identifier, Moment, keys, number, required

HEAD = "0018"
"""The newest migration. Known here so that a start on an up-to-date ledger need not import Alembic."""

metadata = MetaData()


def _partial(name: str, table: Table, columns: str, where: str, *, elsewhere: str = "", unique: bool = False) -> None:
    """Index the rows of a table of which a condition is true; `elsewhere`: as PostgreSQL writes it, if otherwise."""
    of_sqlite, of_postgresql = text(where), text(elsewhere or where)
    indexed = [table.c[column] for column in columns.split()]
    Index(name, *indexed, unique=unique, sqlite_where=of_sqlite, postgresql_where=of_postgresql)


memories = Table(
    "memories",
    metadata,
    number("number"),
    Column("id", Identifier, nullable=False),
    *required(
        Text,
        "owner content category scope project title tags metadata source speaker session files sources "
        "state superseded_by content_hash embedding_model",
    ),
    *required(Integer, "importance access_count strength"),
    Column("pinned", Boolean, nullable=False),
    Column("occurred_at", Moment),
    Column("source_messages", Text),
    *required(Moment, "created_at updated_at"),
    Column("last_accessed_at", Moment),
    Column("trust", Float, nullable=False),
    Column("agent", Text, nullable=False, server_default=""),
    Column("role", Text, nullable=False, server_default=""),
    Column("revision", Integer, nullable=False, server_default="1"),
    Column("purge_at", Moment),
    Column("expires_at", Moment),
    # Whether its neighbours have been looked at: what was stored in bulk or without a model waits for the worker.
    Column("compared", Boolean, nullable=False, server_default=false()),
    Index("ix_memories_id", "id", unique=True),
    Index("ix_memories_newest", "owner", "created_at", "number"),
    Index("ix_memories_category", "owner", "category", "created_at", "number"),
    sqlite_autoincrement=True,
)
# Partial, by literals, so that only what names one of them is served by it: beside other conditions SQLite would rather
# walk through all of a place than through the few of a category.
_partial("ix_memories_project", memories, "owner project created_at number", "scope = 'project'")
_partial("ix_memories_global", memories, "owner created_at number", "scope = 'global'")
_partial("ix_memories_pinned", memories, "owner created_at number", "pinned = 1", elsewhere="pinned")
_HAS_PATH = "metadata LIKE '%\"path\":%'"
_partial("ix_memories_files", memories, "owner created_at number", _HAS_PATH)
_partial(
    "ix_memories_uncompared",
    memories,
    "number",
    "compared = 0 AND state = 'active'",
    elsewhere="NOT compared AND state = 'active'",
)
_partial("ix_memories_purge", memories, "purge_at", "purge_at IS NOT NULL")
_partial("ix_memories_expires", memories, "expires_at", "expires_at IS NOT NULL AND state = 'active'")
_partial(
    "ix_memories_content",
    memories,
    "owner scope project content_hash",
    "state = 'active' AND content_hash != ''",
    unique=True,
)
# As literals: with a parameter for the state SQLite cannot know that a partial index holds what is asked for, and walks
# through all memories, 33 ms for 100,000.
IS_ACTIVE = memories.c.state == literal_column("'active'", Text)
IS_PROJECTS = memories.c.scope == literal_column("'project'", Text)
IS_GLOBAL = memories.c.scope == literal_column("'global'", Text)
HAS_PATH = text(_HAS_PATH)
"""Likely a memory file; the condition of `ix_memories_files`."""
HAS_SAID = IS_ACTIVE & (memories.c.content_hash != literal_column("''", Text))
"""Active, with content that no other has in the same place: the condition of `ix_memories_content`."""
memory_tags = Table(
    "memory_tags",
    metadata,
    Column("memory_id", Identifier, primary_key=True),
    Column("tag", Text, primary_key=True),
    # Of the memory, and never changed there: those of a tag are found newest first.
    Column("owner", Text, nullable=False, server_default=""),
    Column("created_at", Moment, nullable=False, server_default="0"),
    Column("number", BigInteger, nullable=False, server_default="0"),
    Index("ix_memory_tags_newest", "owner", "tag", "created_at", "number"),
)
memory_counts = Table(
    # How many memories there are of each kind: '', or passage, or document for the first passage of one. The database
    # itself counts, by triggers on `memories`: a migration that makes that table anew has to make them anew, too.
    "memory_counts",
    metadata,
    *keys(Text, "owner scope project category state kind"),
    Column("total", BigInteger, nullable=False),
)
aliases = Table(
    # Ids whose content was there already: the same request sent again must find the same memory.
    "aliases",
    metadata,
    Column("id", Identifier, primary_key=True),
    Column("memory_id", Identifier, nullable=False),
    Column("ts", Moment, nullable=False, server_default="0"),
)
history = Table(
    "history",
    metadata,
    number("id"),
    Column("memory_id", Identifier, nullable=False),
    *required(Text, "owner event old new actor meta"),
    Column("ts", Moment, nullable=False),
    # What was done together is undone together.
    Column("operation", BigInteger, nullable=False, server_default="0"),
    # JSON: the columns that this write changed, with what they held before; see `operations.Undo`.
    Column("undo", Text, nullable=False, server_default=""),
    # That of the memory now; of one that was purged: ''.
    Column("category", Text, nullable=False, server_default=""),
    Index("ix_history_memory", "memory_id", "id"),
    Index("ix_history_owner", "owner", "id"),
    Index("ix_history_category", "owner", "category", "id"),
    Index("ix_history_operation", "operation"),
    sqlite_autoincrement=True,
)
changes = Table(
    "changes",
    metadata,
    number("sequence"),
    Column("memory_id", Identifier, nullable=False),
    Column("event", Text, nullable=False),
    Column("ts", Moment, nullable=False),
    Index("ix_changes_memory", "memory_id", "sequence"),
    # A number that was given out once must never be given out again: the index would skip the change.
    sqlite_autoincrement=True,
)
sessions = Table(
    "sessions",
    metadata,
    *keys(Text, "owner session"),
    Column("state", LargeBinary, nullable=False),
    Column("updated_at", Moment, nullable=False),
)
traces = Table(
    "traces",
    metadata,
    number("id"),
    *required(Text, "owner session"),
    Column("body", LargeBinary, nullable=False),
    Index("ix_traces_session", "owner", "session", "id"),
    sqlite_autoincrement=True,
)
spending = Table(
    "spending",
    metadata,
    Column("day", Text, primary_key=True),
    Column("calls", Integer, nullable=False),
    *required(BigInteger, "input_tokens output_tokens"),
    Column("cost_usd", Float, nullable=False),
)
relations = Table(
    # Edges between memories. One that was removed stays, with the operation that removed it.
    "relations",
    metadata,
    number("id"),
    *required(Text, "owner relation_type"),
    *required(Identifier, "from_id to_id"),
    Column("strength", Float, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("operation", BigInteger, nullable=False),
    Column("removed_by", BigInteger),
    sqlite_autoincrement=True,
)
_partial("ix_relations_edge", relations, "from_id to_id relation_type", "removed_by IS NULL", unique=True)
Index("ix_relations_to", relations.c.to_id)
Index("ix_relations_operation", relations.c.operation)
_partial("ix_relations_removed_by", relations, "removed_by", "removed_by IS NOT NULL")
doubts = Table(
    # Pairs that may be the same or contradict each other: the worker asks again, once.
    "doubts",
    metadata,
    number("id"),
    *required(Text, "owner reason"),
    *required(Identifier, "older_id newer_id"),
    Column("similarity", Float, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("decided_at", Moment),
    Column("decision", Text, nullable=False, server_default=""),
    Index("ix_doubts_pair", "older_id", "newer_id", unique=True),
    Index("ix_doubts_open", "owner", "decided_at"),
    sqlite_autoincrement=True,
)
consents = Table(
    # Proposed changes to sensitive fields.
    "consents",
    metadata,
    Column("id", Identifier, primary_key=True),
    *required(Text, "owner project field reason status"),
    Column("proposed", LargeBinary, nullable=False),
    Column("signals", Integer, nullable=False),
    *required(Moment, "created_at expires_at"),
    Column("decided_at", Moment),
    Column("decided_by", Text, nullable=False, server_default=""),
    Index("ix_consents_waiting", "owner", "status", "expires_at"),
)
events = Table(
    # What the system did, in counts.
    "events",
    metadata,
    number("id"),
    *required(Text, "owner thread node op status category"),
    Column("memory_id", Identifier, nullable=False),
    Column("sim", Float),
    Column("ts", Moment, nullable=False),
    Column("duration_ms", Float),
    # Of the daemon that did it, where several share the ledger.
    Column("home", Text, nullable=False, server_default=""),
    # Who had it done.
    Column("agent", Text, nullable=False, server_default=""),
    Index("ix_events_owner", "owner", "ts"),
    Index("ix_events_node", "node", "ts"),
    sqlite_autoincrement=True,
)
switches = Table(
    # Where memory is turned off; an empty project is everywhere.
    "switches",
    metadata,
    *keys(Text, "owner project"),
    Column("off_since", Moment, nullable=False),
    Column("actor", Text, nullable=False),
)
purges = Table(
    # Those that are not finished: their rows are gone, their bytes are not.
    "purges",
    metadata,
    number("id"),
    Column("erased", Text, nullable=False),
    *required(Boolean, "in_files in_index"),
    sqlite_autoincrement=True,
)
spent_ids = Table(
    # Of requests whose content was purged, as hashes.
    "spent_ids",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("ts", Moment, nullable=False),
)
core_sections = Table(
    # What an agent keeps in its prompt; an empty thread is shared by all.
    "core_sections",
    metadata,
    *keys(Text, "owner thread name"),
    *required(Text, "content updated_by"),
    Column("revision", Integer, nullable=False),
    Column("updated_at", Moment, nullable=False),
)
core_writes = Table(
    "core_writes",
    metadata,
    number("id"),
    *required(Text, "owner thread name event before actor"),
    Column("revision", Integer, nullable=False),
    Column("ts", Moment, nullable=False),
    # The same request sent again is the same write.
    Column("write_id", Identifier, nullable=False),
    Index("ix_core_writes_section", "owner", "thread", "name", "id"),
    Index("ix_core_writes_write", "owner", "write_id", unique=True),
    sqlite_autoincrement=True,
)
checkpoints = Table(
    # States of agents. A deleted one that was the newest stays as an empty row, so that its number
    # is not given out again.
    "checkpoints",
    metadata,
    number("id"),
    *required(Text, "owner thread checksum meta"),
    *required(Integer, "version size"),
    Column("created_at", Moment, nullable=False),
    Column("save_id", Identifier, nullable=False),
    Column("gone", Boolean, nullable=False, server_default=false()),
    # Last, so that a listing need not walk through it.
    Column("data", LargeBinary, nullable=False),
    Index("ix_checkpoints_thread", "owner", "thread", "version", unique=True),
    Index("ix_checkpoints_newest", "owner", "id"),
    Index("ix_checkpoints_save", "owner", "save_id"),
    sqlite_autoincrement=True,
)
progress = Table(
    # How far jobs have come with sessions: the last entry of the transcript that each is done with.
    "progress",
    metadata,
    *keys(Text, "owner session job"),
    Column("sequence", BigInteger, nullable=False),
    Column("detail", Text, nullable=False),
    Column("at", Moment, nullable=False),
)
checks = Table(
    # Pairs that were compared, by the cosine that they had.
    "checks",
    metadata,
    *keys(Identifier, "one_id other_id"),
    Column("hundredths", Integer, primary_key=True),
    *required(Text, "owner judge"),
    Column("checked_at", Moment, nullable=False),
    Index("ix_checks_owner", "owner", "checked_at"),
)
check_days = Table(
    # What was compared for an owner on a day, and how many tokens a model used for it.
    "check_days",
    metadata,
    *keys(Text, "owner day"),
    Column("pairs", Integer, nullable=False),
    Column("tokens", BigInteger, nullable=False),
)
consolidations = Table(
    # Runs of the daily consolidation: how far each is, and what it came to.
    "consolidations",
    metadata,
    number("id"),
    *required(Text, "owner stage counts problem"),
    Column("started_at", Moment, nullable=False),
    Column("finished_at", Moment),
    Column("asked", Boolean, nullable=False),
    Column("starts", Integer, nullable=False),
    Index("ix_consolidations_owner", "owner", "id"),
    sqlite_autoincrement=True,
)
transcripts = Table(
    # What was said in sessions, where the ledger is shared; else transcripts are files, and these tables are empty.
    "transcripts",
    metadata,
    number("number"),
    *required(Text, "owner session"),
    Column("last", BigInteger, nullable=False),
    Column("updated_at", Moment),
    # The number of the last change of any transcript, as it was then.
    Column("changed", BigInteger, nullable=False),
    # JSON: what else is known of the session, as `metadata.json` has it.
    Column("about", LargeBinary, nullable=False),
    Index("ix_transcripts_session", "owner", "session", unique=True),
    Index("ix_transcripts_newest", "owner", "updated_at"),
    Index("ix_transcripts_changed", "changed"),
    sqlite_autoincrement=True,
)
entries = Table(
    # Their lines, as they would stand in the file.
    "entries",
    metadata,
    number("number"),
    Column("transcript", BigInteger, nullable=False),
    # None where the line cannot be read.
    Column("sequence", BigInteger),
    # The entry's id, as 64 bits.
    Column("short_id", BigInteger),
    Column("line", LargeBinary, nullable=False),
    Index("ix_entries_transcript", "transcript", "sequence", unique=True),
    Index("ix_entries_id", "transcript", "short_id"),
    sqlite_autoincrement=True,
)
erased_transcripts = Table(
    # Those out of which words were taken, as hashes of their names, for daemons that were away then.
    "erased_transcripts",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("changed", BigInteger, nullable=False),
    Index("ix_erased_transcripts_changed", "changed"),
)
