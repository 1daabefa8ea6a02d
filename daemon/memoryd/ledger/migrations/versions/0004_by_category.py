"""Memories of a few categories are found without a walk through all: rules are looked up whenever memory changed."""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the index."""
    op.create_index("ix_memories_category", "memories", ["owner", "category", "created_at", "number"])
