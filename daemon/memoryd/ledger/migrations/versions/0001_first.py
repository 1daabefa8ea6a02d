"""The first schema: memories, their history and changes, sessions, traces, spending."""

import sqlalchemy as sa
from alembic import op

from memoryd.ledger.columns import Identifier, keys, number, required

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create everything."""
    op.create_table(
        "memories",
        number("number"),
        sa.Column("id", Identifier, nullable=False),
        *required(
            sa.Text,
            "owner content category scope project title tags metadata source speaker session files "
            "sources state superseded_by content_hash embedding_model",
        ),
        *required(sa.Integer, "importance access_count strength"),
        sa.Column("pinned", sa.Boolean, nullable=False),
        sa.Column("occurred_at", sa.BigInteger),
        sa.Column("source_messages", sa.Text),
        *required(sa.BigInteger, "created_at updated_at"),
        sa.Column("last_accessed_at", sa.BigInteger),
        sa.Column("trust", sa.Float, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_memories_id", "memories", ["id"], unique=True)
    op.create_index("ix_memories_newest", "memories", ["owner", "created_at", "number"])
    op.create_table(
        "memory_tags",
        sa.Column("memory_id", Identifier, primary_key=True),
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
        sa.Column("id", Identifier, primary_key=True),
        sa.Column("memory_id", Identifier, nullable=False),
    )
    op.create_table(
        "history",
        number("id"),
        sa.Column("memory_id", Identifier, nullable=False),
        *required(sa.Text, "owner event old new actor meta"),
        sa.Column("ts", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_history_memory", "history", ["memory_id", "id"])
    op.create_index("ix_history_owner", "history", ["owner", "id"])
    op.create_table(
        "changes",
        number("sequence"),
        sa.Column("memory_id", Identifier, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("ts", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_changes_memory", "changes", ["memory_id", "sequence"])
    op.create_table(
        "sessions",
        *keys(sa.Text, "owner session"),
        sa.Column("state", sa.LargeBinary, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "traces",
        number("id"),
        *required(sa.Text, "owner session"),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_traces_session", "traces", ["owner", "session", "id"])
    op.create_table(
        "spending",
        sa.Column("day", sa.Text, primary_key=True),
        sa.Column("calls", sa.Integer, nullable=False),
        *required(sa.BigInteger, "input_tokens output_tokens"),
        sa.Column("cost_usd", sa.Float, nullable=False),
    )
