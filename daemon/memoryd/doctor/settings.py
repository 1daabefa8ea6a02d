"""Whether the configuration can be read, what is set that nobody reads, and which packages are missing."""

import re
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, distribution, requires

from memoryd.config import Config, ConfigInvalid, overrides, retired_in, unread
from memoryd.doctor.finding import Finding, fail, ok, quoted, warn
from memoryd.model import choose
from memoryd_client.base.paths import Paths

_NAME = re.compile(r"[A-Za-z0-9._-]+")


def examine_configuration(paths: Paths, environ: Mapping[str, str], invalid: str) -> Iterator[Finding]:
    """Report whether the configuration could be read (`invalid`: why not) and variables that nobody reads."""
    if invalid:
        variable = next((name for name in environ if invalid.startswith(f"{name}: ")), "")
        editing = f"${{EDITOR:-vi}} {quoted(paths.config)}  # `memoryd config list` shows what there is"
        yield fail("config", invalid, f"unset {variable}" if variable else editing)
    else:
        changed = len(overrides(environ))
        yield ok(
            "config",
            "the configuration is valid" + (f", with {changed} MEMORYD_* settings above it" if changed else ""),
        )
        for sentence in retired_in(paths.config):
            yield warn("setting", sentence, f"${{EDITOR:-vi}} {quoted(paths.config)}  # take the line out")
    for name, sentence in unread(environ).items():
        yield warn("variable", sentence, f"unset {name}")


def examine_key(config: Config) -> Finding:
    """Report which model judges; nobody is called."""
    try:
        chosen = choose(config)
    except ConfigInvalid as invalid:
        return fail("sidecar", str(invalid), "memoryd model")
    if chosen.provider is None:
        return ok("sidecar", f"{chosen.why_off}: the local judge decides; `memoryd model` shows what else runs here")
    return ok("sidecar", f"{chosen.provider.name} is configured; `memoryd model test` tries it")


def examine_extras(config: Config) -> Iterator[Finding]:
    """Report which packages of the extras that this configuration needs are missing."""
    needed = ["daemon"] + (["torch"] if config.embedding.backend == "sentence-transformers" else [])
    for extra in needed:
        missing = missing_packages(extra)
        if missing:
            yield fail(
                "packages",
                f"memoryd[{extra}] is incomplete, there is no {', '.join(missing)}",
                f"{sys.executable} -m pip install 'memoryd[{extra}]'",
            )
        else:
            yield ok("packages", f"memoryd[{extra}] is installed")


def missing_packages(extra: str, package: str = "memoryd") -> list[str]:
    """Return the distributions that an extra of a package asks for and that are not installed."""
    missing: list[str] = []
    for requirement in requires(package) or []:
        named = _NAME.match(requirement)
        if named is None or f"extra == '{extra}'" not in requirement.replace('"', "'"):
            continue
        try:
            distribution(named[0])
        except PackageNotFoundError:
            missing.append(named[0])
    return missing
