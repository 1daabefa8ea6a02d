"""What the kinds of memory mean: how each comes into a context, and which agents may see it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from memoryd_actors.access.presets import AGENT, PRESETS, SEES, expanded
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.fusion import Ranked
from memoryd_actors.memory.settings import (
    BUILT_IN_CATEGORIES,
    BY_USER,
    CORRECTION,
    KNOWLEDGE,
    WRITTEN_CATEGORIES,
    CategorySettings,
    name_of,
)
from memoryd_actors.memory.visibility import Visibility
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.categories import CategoryInfo, CategoryList
from memoryd_client.wire.consent import Consent
from memoryd_client.wire.filters import Filters

_ALL = Filters()
DOCUMENTS: Final = frozenset({KNOWLEDGE})
"""Looked for apart from memories: among them their passages would take the places of what was told."""


class Categories:
    """The rules in force."""

    def __init__(
        self,
        settings: Mapping[str, CategorySettings] | None = None,
        allowlists: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Prepare; `settings` stand above what is built in, `allowlists` are categories and presets by agent.

        Raises:
            NoSuchPreset: an allowlist names one.
        """
        given = {name_of(name): rule for name, rule in (settings or {}).items()}
        self._settings = {**BUILT_IN_CATEGORIES, **given}
        self._written = {name_of(agent): expanded(names) for agent, names in (allowlists or {}).items()}
        self._allowlists = {
            agent: frozenset(name.removeprefix(SEES) for name in names) for agent, names in self._written.items()
        }
        self.always = frozenset(name for name, rule in self._settings.items() if rule.context == "all")
        """Categories that stand in every context."""
        self.kept_out = frozenset(name for name, rule in self._settings.items() if rule.context == "asked")
        """Categories that an ordinary recall does not consider."""
        self.limits = {name: rule.rag_length for name, rule in self._settings.items() if rule.rag_length}
        """Most candidates of a category in one context."""
        self.weights = {name: rule.weight for name, rule in self._settings.items() if rule.weight != 1.0}

    def allowed(self, agent: str) -> frozenset[str] | None:
        """Return the categories that an agent may see; None where it has no allowlist, and so all."""
        return self._allowlists.get(name_of(agent))

    def asked_through(self, caller: Caller, waiting: Iterable[Consent]) -> list[Consent]:
        """Return the proposals that a caller may read and ask the user about: of an agent with a list, its own.

        What waits for a yes tells of persons, and who has a list is there for something else.
        """
        if self.allowed(caller.agent) is None:
            return list(waiting)
        return [one for one in waiting if name_of(one.proposed_by) == name_of(caller.agent)]

    def listed(self, caller: Caller, counts: Mapping[str, int]) -> CategoryList:
        """Return the categories that a caller sees: those that memoryd or a setting names, and those with memories.

        `counts` has how many memories the caller sees in each.
        """
        allowed = self.allowed(caller.agent)
        lists = {
            agent: names
            for agent, names in self._allowlists.items()
            if allowed is None or agent == name_of(caller.agent)
        }
        names = {*counts, *WRITTEN_CATEGORIES, *self._settings, *(name for names in lists.values() for name in names)}
        known = sorted(name for name in (names if allowed is None else names & allowed) if not name.startswith(AGENT))
        infos = [
            CategoryInfo(
                name=name,
                memories=counts.get(name, 0),
                agents=tuple(sorted(agent for agent, listed in lists.items() if name in listed)),
                **msgspec.structs.asdict(self._settings.get(name, CategorySettings())),
            )
            for name in known
        ]
        return CategoryList(
            categories=tuple(infos),
            allowed=None if allowed is None else tuple(sorted(allowed)),
            allowlists={agent: tuple(sorted(self._written[agent])) for agent in sorted(lists)},
            presets=dict(PRESETS),
        )

    def may_see(self, agent: str, category: str) -> bool:
        """Return whether an agent may see a category."""
        allowed = self.allowed(agent)
        return allowed is None or category in allowed

    def may_write(self, agent: str, category: str) -> bool:
        """Return whether an agent may write a category: not all that it sees."""
        written = self._written.get(name_of(agent))
        return written is None or category in written

    def check_write(self, agent: str, category: str) -> None:
        """Let an agent write a category.

        Raises:
            Refused: it is not on its allowlist, or there to be seen only.
        """
        self.check(agent, [category])
        if not self.may_write(agent, name_of(category)):
            raise Refused(
                f"the agent `{agent}` sees the category `{name_of(category)}` and does not write it",
                f"Leave it to the user, or put `{name_of(category)}` on `allowlists.{agent}` in the configuration.",
            )

    def check_use(self, agent: str, category: str, *, writes: bool) -> None:
        """Let an agent read what is of a category, or write it.

        Raises:
            Refused: it may not.
        """
        if writes:
            self.check_write(agent, category)
        else:
            self.check(agent, [category])

    def manages(self, agent: str, others: Iterable[str]) -> bool:
        """Return whether an agent may look into sessions in which these agents speak, and manage what is kept of them.

        One that has an allowlist may where it names them: `agent:researcher`, or all of them: `agent:*`.
        """
        allowed = self.allowed(agent)
        if allowed is None or f"{AGENT}*" in allowed:
            return True
        children = {name_of(other) for other in others} - {name_of(agent)}
        return bool(children) and {f"{AGENT}{child}" for child in children} <= allowed

    def check(self, agent: str, categories: Iterable[str]) -> None:
        """Let an agent ask for these categories.

        Raises:
            Refused: one of them is not on its allowlist; the hint names those that are.
        """
        allowed = self.allowed(agent)
        if allowed is None:
            return
        refused = sorted({name_of(name) for name in categories} - allowed)
        if refused:
            several = "the categories" if len(refused) > 1 else "the category"
            named = ", ".join(f"`{name}`" for name in refused)
            may = ", ".join(f"`{name}`" for name in sorted(allowed)) or "none"
            raise Refused(
                f"the agent `{agent}` may not use {several} {named}; allowed: {may}",
                f"Ask for those, or extend `allowlists.{agent}` in the configuration.",
            )

    def visible(self, caller: Caller, filters: Filters = _ALL) -> Visibility:
        """Return what a caller sees who asks for memories himself.

        Raises:
            Refused: it asks for a category that it may not see.
        """
        self.check(caller.agent, filters.categories)
        # As they are stored: in lower case.
        filters = msgspec.structs.replace(filters, categories=tuple(map(name_of, filters.categories)))
        return Visibility(
            owner=caller.owner, project=caller.project, filters=filters, allowed=self.allowed(caller.agent)
        )

    def recalled(self, caller: Caller, filters: Filters = _ALL) -> Visibility:
        """Return what is considered for a caller's context: without what has to be asked for, and without documents.

        Raises:
            Refused: it asks for a category that it may not see.
        """
        visible = self.visible(caller, filters)
        return (
            visible
            if filters.categories
            else msgspec.structs.replace(visible, without=self.kept_out | DOCUMENTS, for_context=True)
        )

    def visible_always(self, caller: Caller) -> list[Visibility]:
        """Return what stands in a caller's context, by category: of corrections, what the user said, or pinned."""
        allowed = self.allowed(caller.agent)
        names = self.always if allowed is None else self.always & allowed
        return [
            msgspec.structs.replace(
                self.visible(caller, Filters(categories=(name,))), least_trust=BY_USER if name == CORRECTION else 0.0
            )
            for name in sorted(names)
        ]

    def room(self, shown: Iterable[str]) -> dict[str, int]:
        """Return how many more of each limited category may stand beside memories whose categories are `shown`."""
        counts = Counter(shown)
        return {name: most - counts[name] for name, most in self.limits.items()}

    def for_context(self, ranked: Sequence[Ranked], categories: Mapping[str, str]) -> list[Ranked]:
        """Return candidates, best first, weighed by their category and no more of one than a context takes.

        `categories` has the category of each candidate's id.
        """
        if not self.weights and not self.limits:
            return list(ranked)
        weighed = [
            msgspec.structs.replace(one, score=one.score * self.weights[categories[one.id]])
            if categories[one.id] in self.weights
            else one
            for one in ranked
        ]
        weighed.sort(key=lambda one: -one.score)
        counts: Counter[str] = Counter()
        kept: list[Ranked] = []
        for one in weighed:
            category = categories[one.id]
            counts[category] += 1
            if counts[category] <= self.limits.get(category, len(weighed)):
                kept.append(one)
        return kept
