"""The daemon's settings as a list, and changing one of them. Imported by `memoryd config` only."""

import ast
import inspect
import tomllib
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import cast

import msgspec

from memoryd import config as declarations
from memoryd.rewriting import rewriting
from memoryd_actors.memory.settings import BUILT_IN_CATEGORIES, CategorySettings, name_of
from memoryd_cli.base import toml_edit
from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.toml_edit import TomlValue


class Setting(msgspec.Struct, frozen=True):
    """One setting as it is in force."""

    name: str
    """section.key, categories.NAME.key or allowlists.AGENT"""
    value: TomlValue
    default: TomlValue
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
    for key in ("api_key", "openai_api_key"):
        if current[f"sidecar.{key}"] and not in_file.get("sidecar", {}).get(key):
            from_environment.add(f"sidecar.{key}")
    meanings = _meanings()
    found: list[Setting] = []
    for name, value in current.items():
        origin = "environment" if name in from_environment else "file" if _is_said(in_file, name) else "default"
        default = defaults[name] if name in defaults else _default(name)
        found.append(Setting(name, value, value if default is None else default, origin, meanings[_kind(name)]))
    return found, problem


def _is_said(tables: Mapping[str, Mapping[str, object]], name: str) -> bool:
    """Return whether a file says this setting itself."""
    section, key = _place(name)
    outer, _, inner = section.partition(".")
    table: object = tables.get(outer, {})
    if inner and isinstance(table, dict):
        named = {name_of(one): rule for one, rule in table.items()}
        table = named.get(inner)
    return isinstance(table, dict) and key in table


def _place(name: str) -> tuple[str, str]:
    """Return the table that a setting is in, and its key there. An agent may have a dot in its name."""
    if name.startswith("allowlists."):
        section, _, key = name.partition(".")
        return section, key
    section, _, key = name.rpartition(".")
    return section, key


def _kind(name: str) -> str:
    """Return a setting's name without what a user called a category or an agent."""
    section, _, rest = name.partition(".")
    match section:
        case "allowlists":
            return section
        case "categories":
            return f"categories.{rest.rpartition('.')[2]}"
        case _:
            return name


def _default(name: str) -> TomlValue | None:
    """Return the default of a setting whose name a user may choose; None where there is no such setting."""
    section, key = _place(name)
    if section == "allowlists" and key:
        return []
    if section.startswith("categories.") and key in CategorySettings.__struct_fields__:
        known = name_of(section.removeprefix("categories."))
        return cast("TomlValue", getattr(BUILT_IN_CATEGORIES.get(known, CategorySettings()), key)) if known else None
    return None


def _tables(file: Path) -> dict[str, dict[str, object]]:
    """Return the tables of a file; nothing where it cannot be read."""
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}
    return {section: table for section, table in tables.items() if isinstance(table, dict)}


def _readable(
    in_file: Mapping[str, Mapping[str, object]], environ: Mapping[str, str]
) -> tuple[dict[str, TomlValue], dict[str, dict[str, object]], dict[str, str]]:
    """Return the settings of which each is valid by itself, and the tables and variables that make them."""
    current = _flat(declarations.Config())
    tables: dict[str, dict[str, object]] = {}
    variables: dict[str, str] = {}
    for section, table in in_file.items():
        for key, value in table.items():
            if read := _alone(section, key, value):
                current.update(read)
                tables.setdefault(section, {})[key] = value
    for (section, key), text in declarations.overrides(environ).items():
        if read := _alone(section, key, text):
            current.update(read)
            variable = f"MEMORYD_{section}_{key}".upper()
            variables[variable] = environ[variable]
    return current, tables, variables


def _alone(section: str, key: str, value: object) -> dict[str, TomlValue]:
    """Return the settings that one entry of a file makes; none where it cannot be read."""
    try:
        tables = declarations.with_built_in({section: {key: value}})
        made = _flat(msgspec.convert(tables, declarations.Config, strict=False))
    except msgspec.ValidationError:
        return {}
    name = f"{section}.{name_of(key) if section == 'categories' else key}"
    return {one: read for one, read in made.items() if one == name or one.startswith(f"{name}.")}


def change(file: Path, name: str, text: str | None) -> None:
    """Write one setting into the file, or with None take it out; whole or not at all.

    Raises:
        CommandFailed: there is no such setting, or the file is laid out in a way that only a person should edit.
        ConfigInvalid: it cannot have that value.
    """
    defaults = _flat(declarations.Config())
    default = defaults[name] if name in defaults else _default(name)
    if default is None:
        raise CommandFailed(f"there is no setting {name!r}", "`memoryd config list` prints them all.")
    section, key = _place(name)
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    if text is None:
        if not _is_said(_tables(file), name):
            raise CommandFailed(f"{name} is not in {file}", "So its default or a variable is in force already.")
        value, after = None, toml_edit.without(before, section, key)
    else:
        value = _typed(text, default)
        after = toml_edit.with_value(before, section, key, value)
    if toml_edit.read(after) != toml_edit.expected(before, section, key, value):
        raise CommandFailed(f"{file} is laid out so that {name} cannot be changed safely", "Change it with an editor.")
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = ""
    try:
        with rewriting(file) as opened:  # mode 0600: it may hold a key
            draft = opened.name
            opened.write(after.encode())
            opened.flush()
            declarations.load(Path(draft), {})
    except declarations.ConfigInvalid as invalid:
        raise declarations.ConfigInvalid(str(invalid).replace(draft, str(file))) from invalid


def _typed(text: str, default: TomlValue) -> TomlValue:
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


def _flat(config: declarations.Config) -> dict[str, TomlValue]:
    flat: dict[str, TomlValue] = {}
    for section, table in msgspec.structs.asdict(config).items():
        if isinstance(table, msgspec.Struct):
            for key, value in msgspec.structs.asdict(table).items():
                flat[f"{section}.{key}"] = list(value) if isinstance(value, tuple) else value
    for name, rule in config.categories.items():
        flat.update({f"categories.{name}.{key}": value for key, value in msgspec.structs.asdict(rule).items()})
    flat.update({f"allowlists.{agent}": list(names) for agent, names in config.allowlists.items()})
    return flat


def _meanings() -> dict[str, str]:
    """Return what each setting means, by its kind."""
    found = {"allowlists": _docs(declarations.Config)["allowlists"]}
    tables: dict[str, type[msgspec.Struct]] = {"categories": CategorySettings}
    for section, table in msgspec.structs.asdict(declarations.Config()).items():
        if isinstance(table, msgspec.Struct):
            tables[section] = type(table)
    for section, kind in tables.items():
        docs = _docs(kind)
        found.update({f"{section}.{key}": docs.get(key, "") for key in kind.__struct_fields__})
    return found


def _docs(table: type[msgspec.Struct]) -> dict[str, str]:
    """Return the docstring under each field: Python keeps none at run time, the source does."""
    body = cast("ast.ClassDef", ast.parse(inspect.getsource(table)).body[0]).body
    docs: dict[str, str] = {}
    for field, following in pairwise(body):
        match field, following:
            case ast.AnnAssign(target=ast.Name(id=key)), ast.Expr(value=ast.Constant(value=str() as text)):
                docs[key] = " ".join(text.split())
            case _:
                continue
    return docs
