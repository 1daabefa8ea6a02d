"""Runs of the daily consolidation, and which pairs were compared."""

import sqlalchemy as sa
from alembic import op

from memoryd.ledger.columns import Identifier, keys, number, required

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "checks",
        *keys(Identifier, "one_id other_id"),
        sa.Column("hundredths", sa.Integer, primary_key=True),
        *required(sa.Text, "owner judge"),
        sa.Column("checked_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_checks_owner", "checks", ["owner", "checked_at"])
    op.create_table(
        "check_days",
        *keys(sa.Text, "owner day"),
        sa.Column("pairs", sa.Integer, nullable=False),
        sa.Column("tokens", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "consolidations",
        number("id"),
        *required(sa.Text, "owner stage counts problem"),
        sa.Column("started_at", sa.BigInteger, nullable=False),
        sa.Column("finished_at", sa.BigInteger),
        sa.Column("asked", sa.Boolean, nullable=False),
        sa.Column("starts", sa.Integer, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_consolidations_owner", "consolidations", ["owner", "id"])
