"""`memoryd model`: which model judges, reads and summarises; what runs here and could; and a trial of it.

`memoryd model embed`, the model that makes vectors, is in `model_embed`.
"""

import os
import signal
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memoryd_cli import model_embed
from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import Json, examples
from memoryd_cli.base.output import note, out, out_json, table
from memoryd_cli.configuration import configured
from memoryd_client.base.paths import Paths

if TYPE_CHECKING:
    from memoryd.config import Config
    from memoryd.model import Chosen

group = typer.Typer(
    help="The model that judges, reads and summarises: which it is, what runs here, and whether it is any good.",
    rich_markup_mode=None,
    epilog=examples("memoryd model", "memoryd model use ollama qwen3:8b", "memoryd model test"),
)
group.add_typer(model_embed.group, name="embed")
Who = Literal["anthropic", "ollama", "openai", "claude", "codex", "gemini", "opencode", "command", "none"]
_LOOK = "`memoryd model` shows what runs here."


@group.callback(invoke_without_command=True)
def show(context: typer.Context, *, as_json: Json = False) -> None:
    """Print which model is configured, and what runs here and could be one. Nothing but local ports is asked."""
    if context.invoked_subcommand is not None:
        return
    from memoryd_cli.model_finding import find

    config = configured()
    chosen = _chosen(config)
    found = find(os.environ)
    if as_json:
        out_json(
            {
                "provider": config.sidecar.provider,
                "model": chosen.provider.name if chosen.provider else "",
                "why_off": chosen.why_off,
                "deadline_s": chosen.deadline_s,
                "found": [
                    {"kind": one.kind, "name": one.name, "where": one.where, "models": one.models, "use": one.use}
                    for one in found
                ],
            }
        )
        return
    if chosen.provider is None:
        out(f"no model: {chosen.why_off}; the local judge and rules decide")
    else:
        out(f"{chosen.provider.name} ({config.sidecar.provider}), for a turn at most {chosen.deadline_s:g} s")
    if found:
        out("\nWhat was found here:")
        table(
            ("what", "where", "models", "to use it"),
            [(one.name, one.where, ", ".join(one.models), one.use) for one in found],
            wrap=True,
        )
    else:
        out("\nNo key in the environment, no server of models on its usual port, no agent's command on the PATH.")


@group.command(
    epilog=examples(
        "memoryd model use anthropic",
        "memoryd model use ollama qwen3:8b",
        "memoryd model use openai my-model --base-url https://models.example/v1",
        "memoryd model use claude haiku",
        "memoryd model use command --command 'my-model --quiet'",
        "memoryd model use none",
    )
)
def use(
    who: Annotated[Who, typer.Argument(metavar="WHO", help="Who is asked: a service, a server, an agent, or nobody.")],
    model: Annotated[str, typer.Argument(metavar="[MODEL]", help="Which of its models.")] = "",
    *,
    base_url: Annotated[str, typer.Option(metavar="URL", help="Of the endpoint, for anthropic and openai.")] = "",
    command: Annotated[str, typer.Option(metavar="LINE", help="For command: what is run.")] = "",
) -> None:
    """Write into the configuration who is asked; a key stays where it is (`memoryd config set sidecar.api_key`)."""
    import msgspec

    from memoryd.config import Config, ConfigInvalid, load
    from memoryd.model import choose
    from memoryd_cli.model_finding import PRESETS, program
    from memoryd_cli.settings import change

    wanted = {"provider": who, "model": model, "base_url": base_url, "command": command}
    match who:
        case "ollama":
            wanted |= {"provider": "openai"}
        case "openai":
            wanted |= {"base_url": base_url or "https://api.openai.com/v1"}
        case "claude" | "codex" | "gemini" | "opencode":
            # By its whole path: a service has another PATH than a shell.
            wanted |= {"provider": "command", "command": program(who) or who}
        case _:
            pass
    if who in PRESETS and program(who) is None:
        raise CommandFailed(f"there is no {who} on the PATH", _LOOK)
    paths = Paths.from_environment()
    try:
        # Without what the environment says: the daemon may not have it.
        config = load(paths.config, {})
        sidecar = msgspec.convert({**msgspec.to_builtins(config.sidecar), **wanted}, type(config.sidecar))
        choose(Config(sidecar=sidecar))
        for key, value in wanted.items():
            if getattr(config.sidecar, key) != value:
                change(paths.config, f"sidecar.{key}", value)
    except ConfigInvalid as invalid:
        raise CommandFailed(str(invalid), f"Nothing was changed. {_LOOK}") from invalid
    if who == "anthropic" and not config.sidecar.api_key:
        note("no key is set: `memoryd config set sidecar.api_key KEY`, or ANTHROPIC_API_KEY where the daemon starts")
    note(f"wrote {paths.config}; `memoryd model test` tries it, `memoryd {_takes_effect(paths)}` makes it take effect")


@group.command("test", epilog=examples("memoryd model test", "memoryd model test --json"))
def try_(*, as_json: Json = False) -> None:
    """Put ten cases with known answers before the model; print what is right and wrong, the time and the cost."""
    import anyio

    from memoryd_cli.model_trial import try_out

    config = configured()
    chosen = _chosen(config)
    if chosen.provider is None:
        raise CommandFailed(f"there is no model to test: {chosen.why_off}", _LOOK)
    name = chosen.provider.name
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # `nohup` has it ignored
            # As Ctrl-C: the program that is asked ends, too.
            signal.signal(number, _interrupt)
    trial = anyio.run(try_out, chosen, config)
    if as_json:
        out_json(
            {
                "model": name,
                "right": trial.right,
                "wrong": trial.wrong,
                "failed": trial.failed,
                "seconds": round(sum(tried.seconds for tried in trial.tried), 2),
                "tokens": trial.tokens,
                "usd": trial.usd,
                "cases": [
                    {"case": tried.name, "result": tried.result, "seconds": round(tried.seconds, 2), "said": tried.said}
                    for tried in trial.tried
                ],
            }
        )
    else:
        table(
            ("case", "result", "seconds", "what it said"),
            [(tried.name, tried.result, f"{tried.seconds:.1f}", tried.said) for tried in trial.tried],
            wrap=True,
        )
        out(
            f"\n{name}: {trial.right} right, {trial.wrong} wrong, {trial.failed} without an answer; "
            f"median {trial.median_s:.1f} s, {trial.tokens:,} tokens, ${trial.usd:.4f}"
        )
        if trial.median_s > chosen.deadline_s:
            note(f"it is slower than sidecar.deadline_s ({chosen.deadline_s:g} s): the local judge would stand in")
    if trial.failed == len(trial.tried):
        raise CommandFailed(f"{name} answered nothing: {trial.tried[-1].said}", trial.hint)


def _takes_effect(paths: Paths) -> str:
    from memoryd.system.units import PathNotForUnit, UnitState, compare, installed, shipped

    name = "memoryd.service"
    try:
        state = compare(installed(name, os.environ), shipped(name, paths=paths, environ=os.environ))
    except PathNotForUnit:
        return "restart"
    # The unit says what may be written, the state of the agent that is asked included.
    return "service install" if state is UnitState.OUTDATED else "restart"


def _interrupt(number: int, frame: object) -> None:
    del number, frame
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # a shell's `&` has it ignored
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.raise_signal(signal.SIGINT)


def _chosen(config: "Config") -> "Chosen":
    from memoryd.config import ConfigInvalid
    from memoryd.model import choose

    try:
        return choose(config)
    except ConfigInvalid as invalid:
        raise CommandFailed(str(invalid), "`memoryd model use` sets it.") from invalid
