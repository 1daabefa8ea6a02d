"""What is known about what a conversation speaks of."""

from memoryd_actors.access.categories import Categories
from memoryd_actors.core.errors import Refused
from memoryd_actors.searching.search import LONGEST_QUERY, Searcher
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import ID_PREFIX

MOST = 12
"""Memories that a model is shown, so that it does not find them again."""
SEARCH_S = 20.0
SHORT_ID = 10
"""Characters of an id by which a model names one: 50 bits."""


class Nearby:
    """Finds memories that a text is about."""

    def __init__(self, searcher: Searcher, categories: Categories) -> None:
        self._searcher = searcher
        self._categories = categories

    async def near(self, text: str, caller: Caller) -> tuple[str, ...]:
        """Return what is known about a text, each with the beginning of its id; nothing where it cannot be searched."""
        if not text.strip():
            return ()
        visible = self._categories.visible(caller)
        try:
            found = await self._searcher.search(text[:LONGEST_QUERY], visible, limit=MOST, deadline_s=SEARCH_S)
        except Refused:
            return ()
        return tuple(f"{hit.id.removeprefix(ID_PREFIX)[:SHORT_ID]}: {hit.summary}" for hit in found.hits)
