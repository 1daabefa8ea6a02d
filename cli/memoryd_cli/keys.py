"""`memoryd keys`: who may reach this daemon over a network."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import Json, examples
from memoryd_cli.base.output import note, out, out_json, printable, table
from memoryd_client.base.paths import Paths
from memoryd_client.base.remote import is_key

if TYPE_CHECKING:
    from memoryd.keys import Grant, KeyRing

group = typer.Typer(
    help="Decide who may reach this daemon over a network.",
    rich_markup_mode=None,
    no_args_is_help=True,
    epilog=examples(
        "memoryd keys create laptop --agent cli --admin",
        "memoryd keys create builder --owner team --file builder.key",
        "memoryd keys list",
        "memoryd keys remove builder",
    ),
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="What the client is called here.")]
Owners = Annotated[
    list[str] | None,
    typer.Option("--owner", metavar="NAME", help="On whose behalf; may be given again. [default: local]"),
]
Agent = Annotated[str, typer.Option("--agent", metavar="NAME", help="As which agent.  [default: NAME]")]
Admin = Annotated[bool, typer.Option("--admin", help="Also what concerns the whole daemon or cannot be taken back.")]


@group.command(
    epilog=examples(
        "memoryd keys create laptop --agent cli --admin",
        "memoryd keys create builder --owner team --file builder.key",
        "memoryd keys create laptop --server 'rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7'",
    )
)
def create(
    name: Name,
    *,
    owner: Owners = None,
    agent: Agent = "",
    admin: Admin = False,
    file: Annotated[Path | None, typer.Option("--file", metavar="FILE", help="[default: NAME.key, here]")] = None,
    server: Annotated[
        str, typer.Option("--server", metavar="KEY", help="The key of a daemon elsewhere, which is to let it in.")
    ] = "",
) -> None:
    """Make a key for a client, let it in, and write its key file, which is the client's alone.

    Without --server this daemon lets it in; take the file to the client, by a way on which nobody reads along. With
    --server, run on the client's machine, the secret never leaves it: the command that lets the key in is printed.
    """
    import zmq

    from memoryd.keys import Grant, write_key

    _check_names(name, *(owner or ()), agent or name)
    if server and not is_key(server):
        raise CommandFailed(f"that is no key: {server!r}", "`memoryd keys list` shows it there.")
    ring = _ring()
    public, secret = (key.decode() for key in zmq.curve_keypair())
    grant = Grant(key=public, owners=tuple(owner or ("local",)), agent=agent or name, admin=admin)
    file = file or Path(f"{name}.key")
    keys = {"server": server or ring.server().public, "public": public, "secret": secret}
    who = {"owners": list(grant.owners), "agent": grant.agent}
    write_key(file, {**keys, **who}, f"The key of {name} for a memoryd: whoever has it is {name} there.")
    if server:
        _tell_how_to_let_in(name, grant)
    else:
        try:
            ring.let_in(name, grant)
        except BaseException:
            file.unlink(missing_ok=True)  # also where somebody presses Ctrl-C: nobody knows this key
            raise
        _tell_where()
    out(str(file))


@group.command(epilog=examples("memoryd keys add laptop 'Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID' --owner team"))
def add(
    name: Name,
    key: Annotated[str, typer.Argument(metavar="KEY", help="The public half of its key.")],
    *,
    owner: Owners = None,
    agent: Agent = "",
    admin: Admin = False,
) -> None:
    """Let a client in that has made its key itself."""
    from memoryd.keys import Grant

    _check_names(name, *(owner or ()), agent or name)
    if not is_key(key):
        raise CommandFailed(f"that is no key: {key!r}", "`memoryd keys create NAME --server KEY` prints one.")
    _ring().let_in(name, Grant(key=key, owners=tuple(owner or ("local",)), agent=agent or name, admin=admin))
    _tell_where()


@group.command("list", epilog=examples("memoryd keys list", "memoryd keys list --json | jq -r .server"))
def list_(*, as_json: Json = False) -> None:
    """Print the daemon's own key, and whom it lets in as what."""
    ring = _ring()
    server, clients = ring.server().public, ring.grants()
    if as_json:
        out_json({"server": server, "clients": {name: _told(grant) for name, grant in clients.items()}})
        return
    out(f"server key {server}")
    if not clients:
        note("nobody is let in; `memoryd keys create NAME` makes a key")
        return
    rows = [
        (name, ", ".join(grant.owners), grant.agent, "yes" if grant.admin else "", grant.key)
        for name, grant in sorted(clients.items())
    ]
    table(("client", "owner", "agent", "admin", "key"), rows)


@group.command(epilog=examples("memoryd keys remove builder"))
def remove(name: Name) -> None:
    """Let a client in no more. A daemon that runs disconnects it within a second or two."""
    _ring().shut_out(name)
    note(f"{printable(name)} is let in no more")


def _ring() -> "KeyRing":
    from memoryd.keys import KeyRing

    return KeyRing(Paths.from_environment().keys)


def _check_names(*names: str) -> None:
    for name in names:
        if not name or len(name) > 200 or not name.isprintable() or "/" in name:
            raise CommandFailed(f"{name!r} is no name", "A name has up to 200 printable characters, and no slash.")


def _told(grant: "Grant") -> dict[str, object]:
    return {"key": grant.key, "owners": list(grant.owners), "agent": grant.agent, "admin": grant.admin}


def _tell_how_to_let_in(name: str, grant: "Grant") -> None:
    owners = [word for owner in grant.owners for word in ("--owner", owner)]
    words = ["memoryd", "keys", "add", name, grant.key, *owners, "--agent", grant.agent]
    note(f"run this where the daemon is:\n{shlex.join(words + ['--admin'] * grant.admin)}")


def _tell_where() -> None:
    from memoryd_cli.configuration import configured

    if not configured().ipc.tcp:
        note(
            "no network is served by the configuration: `memoryd config set ipc.tcp HOST:PORT`, then `memoryd restart`;"
            " `memoryd serve --tcp HOST:PORT` serves one without it"
        )
