"""What is known about what a conversation speaks of."""

from memoryd_actors.access.categories import Categories
from memoryd_actors.core.errors import Refused
from memoryd_actors.searching.search import LONGEST_QUERY, Searcher
from memoryd_client.wire.caller import Caller

MOST = 12
"""Memories that a model is shown, so that it does not find them again."""
SEARCH_S = 20.0


class Nearby:
    """Finds memories that a text is about."""

    def __init__(self, searcher: Searcher, categories: Categories) -> None:
        self._searcher = searcher
        self._categories = categories

    async def near(self, text: str, caller: Caller) -> tuple[str, ...]:
        """Return what is known about a text, best first; nothing where it cannot be searched now."""
        if not text.strip():
            return ()
        visible = self._categories.visible(caller)
        try:
            hits = await self._searcher.search(text[:LONGEST_QUERY], visible, limit=MOST, deadline_s=SEARCH_S)
        except Refused:
            return ()
        return tuple(hit.summary for hit in hits)
