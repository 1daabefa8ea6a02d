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
from sqlalchemy.dialects.postgresql import TEXT as PG_TEXT

HEAD = "0012"
"""The newest migration. Known here so that a start on an up-to-date ledger need not import Alembic."""

Identifier = Text().with_variant(PG_TEXT(collation="C"), "postgresql")
"""Compared byte by byte, so that the beginning of an id is a range of the key."""
Serial = BigInteger().with_variant(Integer, "sqlite")
"""SQLite only counts up an INTEGER."""
Moment = BigInteger
"""Microseconds since 1970, UTC: sorts alike and compares exactly in every database."""

metadata = MetaData()

memories = Table(
    "memories",
    metadata,
    Column("number", Serial, primary_key=True, autoincrement=True),
    Column("id", Identifier, nullable=False),
    Column("owner", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("category", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("project", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("tags", Text, nullable=False),
    Column("metadata", Text, nullable=False),
    Column("importance", Integer, nullable=False),
    Column("pinned", Boolean, nullable=False),
    Column("source", Text, nullable=False),
    Column("speaker", Text, nullable=False),
    Column("occurred_at", Moment),
    Column("session", Text, nullable=False),
    Column("source_messages", Text),
    Column("files", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("last_accessed_at", Moment),
    Column("access_count", Integer, nullable=False),
    Column("strength", Integer, nullable=False),
    Column("sources", Text, nullable=False),
    Column("trust", Float, nullable=False),
    Column("state", Text, nullable=False),
    Column("superseded_by", Text, nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("embedding_model", Text, nullable=False),
    Column("agent", Text, nullable=False, server_default=""),
    Column("role", Text, nullable=False, server_default=""),
    Column("revision", Integer, nullable=False, server_default="1"),
    Column("purge_at", Moment),
    # Whether its neighbours have been looked at: what was stored in bulk or without a model waits for the worker.
    Column("compared", Boolean, nullable=False, server_default=false()),
    Index("ix_memories_id", "id", unique=True),
    Index("ix_memories_newest", "owner", "created_at", "number"),
    Index("ix_memories_category", "owner", "category", "created_at", "number"),
    sqlite_autoincrement=True,
)
Index(
    "ix_memories_uncompared",
    memories.c.number,
    sqlite_where=text("compared = 0 AND state = 'active'"),
    postgresql_where=text("NOT compared AND state = 'active'"),
)
Index(
    "ix_memories_purge",
    memories.c.purge_at,
    sqlite_where=text("purge_at IS NOT NULL"),
    postgresql_where=text("purge_at IS NOT NULL"),
)
Index(
    "ix_memories_content",
    memories.c.owner,
    memories.c.scope,
    memories.c.project,
    memories.c.content_hash,
    unique=True,
    sqlite_where=text("state = 'active' AND content_hash != ''"),
    postgresql_where=text("state = 'active' AND content_hash != ''"),
)
# As literals: with a parameter for the state SQLite cannot know that a partial index holds what is asked for, and walks
# through all memories, 33 ms for 100,000.
IS_ACTIVE = memories.c.state == literal_column("'active'", Text)
HAS_SAID = IS_ACTIVE & (memories.c.content_hash != literal_column("''", Text))
"""Active, with content that no other has in the same place: the condition of `ix_memories_content`."""
memory_tags = Table(
    "memory_tags",
    metadata,
    Column("memory_id", Identifier, primary_key=True),
    Column("tag", Text, primary_key=True),
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
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("memory_id", Identifier, nullable=False),
    Column("owner", Text, nullable=False),
    Column("event", Text, nullable=False),
    Column("old", Text, nullable=False),
    Column("new", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("meta", Text, nullable=False),
    Column("ts", Moment, nullable=False),
    # What was done together is undone together.
    Column("operation", BigInteger, nullable=False, server_default="0"),
    # JSON: the columns that this write changed, with what they held before; see `operations.Undo`.
    Column("undo", Text, nullable=False, server_default=""),
    Index("ix_history_memory", "memory_id", "id"),
    Index("ix_history_owner", "owner", "id"),
    Index("ix_history_operation", "operation"),
    sqlite_autoincrement=True,
)
changes = Table(
    "changes",
    metadata,
    Column("sequence", Serial, primary_key=True, autoincrement=True),
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
    Column("owner", Text, primary_key=True),
    Column("session", Text, primary_key=True),
    Column("state", LargeBinary, nullable=False),
    Column("updated_at", Moment, nullable=False),
)
traces = Table(
    "traces",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("owner", Text, nullable=False),
    Column("session", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("ix_traces_session", "owner", "session", "id"),
    sqlite_autoincrement=True,
)
spending = Table(
    "spending",
    metadata,
    Column("day", Text, primary_key=True),
    Column("calls", Integer, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost_usd", Float, nullable=False),
)
relations = Table(
    # Edges between memories (seed 002, item 2). One that was removed stays, with the operation that removed it.
    "relations",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("owner", Text, nullable=False),
    Column("from_id", Identifier, nullable=False),
    Column("to_id", Identifier, nullable=False),
    Column("relation_type", Text, nullable=False),
    Column("strength", Float, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("operation", BigInteger, nullable=False),
    Column("removed_by", BigInteger),
    sqlite_autoincrement=True,
)
Index(
    "ix_relations_edge",
    relations.c.from_id,
    relations.c.to_id,
    relations.c.relation_type,
    unique=True,
    sqlite_where=text("removed_by IS NULL"),
    postgresql_where=text("removed_by IS NULL"),
)
Index("ix_relations_to", relations.c.to_id)
Index("ix_relations_operation", relations.c.operation)
Index(
    "ix_relations_removed_by",
    relations.c.removed_by,
    sqlite_where=text("removed_by IS NOT NULL"),
    postgresql_where=text("removed_by IS NOT NULL"),
)
doubts = Table(
    # Pairs that may be the same or contradict each other: the worker asks again, once.
    "doubts",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("owner", Text, nullable=False),
    Column("older_id", Identifier, nullable=False),
    Column("newer_id", Identifier, nullable=False),
    Column("similarity", Float, nullable=False),
    Column("reason", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("decided_at", Moment),
    Column("decision", Text, nullable=False, server_default=""),
    Index("ix_doubts_pair", "older_id", "newer_id", unique=True),
    Index("ix_doubts_open", "owner", "decided_at"),
    sqlite_autoincrement=True,
)
consents = Table(
    # Proposed changes to sensitive fields (seed 002, item 10).
    "consents",
    metadata,
    Column("id", Identifier, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("project", Text, nullable=False),
    Column("field", Text, nullable=False),
    Column("proposed", LargeBinary, nullable=False),
    Column("reason", Text, nullable=False),
    Column("signals", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("decided_at", Moment),
    Column("decided_by", Text, nullable=False, server_default=""),
    Index("ix_consents_waiting", "owner", "status", "expires_at"),
)
events = Table(
    # What the system did, in counts (seed 002, item 14).
    "events",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("owner", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("node", Text, nullable=False),
    Column("op", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("memory_id", Identifier, nullable=False),
    Column("category", Text, nullable=False),
    Column("sim", Float),
    Column("ts", Moment, nullable=False),
    Index("ix_events_owner", "owner", "ts"),
    Index("ix_events_node", "node", "ts"),
    sqlite_autoincrement=True,
)
switches = Table(
    # Where memory is turned off; an empty project is everywhere.
    "switches",
    metadata,
    Column("owner", Text, primary_key=True),
    Column("project", Text, primary_key=True),
    Column("off_since", Moment, nullable=False),
    Column("actor", Text, nullable=False),
)
purges = Table(
    # Those that are not finished: their rows are gone, their bytes are not.
    "purges",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("erased", Text, nullable=False),
    Column("in_files", Boolean, nullable=False),
    Column("in_index", Boolean, nullable=False),
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
    # What an agent keeps in its prompt (seed 001); an empty thread is shared by all.
    "core_sections",
    metadata,
    Column("owner", Text, primary_key=True),
    Column("thread", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("content", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("updated_by", Text, nullable=False),
)
core_writes = Table(
    "core_writes",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("owner", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("event", Text, nullable=False),
    Column("before", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("ts", Moment, nullable=False),
    # The same request sent again is the same write.
    Column("write_id", Identifier, nullable=False),
    Index("ix_core_writes_section", "owner", "thread", "name", "id"),
    Index("ix_core_writes_write", "owner", "write_id", unique=True),
    sqlite_autoincrement=True,
)
checkpoints = Table(
    # States of agents (seed 002, item 15). A deleted one that was the newest stays as an empty row, so that its number
    # is not given out again.
    "checkpoints",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("owner", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("checksum", Text, nullable=False),
    Column("meta", Text, nullable=False),
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
    Column("owner", Text, primary_key=True),
    Column("session", Text, primary_key=True),
    Column("job", Text, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Column("detail", Text, nullable=False),
    Column("at", Moment, nullable=False),
)
checks = Table(
    # Pairs that were compared, by the cosine that they had (seed 002, item 4).
    "checks",
    metadata,
    Column("one_id", Identifier, primary_key=True),
    Column("other_id", Identifier, primary_key=True),
    Column("hundredths", Integer, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("judge", Text, nullable=False),
    Column("checked_at", Moment, nullable=False),
    Index("ix_checks_owner", "owner", "checked_at"),
)
check_days = Table(
    # What was compared for an owner on a day, and how many tokens a model used for it.
    "check_days",
    metadata,
    Column("owner", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("pairs", Integer, nullable=False),
    Column("tokens", BigInteger, nullable=False),
)
consolidations = Table(
    # Runs of the daily consolidation: how far each is, and what it came to.
    "consolidations",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("owner", Text, nullable=False),
    Column("started_at", Moment, nullable=False),
    Column("finished_at", Moment),
    Column("asked", Boolean, nullable=False),
    Column("starts", Integer, nullable=False),
    Column("stage", Text, nullable=False),
    Column("counts", Text, nullable=False),
    Column("problem", Text, nullable=False),
    Index("ix_consolidations_owner", "owner", "id"),
    sqlite_autoincrement=True,
)
