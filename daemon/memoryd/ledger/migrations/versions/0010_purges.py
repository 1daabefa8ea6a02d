"""Purges that are not finished, and the ids of requests whose content was purged."""

import sqlalchemy as sa
from alembic import op

from memoryd.ledger.columns import required

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "purges",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("erased", sa.Text, nullable=False),
        *required(sa.Boolean, "in_files in_index"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "spent_ids",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("ts", sa.BigInteger, nullable=False),
    )
