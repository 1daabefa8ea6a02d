"""The daemon's settings as a list, and changing one of them. Imported by `memoryd config` only."""

import ast
import inspect
import os
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import cast

import msgspec

from memoryd import config as declarations
from memoryd_client.cli import toml_edit
from memoryd_client.cli.edge import CommandFailed
from memoryd_client.cli.toml_edit import Value


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as it is in force."""

    name: str
    """section.key"""
    value: Value
    default: Value
    origin: str
    """default, file or environment."""
    meaning: str


def settings(file: Path, environ: Mapping[str, str]) -> tuple[list[Setting], str]:
    """Return every setting, in the order of declaration, and what is wrong with the file or a variable, if anything is.

    What cannot be read counts as not said: the rest is listed all the same.
    """
    problem = ""
    in_file = _tables(file)
    try:
        current = _flat(declarations.load(file, environ))
    except declarations.ConfigInvalid as invalid:
        problem = str(invalid)
        current, in_file, environ = _readable(in_file, environ)
    defaults = _flat(declarations.Config())
    from_environment = {".".join(name) for name in declarations.overrides(environ)}
    if environ.get("ANTHROPIC_API_KEY") and not in_file.get("sidecar", {}).get("api_key"):
        from_environment.add("sidecar.api_key")
    meanings = _meanings()
    found: list[Setting] = []
    for name, value in current.items():
        section, key = name.split(".")
        origin = "environment" if name in from_environment else "file" if key in in_file.get(section, {}) else "default"
        found.append(Setting(name, value, defaults[name], origin, meanings.get(name, "")))
    return found, problem


def _tables(file: Path) -> dict[str, dict[str, object]]:
    """Return the tables of a file; nothing where it cannot be read."""
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}
    return {section: table for section, table in tables.items() if isinstance(table, dict)}


def _readable(
    in_file: Mapping[str, Mapping[str, object]], environ: Mapping[str, str]
) -> tuple[dict[str, Value], dict[str, dict[str, object]], dict[str, str]]:
    """Return the settings of which each is valid by itself, and the tables and variables that make them."""
    current = _flat(declarations.Config())
    tables: dict[str, dict[str, object]] = {}
    variables: dict[str, str] = {}
    for section, table in in_file.items():
        for key, value in table.items():
            if (read := _alone(section, key, value)) is not None:
                current[f"{section}.{key}"] = read
                tables.setdefault(section, {})[key] = value
    for (section, key), text in declarations.overrides(environ).items():
        if (read := _alone(section, key, text)) is not None:
            current[f"{section}.{key}"] = read
            variable = f"MEMORYD_{section}_{key}".upper()
            variables[variable] = environ[variable]
    return current, tables, variables


def _alone(section: str, key: str, value: object) -> Value | None:
    try:
        return _flat(msgspec.convert({section: {key: value}}, declarations.Config, strict=False))[f"{section}.{key}"]
    except msgspec.ValidationError:
        return None


def change(file: Path, name: str, text: str) -> None:
    """Write one setting into the file, whole or not at all.

    Raises:
        CommandFailed: there is no such setting, or the file is laid out in a way that only a person should edit.
        ConfigInvalid: it cannot have that value.
    """
    defaults = _flat(declarations.Config())
    if name not in defaults:
        raise CommandFailed(f"there is no setting {name!r}", "`memoryd config list` prints them all.")
    value = _typed(text, defaults[name])
    section, key = name.split(".")
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    after = toml_edit.with_value(before, section, key, value)
    if toml_edit.read(after) != toml_edit.expected(before, section, key, value):
        raise CommandFailed(f"{file} is laid out so that {name} cannot be changed safely", "Change it with an editor.")
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, suffix=".toml", delete=False) as draft:
        try:
            draft.write(after)
            draft.flush()
            os.fsync(draft.fileno())
            declarations.load(Path(draft.name), {})  # mode 0600, as NamedTemporaryFile makes it: it may hold a key
            os.replace(draft.name, file)
        except declarations.ConfigInvalid as invalid:
            raise declarations.ConfigInvalid(str(invalid).replace(draft.name, str(file))) from invalid
        finally:
            Path(draft.name).unlink(missing_ok=True)


def _typed(text: str, default: Value) -> Value:
    """Read a value as what the setting is; where it is not one, leave it as text for `load` to refuse."""
    try:
        match default:
            case bool():
                return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
            case int():
                return int(text)
            case float():
                return float(text)
            case str():
                return text
            case list():
                return declarations.listed(text)
    except (KeyError, ValueError):
        return text


def _flat(config: declarations.Config) -> dict[str, Value]:
    return {
        f"{section}.{key}": list(value) if isinstance(value, tuple) else cast("Value", value)
        for section, table in msgspec.structs.asdict(config).items()
        for key, value in msgspec.structs.asdict(table).items()
    }


def _meanings() -> dict[str, str]:
    """Return the docstring under each field: Python keeps none at run time, the source does."""
    found: dict[str, str] = {}
    for section, table in msgspec.structs.asdict(declarations.Config()).items():
        body = cast("ast.ClassDef", ast.parse(inspect.getsource(type(table))).body[0]).body
        for field, following in pairwise(body):
            match field, following:
                case ast.AnnAssign(target=ast.Name(id=key)), ast.Expr(value=ast.Constant(value=str() as text)):
                    found[f"{section}.{key}"] = " ".join(text.split())
                case _:
                    continue
    return found
