"""A memory may say when it is over."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the column, and the index by which the next one that is over is found."""
    op.add_column("memories", sa.Column("expires_at", sa.BigInteger))
    op.create_index(
        "ix_memories_expires",
        "memories",
        ["expires_at"],
        sqlite_where=sa.text("expires_at IS NOT NULL AND state = 'active'"),
        postgresql_where=sa.text("expires_at IS NOT NULL AND state = 'active'"),
    )
