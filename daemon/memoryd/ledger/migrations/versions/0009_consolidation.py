"""Runs of the daily consolidation, and which pairs were compared."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TEXT as PG_TEXT

revision = "0009"
down_revision = "0008"

_identifier = sa.Text().with_variant(PG_TEXT(collation="C"), "postgresql")
_serial = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "checks",
        sa.Column("one_id", _identifier, primary_key=True),
        sa.Column("other_id", _identifier, primary_key=True),
        sa.Column("hundredths", sa.Integer, primary_key=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("judge", sa.Text, nullable=False),
        sa.Column("checked_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_checks_owner", "checks", ["owner", "checked_at"])
    op.create_table(
        "check_days",
        sa.Column("owner", sa.Text, primary_key=True),
        sa.Column("day", sa.Text, primary_key=True),
        sa.Column("pairs", sa.Integer, nullable=False),
        sa.Column("tokens", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "consolidations",
        sa.Column("id", _serial, primary_key=True, autoincrement=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("started_at", sa.BigInteger, nullable=False),
        sa.Column("finished_at", sa.BigInteger),
        sa.Column("asked", sa.Boolean, nullable=False),
        sa.Column("starts", sa.Integer, nullable=False),
        sa.Column("stage", sa.Text, nullable=False),
        sa.Column("counts", sa.Text, nullable=False),
        sa.Column("problem", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_consolidations_owner", "consolidations", ["owner", "id"])
