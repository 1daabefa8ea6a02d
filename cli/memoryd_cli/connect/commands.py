"""Commands that connect agents' programs to the daemon, and disconnect them."""

import os
from pathlib import Path
from typing import Annotated

import typer

from memoryd_cli.base import completion
from memoryd_cli.base.failures import FAILED, CommandFailed
from memoryd_cli.base.options import Json, examples
from memoryd_cli.base.output import note, out, out_json, table, write
from memoryd_cli.connect import codex
from memoryd_cli.connect.changes import Change, Connector, read
from memoryd_cli.connect.hosts import HOSTS, Host, Scene
from memoryd_client.base.errors import MemorydError
from memoryd_client.base.paths import Paths
from memoryd_client.base.wording import sentence
from memoryd_client.project import project_root


def _hosts(incomplete: str) -> completion.Offered:
    """Return the programs that can be connected for a shell to offer."""
    return completion.fitting(incomplete, [*((name, host.title) for name, host in HOSTS.items()), ("all", "")])


Names = Annotated[list[str] | None, typer.Argument(metavar="[HOST...]", autocompletion=_hosts, help="Which, or `all`.")]
InProjectOnly = Annotated[bool, typer.Option("--project", help="Only the project of the current folder.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")]


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command(
        epilog=examples("memoryd connect", "memoryd connect claude codex --trust", "memoryd connect all --dry-run")
    )(connect)
    app.command(epilog=examples("memoryd disconnect gemini", "memoryd disconnect all"))(disconnect)
    app.command(epilog=examples("memoryd connections", "memoryd connections --json"))(connections)


def connect(
    names: Names = None,
    *,
    project: InProjectOnly = False,
    dry_run: DryRun = False,
    trust: Annotated[bool, typer.Option("--trust", help="Have Codex trust the hooks, too.")] = False,
) -> None:
    """Give agents' programs memory: Claude Code, Codex, Gemini CLI and others. Without a name, list them.

    Adds hooks, the MCP server and, where there are no hooks, a paragraph of instructions to the program's own files.
    What stands there stays, and `memoryd disconnect` takes it all away again. Starts the daemon where none runs.
    """
    if not names:
        connections(as_json=False)
        return
    connector = _connector(project=project)
    failures = 0
    for host in _chosen(names, connector, connected=False):
        try:
            _connect(connector, host, dry_run=dry_run, trust=trust)
        except MemorydError as failed:
            failures += 1
            note(f"{host.name}: {sentence(str(failed), failed.hint)}")
    if not dry_run and connector.journal().files:
        _start(connector.paths)
    if failures:
        raise typer.Exit(FAILED)


def _connect(connector: Connector, host: Host, *, dry_run: bool, trust: bool) -> None:
    scene = connector.scene
    if scene.project is not None and not host.in_projects:
        raise CommandFailed(f"{host.title} keeps nothing in projects", "Connect it without `--project`.")
    changes = connector.connecting(host)
    if dry_run:
        _show(changes, connector)
        _paste(host, changes)
        return
    connector.apply(changes)
    written = sum(change.real for change in changes)
    done = f"connected, {written} file{'s' * (written != 1)} written" if written else "connected already"
    out(f"{host.name}: {done}; programs that are open have to be started again" if written else f"{host.name}: {done}")
    if host.also:
        note(host.also)
    if host.name == "codex" and (trust or written):
        _trust(connector, host, trust=trust)
    _paste(host, changes)


def _paste(host: Host, changes: list[Change]) -> None:
    """Say what could not be written, and so has to be put in by hand.

    Raises:
        CommandFailed: there is something.
    """
    left = [change for change in changes if change.paste]
    for change in left:
        note(f"{host.name}: {change.path}: {change.why}; have it say by hand:\n\n{change.paste}")
    if left:
        raise CommandFailed("not all of it could be connected", "Put in what is said above.")


def _trust(connector: Connector, host: Host, *, trust: bool) -> None:
    folder, command = connector.scene.project or Path.cwd(), connector.scene.command(host.name)
    if not trust:
        note(
            "codex: it runs no hook that it was not told to trust: `memoryd connect codex --trust`, or its own `/hooks`"
        )
        return
    file = connector.scene.folder(".codex", "CODEX_HOME") / "config.toml"
    before = read(file)
    try:
        hooks = codex.trust(folder, command)
    finally:
        connector.note(host, file, before)
    if not hooks:
        raise CommandFailed(
            "Codex sees no hooks here", "It reads a project's files once it was told to trust the project."
        )
    trusted = sum(hook.trust_status == "trusted" for hook in hooks)
    out(f"codex: {trusted} of {len(hooks)} hooks are trusted")


