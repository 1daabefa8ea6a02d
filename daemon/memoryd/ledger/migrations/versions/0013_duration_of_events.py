"""How long something took stands beside what was done."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the column."""
    op.add_column("events", sa.Column("duration_ms", sa.Float))
