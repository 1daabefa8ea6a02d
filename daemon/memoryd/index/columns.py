"""Who may see what, as masks over columns in memory."""

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from memoryd.index.grown import Grown, Slots
from memoryd.index.kept import Arrays, Parts, named, under
from memoryd.index.lookup import Lists, Texts
from memoryd.index.words import storable
from memoryd_actors.memory.visibility import Visibility, micros
from memoryd_client.wire.filters import Filters

Mask = npt.NDArray[np.bool_]
_Value = TypeVar("_Value", bound=np.generic)
_NAMES = "owner", "scope", "project", "category", "state", "session", "agent", "role", "speaker"


class _Names:
    """A column of texts of which few are different, as numbers."""

    def __init__(self, kept: Arrays | None = None) -> None:
        texts = Texts(named("texts", kept) if kept else None)
        self._numbers = {texts[number]: number for number in range(len(texts))}
        self._column = Grown(np.int32, kept["numbers"] if kept else None)

    def parts(self) -> Parts:
        return {**under("texts", Texts().parts(self._numbers)), "numbers": [self._column.values]}

    def extend(self, texts: Any) -> None:
        coded = texts.combine_chunks().dictionary_encode()
        numbers = [self._numbers.setdefault(text, len(self._numbers)) for text in coded.dictionary.to_pylist()]
        self._column.extend(np.array(numbers, np.int32)[coded.indices.to_numpy()])

    def are(self, text: str, first: int) -> Mask:
        found: Mask = self._column.values[first:] == self._numbers.get(storable(text), -1)
        return found

    def are_among(self, texts: "frozenset[str] | tuple[str, ...]", first: int) -> Mask:
        wanted = [self._numbers.get(storable(text), -1) for text in texts]
        member = np.zeros(len(self._numbers) + 1, np.bool_)
        member[wanted] = True  # the last place is for what nothing has
        member[-1] = False
        return member[self._column.values[first:]]


class Columns:
    """What a memory is filtered by, for each slot."""

    def __init__(self, kept: Arrays | None = None) -> None:
        def column(name: str, kind: type[_Value]) -> Grown[_Value]:
            return Grown(kind, kept[name] if kept else None)

        self._living = column("living", np.bool_)
        self._names = {name: _Names(named(name, kept) if kept else None) for name in _NAMES}
        self._tags = Lists(named("tags", kept) if kept else None)
        self._pinned = column("pinned", np.bool_)
        self._importance = column("importance", np.int8)
        self._updated_at = column("updated_at", np.int64)
        self._sequence = column("sequence", np.int64)

    def parts(self) -> Parts:
        """Return what a file holds of them."""
        parts: Parts = under("tags", self._tags.parts())
        for name, names in self._names.items():
            parts |= under(name, names.parts())
        return parts | {
            "living": [self._living.values],
            "pinned": [self._pinned.values],
            "importance": [self._importance.values],
            "updated_at": [self._updated_at.values],
            "sequence": [self._sequence.values],
        }

    @property
    def living(self) -> Mask:
        """Whether each slot is in use."""
        return self._living.values

    def extend(self, rows: Any) -> None:
        """Append rows."""
        first = len(self._living.values)
        self._living.extend(np.ones(rows.num_rows, np.bool_))
        for name, column in self._names.items():
            column.extend(rows[name])
        self._pinned.extend(rows["pinned"].to_numpy())
        self._importance.extend(rows["importance"].to_numpy())
        self._updated_at.extend(rows["updated_at"].to_numpy())
        self._sequence.extend(rows["sequence"].to_numpy())
        tags = rows["tags"].combine_chunks()
        slots = np.repeat(np.arange(rows.num_rows), tags.value_lengths().to_numpy(zero_copy_only=False)) + first
        for tag, slot in zip(tags.flatten().to_pylist(), slots.tolist(), strict=True):
            self._tags.later(tag).append(slot)

    def bury(self, slots: "Slots | list[int]") -> None:
        """Show nobody any more what is in the slots."""
        self._living.values[slots] = False

    def sequence(self, slot: int) -> int:
        """Return the change that a slot reflects."""
        return int(self._sequence.values[slot])

    def seen(self, visible: Visibility, first: int = 0) -> Mask:
        """Return what a request may see of the slots from the first on: its owner's, then by whatever else it asks for.

        A memory needs one of the categories, one of the states, and all of the tags.
        """
        names, filters = self._names, visible.filters
        mask = self._living.values[first:] & names["owner"].are(visible.owner, first)
        if filters.scope != "everywhere":
            mask &= self._places(visible, first)
        if filters.states:
            mask &= names["state"].are_among(filters.states, first)
        if filters.categories:
            mask &= names["category"].are_among(filters.categories, first)
        if visible.allowed is not None:
            mask &= names["category"].are_among(visible.allowed, first)
        if visible.without:
            mask &= ~names["category"].are_among(visible.without, first)
        wanted = {"agent": filters.agent, "session": filters.session, "speaker": filters.speaker, "role": filters.role}
        for name, text in wanted.items():
            if text:
                mask &= names[name].are(text, first)
        for tag in filters.tags:
            mask &= self._tagged(tag, first)
        if filters.pinned is not None:
            mask &= self._pinned.values[first:] == filters.pinned
        return self._bounded(mask, filters, first)

    def _places(self, visible: Visibility, first: int) -> Mask:
        scope = self._names["scope"]
        if visible.filters.scope == "global":
            return scope.are("global", first)
        here = scope.are("project", first) & self._names["project"].are(visible.project, first)
        return here if visible.filters.scope == "project" else here | scope.are("global", first)

    def _tagged(self, tag: str, first: int) -> Mask:
        tagged = np.zeros(len(self._living.values) - first, np.bool_)
        slots = self._tags.of(storable(tag))
        tagged[slots[slots >= first] - first] = True
        return tagged

    def _bounded(self, mask: Mask, filters: Filters, first: int) -> Mask:
        if filters.importance_min is not None:
            mask &= self._importance.values[first:] >= filters.importance_min
        if filters.importance_max is not None:
            mask &= self._importance.values[first:] <= filters.importance_max
        if filters.updated_after is not None:
            mask &= self._updated_at.values[first:] >= micros(filters.updated_after)
        if filters.updated_before is not None:
            mask &= self._updated_at.values[first:] < micros(filters.updated_before)
        return mask
