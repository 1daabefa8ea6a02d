"""The tool for documents: passages with their sources."""

from memoryd_client.tools.memories import Limit
from memoryd_client.tools.tool import Tool, day, short
from memoryd_client.wire.knowledge import KnowledgeHit, SearchKnowledge
from memoryd_client.wire.request import Ask


class KnowledgeSearch(Tool, frozen=True, kw_only=True):
    """Search the documents that the user gave to memory as knowledge; name the source of what you use."""

    name = "knowledge_search"
    title = "Search knowledge"
    reads = True

    query: str
    limit: Limit = 3

    async def answer(self, ask: Ask) -> str:
        """Return passages, each beneath its file, heading and lines."""
        answer = await ask(SearchKnowledge(query=self.query, limit=self.limit))
        passages = [f"[{source(hit)}]\n{hit.text}" for hit in answer.hits]
        if not passages:
            passages = [
                "Nothing found. Try other words; `memoryd knowledge list` shows the user which documents there are."
            ]
        return "\n\n".join([*passages, *([f"[{answer.note}]"] if answer.note else [])])


def source(hit: KnowledgeHit) -> str:
    """Say where a passage stands, and of when it is."""
    if not hit.path:
        return f"noted as knowledge, {day(hit.modified)}, {short(hit.id)}"
    parts = [hit.path]
    if span := hit.lines or hit.pages:
        unit = "line" if hit.lines else "page"
        parts.append(f"{unit} {span[0]}" if span[0] == span[1] else f"{unit}s {span[0]} to {span[1]}")
    if hit.heading:
        parts.append(f'under "{hit.heading}"')
    parts.append(f"of {day(hit.modified)}")
    if hit.gone:
        parts.append("the file is gone")
    return ", ".join(parts)
