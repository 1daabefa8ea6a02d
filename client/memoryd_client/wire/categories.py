"""The wire of categories: which there are, how each comes into a context, and who may see it."""

from typing import Literal

import msgspec

from memoryd_client.wire.request import Request


class CategoryInfo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One category."""

    name: str
    memories: int = 0
    """Active ones that the caller sees."""
    context: Literal["all", "rag", "asked"] = "rag"
    """all: stands in every context; rag: comes where it is relevant; asked: only where it is asked for by name."""
    rag_length: int = 0
    """At most so many are considered for one context; 0: as many as are relevant."""
    weight: float = 1.0
    """What its scores are multiplied by when a context is searched for."""
    agents: tuple[str, ...] = ()
    """Agents with an allowlist that has it; agents without one may use every category."""


class CategoryList(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="category_list"):
    """Categories by name, and allowlists."""

    categories: tuple[CategoryInfo, ...]
    allowed: tuple[str, ...] | None = None
    """What the caller's agent may see; None: all."""
    allowlists: dict[str, tuple[str, ...]] = {}
    """The allowlists in force, by agent; for an agent with one, its own. `see:rule` is seen and not written."""
    presets: dict[str, tuple[str, ...]] = {}
    """Allowlists that the configuration may name: `planner = ["@planner"]`."""


class ListCategories(Request[CategoryList], frozen=True, kw_only=True, omit_defaults=True, tag="categories"):
    """Which categories are there, those with memories, and those that memoryd or a setting names?"""

    scope: Literal["all", "project", "global", "everywhere"] = "all"
