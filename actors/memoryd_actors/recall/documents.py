"""Passages of documents that are relevant to a context, found and judged apart from memories.

Among memories they would take the places of what was told, and change how rare each word is: with 405 passages of
documents that had nothing to do with it, what agents had in their context of what they needed fell from .598 to .559,
and turns on which nothing is needed were quiet .970 of the time instead of .993 (benchmarks/daily).
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

import msgspec

from memoryd_actors.access.categories import Categories
from memoryd_actors.judging.local_judge import LocalJudge
from memoryd_actors.memory.settings import KNOWLEDGE
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.embedder import Vector
from memoryd_actors.recall.focus import Focus
from memoryd_actors.recall.stages import Stages
from memoryd_actors.recall.weighing import Weighed, Weighing
from memoryd_actors.searching.search import Searcher
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.filters import Filters

JUDGED = 10
MOST_PASSAGES = 3
"""In one context, unless `categories.knowledge.rag_length` says otherwise: as many as `knowledge_search` gives."""
THRESHOLD = 0.75
"""The likelihood that the best passage has to reach. On 390 turns of the daily sets, whose persons work on something
else, passages come up on 2 (7 at 0.5, 15 at 0.2, as for memories); of 30 questions that documents answer 14 bring up
the right one (19 at 0.5). Turns that need nothing are quiet .985 of the time (.978 at 0.5, .993 without documents)."""
BELOW = 0.99
"""Of the lowest score of a memory, the most that a passage beside it has: what was told comes first."""


class DocumentRecall:
    """Finds passages for contexts."""

    def __init__(self, searcher: Searcher, categories: Categories, *, owners: AbstractSet[str]) -> None:
        """Prepare; of others than these `owners` there are no documents."""
        self._searcher = searcher
        self._weighing = Weighing(LocalJudge(threshold=THRESHOLD), searcher, categories, judged=JUDGED, relatives=None)
        self._categories = categories
        self._owners = owners

    async def beside(
        self,
        weighed: Weighed,
        focus: Focus,
        query: Vector | None,
        caller: Caller,
        stages: Stages,
        *,
        known: Mapping[str, str],
        stored: int,
    ) -> Weighed:
        """Return what was weighed, with the passages that are relevant, too."""
        most = self._categories.limits.get(KNOWLEDGE, MOST_PASSAGES)
        asked_for_only = KNOWLEDGE in self._categories.kept_out
        if caller.owner not in self._owners or asked_for_only or not self._categories.may_see(caller.agent, KNOWLEDGE):
            return weighed
        visible = Visibility(owner=caller.owner, project=caller.project, filters=Filters(categories=(KNOWLEDGE,)))
        with stages.stage("documents"):
            sifted = await self._searcher.sift(
                vector=query, words=focus.text, visible=visible, limit=2 * JUDGED, exclude=known, stored=stored
            )
            found = await self._weighing.weigh(focus, sifted, visible, Stages(), known=known)
        lowest = min((memory.score for memory in weighed.kept), default=1.0) * BELOW
        passages = sorted(found.kept, key=lambda one: -one.score)[:most]
        kept = [msgspec.structs.replace(one, score=min(one.score, lowest)) for one in passages]
        return Weighed((*weighed.kept, *kept), (*weighed.candidates, *found.candidates), weighed.judge or found.judge)
