"""Lists by tag, pin and place, and the history by category, are found by index. Memories are counted as they come."""

from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

from memoryd.ledger.columns import keys

revision = "0017"
down_revision = "0016"

_KIND = """CASE WHEN memory.category <> 'knowledge' OR memory.metadata NOT LIKE '%"document":%' THEN ''
    WHEN memory.metadata LIKE '%"stamp":%' THEN 'document' ELSE 'passage' END"""
"""What a memory counts as: '' itself; of a document the first passage as the document, the others as passages."""
_FILL = """
INSERT INTO memory_counts (owner, scope, project, category, state, kind, total)
SELECT owner, scope, project, category, state, KIND, count(*) FROM memories AS memory GROUP BY 1, 2, 3, 4, 5, 6
""".replace("KIND", _KIND)
_IN = """
INSERT INTO memory_counts (owner, scope, project, category, state, kind, total)
VALUES (new.owner, new.scope, new.project, new.category, new.state, KIND, 1)
ON CONFLICT (owner, scope, project, category, state, kind) DO UPDATE SET total = memory_counts.total + 1;
""".replace("KIND", _KIND.replace("memory.", "new."))
_OUT = """
UPDATE memory_counts SET total = total - 1 WHERE THIS;
DELETE FROM memory_counts WHERE THIS AND total = 0;
""".replace(
    "THIS",
    "owner = old.owner AND scope = old.scope AND project = old.project AND category = old.category "
    "AND state = old.state AND kind = " + _KIND.replace("memory.", "old."),
)
_CHANGES = "UPDATE OF owner, scope, project, category, state, metadata"


def upgrade() -> None:
    """Add columns, indexes and counts, and fill them from what is there."""
    newest = ["created_at", "number"]
    has_path = "metadata LIKE '%\"path\":%'"
    for name, columns, of_sqlite, of_postgresql in (
        ("ix_memories_project", ["owner", "project", *newest], "scope = 'project'", "scope = 'project'"),
        ("ix_memories_global", ["owner", *newest], "scope = 'global'", "scope = 'global'"),
        ("ix_memories_pinned", ["owner", *newest], "pinned = 1", "pinned"),
        ("ix_memories_files", ["owner", *newest], has_path, has_path),
    ):
        op.create_index(
            name, "memories", columns, sqlite_where=sa.text(of_sqlite), postgresql_where=sa.text(of_postgresql)
        )
    op.add_column("memory_tags", sa.Column("owner", sa.Text, nullable=False, server_default=""))
    op.add_column("memory_tags", sa.Column("created_at", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("memory_tags", sa.Column("number", sa.BigInteger, nullable=False, server_default="0"))
    op.execute("DELETE FROM memory_tags WHERE NOT EXISTS (SELECT 1 FROM memories WHERE id = memory_tags.memory_id)")
    op.execute(
        "UPDATE memory_tags SET (owner, created_at, number) = (SELECT memories.owner, memories.created_at, "
        "memories.number FROM memories WHERE memories.id = memory_tags.memory_id)"
    )
    op.create_index("ix_memory_tags_newest", "memory_tags", ["owner", "tag", *newest])
    op.add_column("history", sa.Column("category", sa.Text, nullable=False, server_default=""))
    op.execute(
        "UPDATE history SET category = "
        "coalesce((SELECT memories.category FROM memories WHERE memories.id = history.memory_id), '')"
    )
    op.create_index("ix_history_category", "history", ["owner", "category", "id"])
    op.create_table(
        "memory_counts",
        *keys(sa.Text, "owner scope project category state kind"),
        sa.Column("total", sa.BigInteger, nullable=False),
    )
    op.execute(sa.text(_FILL.replace(":", "\\:")))
    for statement in _triggers(op.get_bind().dialect.name):
        op.execute(sa.text(statement.replace(":", "\\:")))


def _triggers(dialect: str) -> Iterator[str]:
    """Yield what has the database count by itself: no write can forget it, in whichever copy of the ledger."""
    if dialect == "postgresql":
        yield (
            "CREATE OR REPLACE FUNCTION memory_counted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"IF TG_OP <> 'INSERT' THEN {_OUT} END IF; IF TG_OP <> 'DELETE' THEN {_IN} END IF; RETURN NULL; END $$"
        )
        yield (
            f"CREATE TRIGGER memory_counted AFTER INSERT OR DELETE OR {_CHANGES} ON memories "
            "FOR EACH ROW EXECUTE FUNCTION memory_counted()"
        )
    else:
        yield f"CREATE TRIGGER memory_counted_in AFTER INSERT ON memories BEGIN {_IN} END"
        yield f"CREATE TRIGGER memory_counted_out AFTER DELETE ON memories BEGIN {_OUT} END"
        yield f"CREATE TRIGGER memory_counted_again AFTER {_CHANGES} ON memories BEGIN {_OUT} {_IN} END"
