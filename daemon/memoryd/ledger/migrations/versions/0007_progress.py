"""How far jobs have come with sessions."""

import sqlalchemy as sa
from alembic import op

from memoryd.ledger.columns import keys, required

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "progress",
        *keys(sa.Text, "owner session job"),
        *required(sa.BigInteger, "sequence at"),
        sa.Column("detail", sa.Text, nullable=False),
    )
