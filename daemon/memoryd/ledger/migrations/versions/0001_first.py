"""The first schema: memories, their history and changes, sessions, traces, spending."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TEXT as PG_TEXT

revision = "0001"
down_revision = None

_identifier = sa.Text().with_variant(PG_TEXT(collation="C"), "postgresql")
_serial = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create everything."""
    op.create_table(
        "memories",
        sa.Column("number", _serial, primary_key=True, autoincrement=True),
        sa.Column("id", _identifier, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("category", sa.Text, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("project", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("tags", sa.Text, nullable=False),
        sa.Column("metadata", sa.Text, nullable=False),
        sa.Column("importance", sa.Integer, nullable=False),
        sa.Column("pinned", sa.Boolean, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("speaker", sa.Text, nullable=False),
        sa.Column("occurred_at", sa.BigInteger),
        sa.Column("session", sa.Text, nullable=False),
        sa.Column("source_messages", sa.Text),
        sa.Column("files", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Column("last_accessed_at", sa.BigInteger),
        sa.Column("access_count", sa.Integer, nullable=False),
        sa.Column("strength", sa.Integer, nullable=False),
        sa.Column("sources", sa.Text, nullable=False),
        sa.Column("trust", sa.Float, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("superseded_by", sa.Text, nullable=False),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("embedding_model", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_memories_id", "memories", ["id"], unique=True)
    op.create_index("ix_memories_newest", "memories", ["owner", "created_at", "number"])
    op.create_table(
        "memory_tags",
        sa.Column("memory_id", _identifier, primary_key=True),
        sa.Column("tag", sa.Text, primary_key=True),
    )
    op.create_index(
        "ix_memories_content",
        "memories",
        ["owner", "scope", "project", "content_hash"],
        unique=True,
        sqlite_where=sa.text("state = 'active' AND content_hash != ''"),
        postgresql_where=sa.text("state = 'active' AND content_hash != ''"),
    )
    op.create_table(
        "aliases",
        sa.Column("id", _identifier, primary_key=True),
        sa.Column("memory_id", _identifier, nullable=False),
    )
    op.create_table(
        "history",
        sa.Column("id", _serial, primary_key=True, autoincrement=True),
        sa.Column("memory_id", _identifier, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("old", sa.Text, nullable=False),
        sa.Column("new", sa.Text, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("meta", sa.Text, nullable=False),
        sa.Column("ts", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_history_memory", "history", ["memory_id", "id"])
    op.create_index("ix_history_owner", "history", ["owner", "id"])
    op.create_table(
        "changes",
        sa.Column("sequence", _serial, primary_key=True, autoincrement=True),
        sa.Column("memory_id", _identifier, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("ts", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_changes_memory", "changes", ["memory_id", "sequence"])
    op.create_table(
        "sessions",
        sa.Column("owner", sa.Text, primary_key=True),
        sa.Column("session", sa.Text, primary_key=True),
        sa.Column("state", sa.LargeBinary, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "traces",
        sa.Column("id", _serial, primary_key=True, autoincrement=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("session", sa.Text, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_traces_session", "traces", ["owner", "session", "id"])
    op.create_table(
        "spending",
        sa.Column("day", sa.Text, primary_key=True),
        sa.Column("calls", sa.Integer, nullable=False),
        sa.Column("input_tokens", sa.BigInteger, nullable=False),
        sa.Column("output_tokens", sa.BigInteger, nullable=False),
        sa.Column("cost_usd", sa.Float, nullable=False),
    )
