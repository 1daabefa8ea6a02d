"""Looks whether what was connected still is: its files, the hook program, Codex's trust, and the last event."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from memoryd.doctor.finding import Finding, fail, ok, warn
from memoryd.hosts import arrivals
from memoryd.hosts.server import ALIVE, OURSELVES
from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.connect import codex
from memoryd_cli.connect.changes import Connector, read
from memoryd_cli.connect.hosts import HOSTS, Host, Scene
from memoryd_cli.connect.program import hook_text
from memoryd_client.base.paths import Paths

_PATIENCE_S = 10.0


def examine_connections(paths: Paths, environ: Mapping[str, str], *, serving: bool) -> Iterator[Finding]:
    """Report on every connection; `serving`: whether the daemon runs, so that the hook must have an answer."""
    everywhere = Connector(paths, Scene.of(paths, environ))
    journal = everywhere.journal()
    holders = sorted(journal.holders(), key=lambda holder: (holder.host, holder.project))
    if not holders:
        yield ok("connections", "no agents' program is connected (`memoryd connect` lists them)")
        return
    if str(everywhere.scene.programs.hook) in journal.files:
        yield _hook(everywhere, serving=serving)
    for holder in holders:
        host = HOSTS.get(holder.host)
        if host is None:
            continue
        project = Path(holder.project) if holder.project else None
        connector = Connector(paths, Scene.of(paths, environ, project))
        again = (
            f"memoryd connect {host.name}"
            if project is None
            else f"cd {project} && memoryd connect {host.name} --project"
        )
        yield _files(connector, host, again)
        if host.name == "codex":
            yield _trust(connector, host, again)


def _files(connector: Connector, host: Host, again: str) -> Finding:
    try:
        lacking = [str(path) for path, good in connector.states(host) if not good]
    except CommandFailed as failed:
        return fail(host.name, str(failed), "mend the file")
    if lacking:
        return warn(host.name, f"not as connected: {', '.join(lacking)}", again)
    heard = arrivals.last(connector.paths.arrivals, host.name)
    last = f"last heard {heard.event} at {heard.at:%Y-%m-%d %H:%M:%S} UTC" if heard else "not heard from yet"
    return ok(host.name, f"connected, {last}")


def _hook(connector: Connector, *, serving: bool) -> Finding:
    program = connector.scene.programs.hook
    text = read(program)
    if text is None:
        return fail("hook", f"{program} is gone: hosts run without memory", "memoryd connect all")
    if text != hook_text(connector.paths):
        return warn("hook", f"{program} is of another version or looks for another daemon", "memoryd connect all")
    environment = {name: value for name, value in os.environ.items() if name != "MEMORYD_INTERNAL"}
    try:
        run = subprocess.run(
            [str(program), OURSELVES], input=b"", capture_output=True, check=False, timeout=_PATIENCE_S, env=environment
        )
    except (OSError, subprocess.TimeoutExpired) as failed:
        return fail("hook", f"{program} does not run: {failed}", "memoryd connect all")
    if not serving:
        return warn("hook", f"{program} runs, and no daemon answers it: hosts are without memory", "memoryd start")
    if run.stdout != ALIVE:
        return fail("hook", f"{program} runs and the daemon does not answer it", "memoryd restart")
    return ok("hook", f"{program} runs and is answered")


def _trust(connector: Connector, host: Host, again: str) -> Finding:
    command = connector.scene.command(host.name)
    try:
        hooks = codex.seen(connector.scene.project or Path.cwd(), command)
    except CommandFailed as failed:
        return warn("codex trust", str(failed), failed.hint or "codex, then /hooks")
    idle = [hook.event_name for hook in hooks if hook.trust_status != "trusted" or not hook.enabled]
    if not hooks:
        return fail("codex trust", "Codex sees no hook of memoryd's", again)
    if idle:
        return fail("codex trust", f"Codex does not run what it does not trust: {', '.join(idle)}", f"{again} --trust")
    return ok("codex trust", f"Codex trusts all {len(hooks)} hooks")
