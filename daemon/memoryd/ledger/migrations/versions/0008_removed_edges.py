"""What an operation removed is found without a walk through all edges: each undo asks for it."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create the index."""
    op.create_index(
        "ix_relations_removed_by",
        "relations",
        ["removed_by"],
        sqlite_where=sa.text("removed_by IS NOT NULL"),
        postgresql_where=sa.text("removed_by IS NOT NULL"),
    )
