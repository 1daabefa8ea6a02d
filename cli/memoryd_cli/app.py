"""Every command, in the order in which `memoryd --help` lists them."""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Annotated, Any, Final, Protocol

import typer
from typer.core import TyperGroup

from memoryd_cli.base.output import out

_COMMANDS: Final = {
    "lifecycle": ("run", "serve", "start", "stop", "restart"),
    "inspection": ("status", "logs", "watch", "doctor", "demo"),
    "ui.command": ("ui",),
    "events": ("events",),
    "memories": ("add", "search", "recall", "list", "show", "read", "forget", "restore", "history"),
    "query": ("query",),
    "categories": ("categories",),
    "editing": ("edit", "update", "undo", "relate", "unrelate"),
    "purging": ("purge",),
    "switch": ("off", "on"),
    "agent": ("push", "take", "why"),
    "transfer": ("import", "export"),
    "data": ("backup", "reindex"),
    "consolidation": ("consolidate",),
    "review": ("review",),
    "connect.commands": ("connect", "disconnect", "connections"),
    "mcp.command": ("mcp",),
}
"""The commands that each module adds."""
_GROUPS: Final = {
    "consent": "consent",
    "core": "core_memory",
    "fs": "files",
    "knowledge": "knowledge",
    "checkpoint": "checkpoints",
    "keys": "keys",
    "service": "service",
    "session": "session",
    "config": "configuration",
    "model": "model",
    "mirror": "mirror",
}
"""Commands that have commands of their own, and the module of each."""
_KNOWN: Final = frozenset(name for names in (*_COMMANDS.values(), _GROUPS) for name in names)
_COMPLETION: Final = "_MEMORYD_COMPLETE"
"""The variable by which a shell asks what may come next."""
_SECTIONS = {
    "The daemon": (
        "run",
        "serve",
        "start",
        "stop",
        "restart",
        "status",
        "logs",
        "watch",
        "ui",
        "events",
        "doctor",
        "on",
        "off",
        "keys",
        "service",
        "demo",
    ),
    "Memories": (
        "add",
        "search",
        "query",
        "recall",
        "list",
        "categories",
        "show",
        "read",
        "edit",
        "update",
        "relate",
        "unrelate",
        "forget",
        "restore",
        "purge",
        "undo",
        "history",
        "consent",
    ),
    "For agents": ("push", "take", "why", "session", "core", "fs", "knowledge", "checkpoint"),
    "Data": ("import", "export", "mirror", "backup", "reindex", "consolidate", "review"),
    "Agents' programs": ("connect", "disconnect", "connections", "mcp"),
    "Settings": ("config", "model"),
}


class _HelpFormatter(Protocol):
    """The part of typer's formatter that is used here; typer has no public name for it."""

    def section(self, name: str) -> AbstractContextManager[None]: ...
    def write_dl(self, rows: list[tuple[str, str]]) -> None: ...


class _Sections(TyperGroup):
    """Lists the commands by what they are for."""

    def invoke(self, ctx: Any) -> object:
        """Run a command; an option that it does not know may have been meant as a text."""
        try:
            return super().invoke(ctx)
        except typer.TyperException as wrong:
            asked: typer.Context | None = getattr(wrong, "ctx", None)
            arguments = [] if asked is None else [getattr(one, "metavar", "") or "" for one in asked.command.params]
            takes_text = any("TEXT" in metavar or "QUERY" in metavar for metavar in arguments)
            # Where it resembles an option, typer names that one.
            if takes_text and not getattr(wrong, "possibilities", True):
                wrong.message += "; a text that begins with a dash goes after `--`"
            raise

    def format_commands(self, ctx: object, formatter: _HelpFormatter) -> None:
        for title, names in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(66)) for name in names])


def _print_version(wanted: bool) -> None:
    if wanted:
        from memoryd_client.version import VERSION

        out(f"memoryd {VERSION}")
        raise typer.Exit


def command_line(arguments: Sequence[str]) -> typer.Typer:
    """Return the application as far as these arguments need it: one command, where they begin with its name.

    Importing and describing all hundred takes a third of a second of a slow machine, longer than most of them.
    """
    # No rich markup: help stays plain text that pipes well, and rich is not imported to print it.
    app = typer.Typer(
        cls=_Sections,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="\b\nExit codes: 0 done, 1 failed, 2 usage, 3 daemon not reachable.\n"
        "Results go to stdout, everything else to stderr. MEMORYD_HOME chooses the daemon.",
    )
    app.callback()(memoryd)
    first = next(iter(arguments), "")
    alone = first in {*_KNOWN, "--version"} and _COMPLETION not in os.environ
    for module, names in _COMMANDS.items():
        if not alone or first in names:
            import_module(f"memoryd_cli.{module}").add_to(app)
    for name, module in _GROUPS.items():
        if not alone or first == name:
            app.add_typer(import_module(f"memoryd_cli.{module}").group, name=name)
    return app


def memoryd(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Long-term memory for AI agents, served one turn behind by a daemon on your own machine."""