def disconnect(
    names: Annotated[list[str], typer.Argument(metavar="HOST...", autocompletion=_hosts, help="Which, or `all`.")],
    *,
    project: InProjectOnly = False,
    dry_run: DryRun = False,
) -> None:
    """Take everything away again that `memoryd connect` has added. Memories stay."""
    connector = _connector(project=project)
    failures = 0
    for host in _chosen(names, connector, connected=True):
        try:
            changes = connector.disconnecting(host)
            if dry_run:
                _show(changes, connector)
                continue
            connector.apply(changes)
            gone = any(change.real for change in changes)
            out(f"{host.name}: {'disconnected' if gone else 'was not connected'}")
        except MemorydError as failed:
            failures += 1
            note(f"{host.name}: {sentence(str(failed), failed.hint)}")
    if failures:
        raise typer.Exit(FAILED)


def connections(*, as_json: Json = False) -> None:
    """List the agents' programs that can be connected, which of them are, and when each was last heard from."""
    from memoryd.hosts import arrivals

    connector = _connector(project=False)
    projects = {host: sorted({h.project for h in connector.journal().holders() if h.host == host}) for host in HOSTS}
    rows: list[dict[str, object]] = []
    for host in HOSTS.values():
        heard = arrivals.last(connector.paths.arrivals, host.name)
        rows.append(
            {
                "host": host.name,
                "title": host.title,
                "installed": host.installed(connector.scene),
                "connected": state(connector, host),
                "projects": [name for name in projects[host.name] if name],
                "event": heard.event if heard else "",
                "at": heard.at.isoformat(timespec="seconds") if heard else "",
            }
        )
    if as_json:
        out_json(rows)
        return
    table(
        ("host", "what", "installed", "connected", "last event"),
        [
            (
                str(row["host"]),
                str(row["title"]),
                "yes" if row["installed"] else "-",
                ", ".join(filter(None, [str(row["connected"]), *[f"in {name}" for name in _listed(row["projects"])]])),
                f"{row['event']} {row['at']}".strip(),
            )
            for row in rows
        ],
        gives_way=("last event", "installed", "what"),
    )


def _listed(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def state(connector: Connector, host: Host) -> str:
    """Return in a word whether a host is connected."""
    try:
        # The hook program is there for any host; it alone connects nothing.
        found = [one for path, one in connector.states(host) if path != connector.scene.programs.hook]
    except CommandFailed:
        return "unreadable"
    return "yes" if all(found) else "no" if not any(one is not False for one in found) else "incomplete"


def _connector(*, project: bool) -> Connector:
    paths = Paths.from_environment()
    folder = Path(project_root(Path.cwd())) if project else None
    return Connector(paths, Scene.of(paths, os.environ, folder))


def _chosen(names: list[str], connector: Connector, *, connected: bool) -> list[Host]:
    """Return the hosts that are meant; `all` are those that are installed, or those that are connected."""
    if unknown := [name for name in names if name not in HOSTS and name != "all"]:
        raise CommandFailed(f"there is no host {unknown[0]!r}", f"There are {', '.join(HOSTS)}.")
    if "all" not in names:
        return [HOSTS[name] for name in dict.fromkeys(names)]
    if connected:
        holders = connector.journal().holders()
        return [host for host in HOSTS.values() if connector.holder(host) in holders]
    chosen = [
        host
        for host in HOSTS.values()
        if host.installed(connector.scene) and (host.in_projects or connector.scene.project is None)
    ]
    if not chosen:
        raise CommandFailed("none of the programs that memoryd knows is installed", f"They are {', '.join(HOSTS)}.")
    return chosen


def _show(changes: list[Change], connector: Connector) -> None:
    for change in changes:
        if change.real and change.path == connector.scene.programs.hook:
            note(f"the hook program {change.path} would be {'written' if change.after else 'removed'}")
        elif change.real:
            write(change.difference())


def _start(paths: Paths) -> None:
    from memoryd_cli.base import launch

    launched = launch.start(paths)
    if launched.fresh and not launch.managed_by_systemd(paths):
        note(f"memoryd runs now, pid {launched.pid}; `memoryd service install` has it start at login, too")
