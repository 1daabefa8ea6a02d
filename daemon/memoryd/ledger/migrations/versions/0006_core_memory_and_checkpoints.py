"""Core memory with its history, and the states that agents save."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TEXT as PG_TEXT

revision = "0006"
down_revision = "0004"

_identifier = sa.Text().with_variant(PG_TEXT(collation="C"), "postgresql")
_serial = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "core_sections",
        sa.Column("owner", sa.Text, primary_key=True),
        sa.Column("thread", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Column("updated_by", sa.Text, nullable=False),
    )
    op.create_table(
        "core_writes",
        sa.Column("id", _serial, primary_key=True, autoincrement=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("thread", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("before", sa.Text, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("ts", sa.BigInteger, nullable=False),
        sa.Column("write_id", _identifier, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_core_writes_section", "core_writes", ["owner", "thread", "name", "id"])
    op.create_index("ix_core_writes_write", "core_writes", ["owner", "write_id"], unique=True)
    op.create_table(
        "checkpoints",
        sa.Column("id", _serial, primary_key=True, autoincrement=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("thread", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("checksum", sa.Text, nullable=False),
        sa.Column("meta", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("save_id", _identifier, nullable=False),
        sa.Column("gone", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_checkpoints_thread", "checkpoints", ["owner", "thread", "version"], unique=True)
    op.create_index("ix_checkpoints_newest", "checkpoints", ["owner", "id"])
    op.create_index("ix_checkpoints_save", "checkpoints", ["owner", "save_id"])
