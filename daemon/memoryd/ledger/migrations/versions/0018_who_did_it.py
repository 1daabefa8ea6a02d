"""An event says which agent did it: a memory may be changed by others than stored it."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Add the column."""
    op.add_column("events", sa.Column("agent", sa.Text, nullable=False, server_default=""))
