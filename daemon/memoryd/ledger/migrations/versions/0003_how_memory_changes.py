"""What memories are to each other, how each write is undone, what waits for consent, what happened, where it is off."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TEXT as PG_TEXT

revision = "0003"
down_revision = "0002"

_identifier = sa.Text().with_variant(PG_TEXT(collation="C"), "postgresql")
_serial = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Add the columns and create the tables."""
    op.add_column("memories", sa.Column("agent", sa.Text, nullable=False, server_default=""))
    op.add_column("memories", sa.Column("role", sa.Text, nullable=False, server_default=""))
    op.add_column("memories", sa.Column("revision", sa.Integer, nullable=False, server_default="1"))
    op.add_column("memories", sa.Column("purge_at", sa.BigInteger))
    # Those that are there were stored before anybody compared: they wait for the worker.
    op.add_column("memories", sa.Column("compared", sa.Boolean, nullable=False, server_default=sa.false()))
    op.create_index(
        "ix_memories_uncompared",
        "memories",
        ["number"],
        sqlite_where=sa.text("compared = 0 AND state = 'active'"),
        postgresql_where=sa.text("NOT compared AND state = 'active'"),
    )
    op.create_index(
        "ix_memories_purge",
        "memories",
        ["purge_at"],
        sqlite_where=sa.text("purge_at IS NOT NULL"),
        postgresql_where=sa.text("purge_at IS NOT NULL"),
    )
    op.add_column("history", sa.Column("operation", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("history", sa.Column("undo", sa.Text, nullable=False, server_default=""))
    op.execute(sa.text("UPDATE history SET operation = id"))
    op.create_index("ix_history_operation", "history", ["operation"])
    op.create_table(
        "relations",
        sa.Column("id", _serial, primary_key=True, autoincrement=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("from_id", _identifier, nullable=False),
        sa.Column("to_id", _identifier, nullable=False),
        sa.Column("relation_type", sa.Text, nullable=False),
        sa.Column("strength", sa.Float, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("operation", sa.BigInteger, nullable=False),
        sa.Column("removed_by", sa.BigInteger),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_relations_edge",
        "relations",
        ["from_id", "to_id", "relation_type"],
        unique=True,
        sqlite_where=sa.text("removed_by IS NULL"),
        postgresql_where=sa.text("removed_by IS NULL"),
    )
    op.create_index("ix_relations_to", "relations", ["to_id"])
    op.create_index("ix_relations_operation", "relations", ["operation"])
    op.create_table(
        "doubts",
        sa.Column("id", _serial, primary_key=True, autoincrement=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("older_id", _identifier, nullable=False),
        sa.Column("newer_id", _identifier, nullable=False),
        sa.Column("similarity", sa.Float, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("decided_at", sa.BigInteger),
        sa.Column("decision", sa.Text, nullable=False, server_default=""),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_doubts_pair", "doubts", ["older_id", "newer_id"], unique=True)
    op.create_index("ix_doubts_open", "doubts", ["owner", "decided_at"])
    op.create_table(
        "consents",
        sa.Column("id", _identifier, primary_key=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("project", sa.Text, nullable=False),
        sa.Column("field", sa.Text, nullable=False),
        sa.Column("proposed", sa.LargeBinary, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("signals", sa.Integer, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("decided_at", sa.BigInteger),
        sa.Column("decided_by", sa.Text, nullable=False, server_default=""),
    )
    op.create_index("ix_consents_waiting", "consents", ["owner", "status", "expires_at"])
    op.create_table(
        "events",
        sa.Column("id", _serial, primary_key=True, autoincrement=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("thread", sa.Text, nullable=False),
        sa.Column("node", sa.Text, nullable=False),
        sa.Column("op", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("memory_id", _identifier, nullable=False),
        sa.Column("category", sa.Text, nullable=False),
        sa.Column("sim", sa.Float),
        sa.Column("ts", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_owner", "events", ["owner", "ts"])
    op.create_index("ix_events_node", "events", ["node", "ts"])
    op.create_table(
        "switches",
        sa.Column("owner", sa.Text, primary_key=True),
        sa.Column("project", sa.Text, primary_key=True),
        sa.Column("off_since", sa.BigInteger, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
    )
