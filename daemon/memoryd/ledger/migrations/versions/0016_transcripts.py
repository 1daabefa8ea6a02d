"""Transcripts are in the ledger where several daemons share it."""

import sqlalchemy as sa
from alembic import op

from memoryd.ledger.columns import number, required

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Create the tables; what stands in files is brought into them by the daemon whose home has it."""
    op.create_table(
        "transcripts",
        number("number"),
        *required(sa.Text, "owner session"),
        sa.Column("last", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger),
        sa.Column("changed", sa.BigInteger, nullable=False),
        sa.Column("about", sa.LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_transcripts_session", "transcripts", ["owner", "session"], unique=True)
    op.create_index("ix_transcripts_newest", "transcripts", ["owner", "updated_at"])
    op.create_index("ix_transcripts_changed", "transcripts", ["changed"])
    op.create_table(
        "entries",
        number("number"),
        sa.Column("transcript", sa.BigInteger, nullable=False),
        sa.Column("sequence", sa.BigInteger),
        sa.Column("short_id", sa.BigInteger),
        sa.Column("line", sa.LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_entries_transcript", "entries", ["transcript", "sequence"], unique=True)
    op.create_index("ix_entries_id", "entries", ["transcript", "short_id"])
    op.create_table(
        "erased_transcripts",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("changed", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_erased_transcripts_changed", "erased_transcripts", ["changed"])
