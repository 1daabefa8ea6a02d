"""Aliases know when they were made, so that they can be dropped when nobody sends a request again any more."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from memoryd.ledger.rows import to_micros

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Count the age of those that are there from now on."""
    op.add_column("aliases", sa.Column("ts", sa.BigInteger, nullable=False, server_default="0"))
    op.execute(sa.text("UPDATE aliases SET ts = :now").bindparams(now=to_micros(datetime.now(UTC))))
