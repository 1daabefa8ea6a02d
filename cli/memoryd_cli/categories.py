"""`memoryd categories`: which kinds of memory there are, how each comes into a context, and who may see which."""

from typing import TYPE_CHECKING

import typer

from memoryd_cli.base.options import InProject, Json, Reach, examples, placed
from memoryd_cli.base.output import note, out, out_json, printable, table

if TYPE_CHECKING:
    from memoryd_client.wire.categories import CategoryInfo

_CONTEXT = {"all": "always", "rag": "where relevant", "asked": "by name"}


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(
        epilog=examples(
            "memoryd categories",
            "memoryd categories --scope everywhere --json",
            "memoryd config set allowlists.my-planner @planner",
        )
    )(categories)


@placed
def categories(
    *,
    scope: Reach = "all",
    at: InProject,
    as_json: Json = False,
) -> None:
    """List the categories with how many memories are in each, and the allowlists of agents.

    An allowlist names categories, or a preset with an @: `memoryd config set allowlists.AGENT @planner`.
    """
    with at.connect() as memory:
        found = memory.categories(scope=scope)
    if as_json:
        out_json(found)
        return
    table(
        ("category", "memories", "in a context", "agents"),
        [(printable(one.name), str(one.memories), _context(one), ", ".join(one.agents)) for one in found.categories],
        right=("memories",),
        gives_way=("agents", "in a context"),
    )
    out()
    lists = [(f"allowlists.{agent}", ", ".join(names)) for agent, names in found.allowlists.items()]
    lists += [(f"@{name}", ", ".join(names)) for name, names in found.presets.items()]
    table(("allowlist", "categories"), lists, wrap=True)
    if found.allowed is not None:
        note(printable(f"the agent {at.agent} sees and writes {', '.join(found.allowed) or 'nothing'}"))


def _context(category: "CategoryInfo") -> str:
    most = f", at most {category.rag_length}" if category.rag_length else ""
    less = f", weight {category.weight:g}" if category.weight != 1 else ""
    return f"{_CONTEXT[category.context]}{most}{less}"
