"""Writes docs/cli.md from the commands' own help: `python -m memoryd_cli.reference > docs/cli.md`."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout

import typer

from memoryd_cli.app import command_line
from memoryd_cli.edge import run

_HEAD = """\
# The command line

Every command prints its results to stdout and everything else to stderr, and exits with 0 (done), 1 (failed), 2 (wrong
usage) or 3 (the daemon cannot be reached). On a terminal tables are drawn and cut at its edge; anywhere else they are
plain and whole. `--json` is described in [json.md](json.md). Ids may be shortened as far as they stay unambiguous.

| variable | what it sets |
|---|---|
| `MEMORYD_HOME` | the folder of data, sockets and settings, and so which daemon is meant |
| `MEMORYD_CONFIG`, `MEMORYD_RUNTIME_DIR` | the configuration file and the sockets' folder, where they lie elsewhere |
| `MEMORYD_SERVER`, `MEMORYD_KEY` | a daemon on a network, and the key file for it ([remote.md](remote.md)) |
| `MEMORYD_SESSION`, `_PROJECT`, `_AGENT`, `_OWNER`, `_AUTOSTART` | the options of that name |
| `MEMORYD_<SECTION>_<KEY>` | a setting of the daemon, above its file; `memoryd config list` names them |
| `MEMORYD_DEBUG` | shows the traceback of what failed |

This page is what `--help` prints, and a test keeps it so.
"""


def commands() -> Iterator[tuple[str, ...]]:
    """Yield every command as its words, groups before what is in them."""
    app = command_line(())
    yield ()
    for command in app.registered_commands:
        yield (_name(command),)
    yield from _groups(app, ())


def _groups(above: typer.Typer, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for group in above.registered_groups:
        if group.name and group.typer_instance:
            here = (*words, group.name)
            yield here
            for command in group.typer_instance.registered_commands:
                yield (*here, _name(command))
            yield from _groups(group.typer_instance, here)


def help_of(command: tuple[str, ...]) -> str:
    """Return what a command's --help prints, 80 columns wide."""
    os.environ["COLUMNS"] = "80"
    with redirect_stdout(io.StringIO()) as printed:
        run([*command, "--help"])
    return "\n".join(line.rstrip() for line in printed.getvalue().rstrip().splitlines())


def document() -> str:
    """Return the page."""
    pages = [f"## {' '.join(('memoryd', *words))}\n\n```\n{help_of(words)}\n```\n" for words in commands()]
    return "\n".join([_HEAD, *pages])


def _name(command: typer.models.CommandInfo) -> str:
    return command.name or (command.callback.__name__ if command.callback else "")


if __name__ == "__main__":
    sys.stdout.write(document())
