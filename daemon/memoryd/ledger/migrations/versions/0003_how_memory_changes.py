"""What memories are to each other, how each write is undone, what waits for consent, what happened, where it is off."""

import sqlalchemy as sa
from alembic import op

from memoryd.ledger.columns import Identifier, keys, number, required

revision = "0003"
down_revision = "0002"


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
        number("id"),
        *required(sa.Text, "owner relation_type"),
        *required(Identifier, "from_id to_id"),
        sa.Column("strength", sa.Float, nullable=False),
        *required(sa.BigInteger, "created_at operation"),
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
        number("id"),
        *required(sa.Text, "owner reason"),
        *required(Identifier, "older_id newer_id"),
        sa.Column("similarity", sa.Float, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("decided_at", sa.BigInteger),
        sa.Column("decision", sa.Text, nullable=False, server_default=""),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_doubts_pair", "doubts", ["older_id", "newer_id"], unique=True)
    op.create_index("ix_doubts_open", "doubts", ["owner", "decided_at"])
    op.create_table(
        "consents",
        sa.Column("id", Identifier, primary_key=True),
        *required(sa.Text, "owner project field reason status"),
        sa.Column("proposed", sa.LargeBinary, nullable=False),
        sa.Column("signals", sa.Integer, nullable=False),
        *required(sa.BigInteger, "created_at expires_at"),
        sa.Column("decided_at", sa.BigInteger),
        sa.Column("decided_by", sa.Text, nullable=False, server_default=""),
    )
    op.create_index("ix_consents_waiting", "consents", ["owner", "status", "expires_at"])
    op.create_table(
        "events",
        number("id"),
        *required(sa.Text, "owner thread node op status category"),
        sa.Column("memory_id", Identifier, nullable=False),
        sa.Column("sim", sa.Float),
        sa.Column("ts", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_owner", "events", ["owner", "ts"])
    op.create_index("ix_events_node", "events", ["node", "ts"])
    op.create_table(
        "switches",
        *keys(sa.Text, "owner project"),
        sa.Column("off_since", sa.BigInteger, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
    )
