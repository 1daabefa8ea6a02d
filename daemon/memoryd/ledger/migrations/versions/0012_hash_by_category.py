"""The same words of two categories, files or rules are two memories: every other hash than a fact's is made anew.

The new hash tells more apart than the old one, so none that were two become one.
"""

import hashlib
import json
import re
import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

_BATCH = 500
_memories = sa.table(
    "memories",
    sa.column("number", sa.BigInteger),
    sa.column("content", sa.Text),
    sa.column("category", sa.Text),
    sa.column("title", sa.Text),
    sa.column("metadata", sa.Text),
    sa.column("content_hash", sa.Text),
)


def upgrade() -> None:
    """Make the hashes anew."""
    connection = op.get_bind()
    columns = _memories.c
    query = sa.select(columns.number, columns.content, columns.category, columns.title, columns.metadata)
    query = query.where(columns.content_hash != "", columns.category != "fact").order_by(columns.number).limit(_BATCH)
    change = sa.update(_memories).where(columns.number == sa.bindparam("at")).values(content_hash=sa.bindparam("hash"))
    done = 0
    while rows := connection.execute(query.where(columns.number > done)).all():
        made = [{"at": row.number, "hash": _hash(row.content, row.category, row.title, row.metadata)} for row in rows]
        connection.execute(change, made)
        done = rows[-1].number


def _hash(content: str, category: str, title: str, metadata: str) -> str:
    lines = unicodedata.normalize("NFC", content).strip().replace("\r\n", "\n").split("\n")
    read = "\n".join(line.rstrip() for line in lines) if len(lines) > 1 else " ".join(lines[0].split())
    name = json.loads(metadata or "{}").get("path", "") if category == "file" else ""
    if category in {"rule", "profile"}:
        name = re.sub(r"[\W_]+", "", title.casefold())
    return hashlib.sha256("\0".join((category, name, read)).encode()).hexdigest()
