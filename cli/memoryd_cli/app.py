"""Every command, in the order in which `memoryd --help` lists them."""

from contextlib import AbstractContextManager
from typing import Annotated, Any, Protocol

import typer
from typer.core import TyperGroup

from memoryd_cli import (
    agent,
    categories,
    checkpoints,
    configuration,
    consent,
    consolidation,
    data,
    editing,
    events,
    files,
    inspection,
    keys,
    knowledge,
    lifecycle,
    memories,
    mirror,
    model,
    purging,
    query,
    review,
    service,
    session,
    switch,
    transfer,
)
from memoryd_cli import core_memory as core
from memoryd_cli.base.output import out
from memoryd_cli.connect import commands as connecting
from memoryd_cli.mcp import command
from memoryd_cli.ui import command as ui

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


def _print_version(wanted: bool) -> None:
    if wanted:
        from memoryd_client.version import VERSION

        out(f"memoryd {VERSION}")
        raise typer.Exit


@app.callback()
def memoryd(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Long-term memory for AI agents, served one turn behind by a daemon on your own machine."""


for module in (
    lifecycle,
    inspection,
    ui,
    events,
    memories,
    query,
    categories,
    editing,
    purging,
    switch,
    agent,
    transfer,
    data,
    consolidation,
    review,
    connecting,
    command,
):
    module.add_to(app)
app.add_typer(consent.group, name="consent")
app.add_typer(core.group, name="core")
app.add_typer(files.group, name="fs")
app.add_typer(knowledge.group, name="knowledge")
app.add_typer(checkpoints.group, name="checkpoint")
app.add_typer(keys.group, name="keys")
app.add_typer(service.group, name="service")
app.add_typer(session.group, name="session")
app.add_typer(configuration.group, name="config")
app.add_typer(model.group, name="model")
app.add_typer(mirror.group, name="mirror")
