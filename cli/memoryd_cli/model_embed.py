"""`memoryd model embed`: which embedding model the index is made with, which others there are, and the way to them."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import Json, connect, examples
from memoryd_cli.base.output import note, out, out_json, table
from memoryd_cli.configuration import configured
from memoryd_client.base.errors import DaemonUnreachable, DeadlineExceeded
from memoryd_client.base.paths import Paths
from memoryd_client.base.wording import sentence

if TYPE_CHECKING:
    from memoryd.config import Config, EmbeddingConfig
    from memoryd.embedding.model import ModelSpec
    from memoryd_client.wire.status import ComponentStatus

group = typer.Typer(
    help="The model that makes vectors of texts: which one serves, which others there are, and a change of it.",
    rich_markup_mode=None,
    epilog=examples("memoryd model embed", "memoryd model embed use bge-small", "memoryd model embed undo"),
)
Wait = Annotated[bool, typer.Option("--wait", help="Wait until the other model serves.")]
POLL_S = 0.3


@group.callback(invoke_without_command=True)
def show(context: typer.Context, *, as_json: Json = False) -> None:
    """Print which model serves, how far a change is, and the catalogue."""
    if context.invoked_subcommand is not None:
        return
    from memoryd.embedding.build import described
    from memoryd.embedding.catalogue import CATALOGUE
    from memoryd.embedding.generations import at_start
    from memoryd.embedding.obtain import is_installed

    paths, config = Paths.from_environment(), configured()
    noted = at_start(paths, config.embedding)
    kept = noted.previous.spec.identity if noted.previous else ""
    status = _status()
    facts = status.facts if status else {}
    installed = {one.name for one in CATALOGUE if is_installed(one, paths.models)}
    serving = facts.get("serving", noted.active.spec.identity)
    if as_json:
        out_json(
            {
                "serving": serving,
                "previous": kept,
                "wanted": config.embedding.model,
                "building": facts.get("building", ""),
                "progress": status.numbers if status else {},
                "problem": status.message if status else "",
                "catalogue": [
                    {
                        "name": one.name,
                        "repository": one.repository,
                        "dimensions": one.dimensions,
                        "query_prefix": one.query_prefix,
                        "document_prefix": one.document_prefix,
                        "languages": one.languages,
                        "size_mb": one.size_mb,
                        "licence": one.licence,
                        "installed": one.name in installed,
                    }
                    for one in CATALOGUE
                ],
            }
        )
        return
    out(f"{serving} serves{f'; {kept} is kept to go back to' if kept else ''}")
    if status is None and _named(described(config.embedding)) != _named(noted.active.spec):
        out(f"{config.embedding.model} is to take its place; `memoryd start` begins with it")
    if status is not None and (told := _progress(status)):
        out(told)
    out("\nThe catalogue; any ONNX or sentence-transformers folder will do, too:")
    table(
        ("name", "dimensions", "languages", "MB", "licence", "is here"),
        [
            (
                one.name,
                str(one.dimensions),
                one.languages,
                str(one.size_mb),
                one.licence,
                "yes" if one.name in installed else "",
            )
            for one in CATALOGUE
        ],
        right=("dimensions", "MB"),
    )


@group.command(
    epilog=examples(
        "memoryd model embed use multilingual-e5-small",
        "memoryd model embed use bge-small --folder ~/models/bge-small-en-v1.5",
        "memoryd model embed use ~/models/my-own-model --wait",
    )
)
def use(
    model: Annotated[str, typer.Argument(metavar="NAME|FOLDER", help="One of the catalogue, or a model's folder.")],
    *,
    folder: Annotated[str, typer.Option(metavar="FOLDER", help="Where the files of NAME are.")] = "",
    precision: Annotated[Literal["fp32", "int8"], typer.Option(help="int8: half the size, a little worse.")] = "fp32",
    wait: Wait = False,
) -> None:
    """Change to another model: it is tried out, all is embedded anew in the background, and then it serves."""
    from memoryd.embedding.catalogue import find
    from memoryd.embedding.folder import GRAPHS

    published = find(model)
    files = folder if published else model
    place = Path(files).expanduser().absolute() if files else None
    if published is None and (place is None or not place.is_dir()):
        raise CommandFailed(
            f"{model} is neither in the catalogue nor a folder; nothing was changed",
            "`memoryd model embed` shows the catalogue.",
        )
    wanted = {
        "model": published.repository if published else place.name if place else "",
        "folder": str(place) if place else "",
        "precision": precision,
        "backend": "onnx"
        if published or place is None or any((place / graph).is_file() for graph in GRAPHS)
        else "sentence-transformers",
    }
    _change(wanted, wait=wait)


@group.command(epilog=examples("memoryd model embed undo", "memoryd model embed undo --wait"))
def undo(*, wait: Wait = False) -> None:
    """Break off a change that is under way, or go back to the model before; its index is kept until the next change."""
    from memoryd.embedding.build import described
    from memoryd.embedding.generations import at_start

    config = configured().embedding
    noted = at_start(Paths.from_environment(), config)
    target = noted.active.spec
    if _named(described(config)) == _named(target):
        if noted.previous is None:
            raise CommandFailed("there is no model to go back to", "`memoryd model embed use NAME` changes it.")
        target = noted.previous.spec
    model, folder, precision, backend = _named(target)
    _change({"model": model, "folder": folder, "precision": precision, "backend": backend}, wait=wait)


def _change(wanted: dict[str, str], *, wait: bool) -> None:
    """Try a model out, write it into the configuration, and have the daemon change to it."""
    import msgspec

    from memoryd.config import ConfigInvalid, load
    from memoryd_cli.settings import change

    paths, config = Paths.from_environment(), configured()
    embedding = msgspec.convert({**msgspec.to_builtins(config.embedding), **wanted}, type(config.embedding))
    spec = _tried(embedding, paths, config)
    try:
        before = load(paths.config, {}).embedding
        for key, value in wanted.items():
            if getattr(before, key) != value:
                change(paths.config, f"embedding.{key}", value)
    except ConfigInvalid as invalid:
        raise CommandFailed(str(invalid), "`memoryd config set` or an editor mends it.") from invalid
    if _named(configured().embedding) != _named(embedding):
        raise CommandFailed(
            "an environment variable MEMORYD_EMBEDDING_* names another model than the configuration",
            "Take it away, and run this again.",
        )
    note(f"{spec.identity} works, {spec.dimensions} dimensions; wrote {paths.config}")
    try:
        with connect("", "", "cli", "local", autostart=False) as memory:
            note(memory.reembed())
    except DaemonUnreachable:
        if wait:
            raise
        note("no daemon runs: the change begins when it starts")
        return
    if wait:
        _wait_for(spec.identity)


def _tried(embedding: "EmbeddingConfig", paths: Paths, config: "Config") -> "ModelSpec":
    """Fetch a model where it is not here, run it once, and return what it is."""
    from memoryd_actors.core.errors import DaemonError

    try:
        from memoryd.embedding.build import resolve

        return resolve(embedding, models=paths.models, offline=config.privacy.offline)
    except ModuleNotFoundError as exc:
        raise CommandFailed(f"the package {exc.name} is not installed", "pip install 'memoryd[daemon]'") from exc
    except DaemonError as problem:
        raise CommandFailed(f"{problem}; nothing was changed", getattr(problem, "hint", "")) from problem


def _wait_for(identity: str) -> None:
    """Wait until a model serves, and show how far it is on a terminal."""
    begun = time.monotonic()
    with connect("", "", "cli", "local", autostart=False) as memory:
        while (status := memory.status().components["embedding"]).facts.get("serving") != identity:
            if status.state == "degraded":
                raise CommandFailed(status.message, status.hint)
            if sys.stderr.isatty():
                sys.stderr.write(f"\r\033[K{_progress(status)}")
            time.sleep(POLL_S)
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
    out(f"{identity} serves after {time.monotonic() - begun:.1f} s")


def _progress(status: "ComponentStatus") -> str:
    if status.message:
        return sentence(status.message, status.hint)
    if not (building := status.facts.get("building", "")):
        return ""
    numbers = {name: int(number) for name, number in status.numbers.items()}
    behind = numbers.get("messages_behind", 0)
    told = f"{building} is on its way: {numbers.get('applied', 0)} of {numbers.get('target', 0)} changes"
    return f"{told}, {behind} messages to come" if behind else told


def _status() -> "ComponentStatus | None":
    """Return what a running daemon says of its embedding model; None where none answers."""
    try:
        with connect("", "", "cli", "local", autostart=False) as memory:
            return memory.status().components.get("embedding")
    except (DaemonUnreachable, DeadlineExceeded):
        return None


def _named(model: "EmbeddingConfig | ModelSpec") -> tuple[str, str, str, str]:
    return model.model, model.folder, model.precision, model.backend
