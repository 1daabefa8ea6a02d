"""Core memory with its history, and the states that agents save."""

import sqlalchemy as sa
from alembic import op

from memoryd.ledger.columns import Identifier, keys, number, required

revision = "0006"
down_revision = "0004"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "core_sections",
        *keys(sa.Text, "owner thread name"),
        *required(sa.Text, "content updated_by"),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "core_writes",
        number("id"),
        *required(sa.Text, "owner thread name event before actor"),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("ts", sa.BigInteger, nullable=False),
        sa.Column("write_id", Identifier, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_core_writes_section", "core_writes", ["owner", "thread", "name", "id"])
    op.create_index("ix_core_writes_write", "core_writes", ["owner", "write_id"], unique=True)
    op.create_table(
        "checkpoints",
        number("id"),
        *required(sa.Text, "owner thread checksum meta"),
        *required(sa.Integer, "version size"),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("save_id", Identifier, nullable=False),
        sa.Column("gone", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_checkpoints_thread", "checkpoints", ["owner", "thread", "version"], unique=True)
    op.create_index("ix_checkpoints_newest", "checkpoints", ["owner", "id"])
    op.create_index("ix_checkpoints_save", "checkpoints", ["owner", "save_id"])
