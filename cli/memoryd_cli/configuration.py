"""`memoryd config`: look at settings and change them, without touching the rest of the file."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from memoryd_cli.base import completion, toml_edit
from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import Json, examples
from memoryd_cli.base.output import explained, note, on_terminal, out, out_json, table
from memoryd_client.base.paths import Paths

if TYPE_CHECKING:
    from memoryd.config import Config

group = typer.Typer(
    help="Look at settings and change them. A change is in force once the daemon has been started anew.",
    rich_markup_mode=None,
    no_args_is_help=True,
    epilog=examples("memoryd config list", "memoryd config set recall.maximum_surfaced 3"),
)


def _names(incomplete: str) -> completion.Offered:
    """Return the settings for a shell to offer, each with what it means."""
    from memoryd_cli.settings import settings

    found, _ = settings(Paths.from_environment().config, os.environ)
    return completion.fitting(incomplete, ((one.name, one.meaning) for one in found))


Name = Annotated[
    str,
    typer.Argument(
        metavar="SECTION.KEY",
        autocompletion=_names,
        help="The setting, as `memoryd config list` names it.",
    ),
]
_ALLOWLISTS = "allowlists"
_MEND = "`memoryd config set` or an editor mends it."
SECRET = frozenset({"sidecar.api_key", "sidecar.openai_api_key"})


@group.command(
    "list", epilog=examples("memoryd config list", "memoryd config list consolidation", "memoryd config list --json")
)
def list_(
    section: Annotated[str, typer.Argument(metavar="[SECTION]", help="Only the settings of this section.")] = "",
    *,
    as_json: Json = False,
) -> None:
    """Print every setting, its value, where the value comes from and what it means."""
    from memoryd.config import unread
    from memoryd_cli.settings import settings

    found, problem = settings(Paths.from_environment().config, os.environ)
    if section:
        sections = sorted({_ALLOWLISTS, *(_section(one.name) for one in found)})
        found = [one for one in found if _section(one.name) == section]
        if not found and section == _ALLOWLISTS:
            note("no agent has an allowlist: `memoryd config set allowlists.AGENT` gives it one")
        elif not found:
            raise CommandFailed(f"there is no section {section!r}", f"There are {', '.join(sections)}.")
    if as_json:
        shown = [(one, _masked(one.name, one.value)) for one in found]
        out_json(
            [
                {"name": one.name, "value": value, "default": one.default, "from": one.origin, "meaning": one.meaning}
                for one, value in shown
            ]
        )
    else:
        rows = [(one.name, toml_edit.literal(_masked(one.name, one.value)), one.origin, one.meaning) for one in found]
        if on_terminal():  # four columns leave a sentence no room
            explained([(f"{name} = {value} ({origin})", meaning) for name, value, origin, meaning in rows])
        else:
            table(("setting", "value", "from", "meaning"), rows)
    for sentence in unread(os.environ).values():
        note(f"warning: {sentence}")
    if problem:
        raise CommandFailed(f"{problem}; what is printed leaves out what cannot be read", _MEND)


@group.command(epilog=examples("memoryd config get embedding.precision"))
def get(name: Name, *, as_json: Json = False) -> None:
    """Print the value of one setting that is in force."""
    from memoryd_cli.settings import settings

    found, problem = settings(Paths.from_environment().config, os.environ)
    if problem:
        raise CommandFailed(problem, _MEND)
    for one in found:
        if one.name == name:
            value = _masked(name, one.value)
            if as_json:
                out_json(value)
            else:
                out(value if isinstance(value, str) else toml_edit.literal(value))
            return
    raise CommandFailed(f"there is no setting {name!r}", "`memoryd config list` prints them all.")


@group.command("set", epilog=examples("memoryd config set embedding.precision int8"))
def set_(name: Name, value: Annotated[str, typer.Argument(metavar="VALUE", help="The new value.")]) -> None:
    """Write one setting into the configuration file; comments and everything else in it stay as they are."""
    _change(name, value)


@group.command(epilog=examples("memoryd config unset recall.maximum_surfaced"))
def unset(name: Name) -> None:
    """Take one setting out of the configuration file: its default is in force again."""
    _change(name, None)


def _change(name: str, value: str | None) -> None:
    from memoryd.config import ConfigInvalid
    from memoryd_cli.settings import change

    paths = Paths.from_environment()
    if name == "embedding.model" and value is not None:
        _check_can_run(value)
    try:
        change(paths.config, name, value)
    except ConfigInvalid as invalid:
        raise CommandFailed(str(invalid), "Nothing was changed.") from invalid
    variable = f"MEMORYD_{name.replace('.', '_')}".upper()
    if variable in os.environ:
        note(f"note: {variable} is set in this shell and stands above the file")
    note(f"wrote {paths.config}; `memoryd restart` makes it take effect")


def _check_can_run(model: str) -> None:
    """Raise CommandFailed where nobody would know where to find an embedding model of that name."""
    from memoryd.embedding.catalogue import CATALOGUE

    embedding = configured().embedding
    known = {name for one in CATALOGUE for name in (one.name, one.repository)}
    if model not in known and not embedding.folder and embedding.backend == "onnx":
        raise CommandFailed(
            f"no embedding model is known as {model!r}, so nothing was changed",
            "`memoryd model embed` shows those there are, and changes to one of them or to a folder.",
        )


def configured() -> "Config":
    """Return the configuration in force; raise CommandFailed where it cannot be read."""
    from memoryd.config import ConfigInvalid, load

    try:
        return load(Paths.from_environment().config)
    except ConfigInvalid as invalid:
        raise CommandFailed(str(invalid), _MEND) from invalid


def _section(name: str) -> str:
    return name.split(".", 1)[0]


def _masked(name: str, value: toml_edit.TomlValue) -> toml_edit.TomlValue:
    return "(set)" if name in SECRET and value else value
