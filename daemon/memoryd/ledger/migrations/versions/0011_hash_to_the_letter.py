"""Contents are one only where they are equal to the letter, but for white space: every hash is made anew.

The new hash tells more contents apart than the old one, so none that were two become one.
"""

import hashlib
import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

_BATCH = 500
_memories = sa.table(
    "memories", sa.column("number", sa.BigInteger), sa.column("content", sa.Text), sa.column("content_hash", sa.Text)
)


def upgrade() -> None:
    """Make the hashes anew."""
    connection = op.get_bind()
    number, content = _memories.c.number, _memories.c.content
    query = sa.select(number, content).where(_memories.c.content_hash != "").order_by(number).limit(_BATCH)
    change = sa.update(_memories).where(number == sa.bindparam("at")).values(content_hash=sa.bindparam("hash"))
    done = 0
    while rows := connection.execute(query.where(number > done)).all():
        connection.execute(change, [{"at": row.number, "hash": _hash(row.content)} for row in rows])
        done = rows[-1].number


def _hash(content: str) -> str:
    lines = unicodedata.normalize("NFC", content).strip().replace("\r\n", "\n").split("\n")
    read = "\n".join(line.rstrip() for line in lines) if len(lines) > 1 else " ".join(lines[0].split())
    return hashlib.sha256(read.encode()).hexdigest()
