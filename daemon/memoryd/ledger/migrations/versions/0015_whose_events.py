"""An event says which home it is of, where several share the ledger: each hands on its own."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add the column."""
    op.add_column("events", sa.Column("home", sa.Text, nullable=False, server_default=""))
