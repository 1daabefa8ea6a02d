"""The configuration: one TOML file, `MEMORYD_<SECTION>_<KEY>` environment variables above it, defaults below.

Every setting is declared once, here, with its default and what it means; `memoryd config list` prints this.
"""

import os
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final, Literal, cast

import msgspec

from memoryd.project_files import SENSITIVE_FILES
from memoryd.telemetry import TelemetryConfig
from memoryd_actors.access.presets import NoAgentNamed, NoSuchPreset, expanded
from memoryd_actors.consolidating.settings import ConsolidationSettings
from memoryd_actors.context import WindowSettings
from memoryd_actors.conversations.settings import TranscriptSettings
from memoryd_actors.episodes import EpisodeSettings
from memoryd_actors.keeping.checkpoints import CheckpointSettings
from memoryd_actors.keeping.core_memory import CoreSettings
from memoryd_actors.memory.consent import ConsentSettings
from memoryd_actors.memory.decay import LifecycleSettings
from memoryd_actors.memory.settings import (
    BUILT_IN_CATEGORIES,
    CaptureSettings,
    CategorySettings,
    RecallSettings,
    name_of,
)
from memoryd_actors.redaction.personal import DEFAULT_KINDS, PersonalData, PersonalGroup
from memoryd_actors.summarising import SummarySettings
from memoryd_client.base import variables

Positive = Annotated[float, msgspec.Meta(gt=0)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Days = Annotated[int, msgspec.Meta(ge=1, le=36_500)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
OwnWord = Annotated[str, msgspec.Meta(min_length=3, max_length=200)]


FilePattern = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
Device = Literal["auto", "cpu", "cuda", "openvino", "coreml"]


class EmbeddingConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The embedding model. `memoryd model embed` shows which there are, and changes it without an interruption."""

    backend: Literal["onnx", "sentence-transformers"] = "onnx"
    """onnx needs no torch; sentence-transformers, an extra, runs models that have no ONNX form."""
    model: str = "sentence-transformers/all-MiniLM-L6-v2"
    """One of the catalogue, by its name there or on the hub; or what the model in `folder` is to be called."""
    folder: str = ""
    """Where the weights are, if not in the cache: looked at first."""
    device: Device = "auto"
    """What runs the model. auto: an accelerator that the installed onnxruntime has a provider for, else the CPU, which
    also stands in where an accelerator fails."""
    precision: Literal["fp32", "int8"] = "fp32"
    """int8 is half the size and twice as fast, costs two points of recall and counts as another model."""
    threads: Count = 0
    """Threads of one model run; 0: all cores but one, at least one, at most four."""
    idle_unload_s: Positive = 900.0
    """The model leaves memory after this long without use, in seconds."""
    max_batch: Annotated[int, msgspec.Meta(ge=1, le=256)] = 32
    """Texts in one model run."""


class SidecarConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The model that judges, reads and summarises. `memoryd model` shows what runs here and can be one."""

    provider: Literal["anthropic", "openai", "command", "none"] = "anthropic"
    """anthropic: with a key, else nobody. openai: any chat-completions endpoint (Ollama, llama.cpp, LM Studio, vLLM,
    OpenRouter, OpenAI). command: a program. none: the local judge and rules; nothing leaves the machine."""
    api_key: str = ""
    """For anthropic; read from ANTHROPIC_API_KEY where empty."""
    openai_api_key: str = ""
    """For openai; read from OPENAI_API_KEY where empty and the endpoint is not on this machine. Many need none."""
    base_url: str = ""
    """Where the endpoint is; empty: https://api.anthropic.com, or Ollama's http://127.0.0.1:11434/v1."""
    model: str = ""
    """Empty: claude-haiku-5-5, or what the program itself takes. openai needs a name."""
    command: str = ""
    """For command: claude, codex, gemini or opencode, or any command line that reads a question and prints the answer
    to it."""
    deadline_s: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    """For the judge, in seconds; 0: 4 for anthropic, 10 for openai, 20 on this machine, 60 for a command."""
    failures_to_open: Annotated[int, msgspec.Meta(ge=1)] = 3
    """Failures in a row after which the sidecar is left alone for a while."""
    cool_down_s: Positive = 60.0
    """How long; doubled on each further failure, up to sixteen times."""
    lookups: Annotated[int, msgspec.Meta(ge=0, le=5)] = 2
    """What the model may ask to look up before it decides; 0: nothing. It asks within the call that is made anyway, and
    only where it asks there is a second one, within the same deadline and budget."""
    lookup_tokens: Annotated[int, msgspec.Meta(ge=100, le=4_000)] = 800
    """Size of what is looked up for it, together."""
    daily_tokens: Count = 2_000_000
    """What all questions to the model may use in a day (UTC); then it is asked nothing until the next."""
    daily_usd: Annotated[float, msgspec.Meta(ge=0)] = 0.50
    """What they may cost in a day, in dollars, by the two prices below."""
    input_usd_per_million: Annotated[float, msgspec.Meta(ge=0, le=1_000_000)] = 0.10
    """What a million tokens cost; models on this machine and programs are taken to be free."""
    output_usd_per_million: Annotated[float, msgspec.Meta(ge=0, le=1_000_000)] = 0.50
    """What a million tokens of answers cost."""


class PrivacyConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may leave the machine, and what is never kept."""

    offline: bool = False
    """True turns every outbound path off: sidecar and model hub."""
    personal_data: tuple[PersonalData | PersonalGroup, ...] = DEFAULT_KINDS
    """What is replaced besides secrets: any of card, iban, national-id, phone, email, street, name; or groups of them:
    numbers (card, iban, national-id), contact (phone, email, street), names, all."""
    sensitive_files: tuple[FilePattern, ...] = SENSITIVE_FILES
    """Files of whose contents nothing is kept, by their names as in a .gitignore; beside those that a .gitattributes
    calls `sensitive` (or encrypts: filter=git-crypt), and those whose front matter says `sensitive: true`."""
    replace: tuple[OwnWord, ...] = ()
    """Words of your own that are replaced wherever they stand, in any case: a name, a customer, a street."""


class IndexConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The search index."""

    url: str = ""
    """An object store for LanceDB instead of the local folder; homes that share a ledger have a place each in it."""
    ann_rows: Count = 2_000
    """Vectors up to which a search compares all; of more, it compares the likely ones."""
    optimise_s: Positive = 300.0
    """How often the index is looked after, in seconds."""
    optimise_rows: Annotated[int, msgspec.Meta(ge=1)] = 500
    """Or after this many applied changes."""
    keep_versions_s: Positive = 60.0
    """Old versions of the index older than this are deleted, in seconds."""


class LedgerConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ledger."""

    url: str = ""
    """An SQLAlchemy URL, e.g. of PostgreSQL, instead of the local SQLite file."""
    backup_hours: Annotated[float, msgspec.Meta(ge=0)] = 24.0
    """A copy into the backups folder this often; 0: never."""
    keep_backups: Annotated[int, msgspec.Meta(ge=1)] = 3
    """The newest backups, however close together."""
    keep_daily: Count = 7
    """Beside them, the last backup of each of so many days."""
    keep_weekly: Count = 4
    """And of each of so many weeks."""
    keep_traces_days: Days = 30
    """What `memoryd why` shows is kept until its session has not been used for so long."""
    keep_sessions_days: Days = 180
    """What a session was shown and has not taken yet is kept until it has not been used for so long."""
    keep_events_days: Days = 90
    """What `memoryd events` counts is kept for so long,"""
    keep_events: Annotated[int, msgspec.Meta(ge=1_000)] = 1_000_000
    """and of that the newest so many: some 150 MB."""


class HostsConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Agents' programs that `memoryd connect` has connected."""

    wait_s: Annotated[float, msgspec.Meta(ge=0, le=5)] = 0.5
    """How long a prompt may be kept waiting for the memory that it brings up, in seconds; what takes longer comes with
    the next one."""


class IpcConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The connections of clients."""

    connections: Annotated[int, msgspec.Meta(ge=0)] = 0
    """How many there may be at once; a client has one to three. 0, and at most: as many as the limit of open files
    allows."""
    tcp: str = ""
    """HOST:PORT where clients on other machines are served, if they have a key (`memoryd keys`); the two ports above
    are used, too. Empty: nobody on a network is served."""
    tcp_connections: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 256
    """How many of them there may be at once."""
    tcp_rate: Annotated[float, msgspec.Meta(gt=0, le=100_000)] = 50.0
    """Messages a second for each key, and four times as many at once; one of more than 64 KiB counts as several."""


class DaemonConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The process."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """debug tells of each message; warning and error leave out what goes well."""
    drain_s: Positive = 10.0
    """How long a stop may take to finish what was accepted, in seconds."""


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings."""

    embedding: EmbeddingConfig = EmbeddingConfig()
    recall: RecallSettings = RecallSettings()
    capture: CaptureSettings = CaptureSettings()
    sidecar: SidecarConfig = SidecarConfig()
    privacy: PrivacyConfig = PrivacyConfig()
    index: IndexConfig = IndexConfig()
    ledger: LedgerConfig = LedgerConfig()
    lifecycle: LifecycleSettings = LifecycleSettings()
    consolidation: ConsolidationSettings = ConsolidationSettings()
    consent: ConsentSettings = ConsentSettings()
    core: CoreSettings = CoreSettings()
    checkpoints: CheckpointSettings = CheckpointSettings()
    hosts: HostsConfig = HostsConfig()
    transcripts: TranscriptSettings = TranscriptSettings()
    context: WindowSettings = WindowSettings()
    episodes: EpisodeSettings = EpisodeSettings()
    summaries: SummarySettings = SummarySettings()
    ipc: IpcConfig = IpcConfig()
    telemetry: TelemetryConfig = TelemetryConfig()
    daemon: DaemonConfig = DaemonConfig()
    categories: dict[str, CategorySettings] = msgspec.field(default_factory=lambda: dict(BUILT_IN_CATEGORIES))
    """How kinds of memory come into a context, by their names; a category that is not named here is as any other."""
    allowlists: dict[str, tuple[str, ...]] = {}
    """The categories that an agent may see and write; `@planner` and its like stand for a preset's, which
    `memoryd categories` shows. An agent that is not named here may all."""


_FIXED: Final = """
consent.confident consolidation.recent_hours consolidation.important_from
consolidation.often_used consolidation.recency_days consolidation.fallback_low consolidation.check_low
consolidation.overlap consolidation.remembered_days consolidation.rollup_tokens lifecycle.correction_days
lifecycle.preference_days lifecycle.fact_days lifecycle.observation_days
"""
RETIRED: Final[Mapping[str, str]] = {
    "sidecar.cadence": "the model judges every context",
    "sidecar.cadence_turns": "the model judges every context",
    "sidecar.second_vote": "the model judges a context once",
    **dict.fromkeys(_FIXED.split(), "its number is fixed"),
}
"""Settings that there were, and what is so instead. One that is still said is left out, with a warning."""


class ConfigInvalid(Exception):
    """Raised when the configuration cannot be read; the message names the file or variable, the key and the reason."""


def load(path: Path, environ: Mapping[str, str] | None = None) -> Config:
    """Return the configuration in force; a missing file means defaults.

    Raises:
        ConfigInvalid: it is not TOML, or a key is unknown or has a value that it cannot have.
    """
    env = os.environ if environ is None else environ
    tables = _read(path)
    for section, key in _retired(tables):
        del tables[section][key]
    source = str(path)
    given = overrides(env)
    for (section, key), value in given.items():
        tables.setdefault(section, {})[key] = value
    tables = with_built_in(tables)
    try:
        # Not strict: environment variables are text, and "4" is a fine number.
        config = msgspec.convert(tables, Config, strict=False)
    except msgspec.ValidationError as exc:
        places = (f"MEMORYD_{section}_{key}".upper() for section, key in given if f"$.{section}.{key}`" in str(exc))
        raise ConfigInvalid(f"{next(places, source)}: {exc}") from exc
    for agent, names in config.allowlists.items():
        try:
            expanded(names)
        except (NoAgentNamed, NoSuchPreset) as unknown:
            raise ConfigInvalid(f"{source}: {unknown} - at `$.allowlists.{agent}`") from unknown
    sidecar = config.sidecar
    if not sidecar.api_key and env.get("ANTHROPIC_API_KEY"):
        sidecar = msgspec.structs.replace(sidecar, api_key=env["ANTHROPIC_API_KEY"])
    # A key is for its service: no program on this machine gets it because it listens at an address.
    if not sidecar.openai_api_key and env.get("OPENAI_API_KEY") and sidecar.base_url.startswith("https://"):
        sidecar = msgspec.structs.replace(sidecar, openai_api_key=env["OPENAI_API_KEY"])
    return msgspec.structs.replace(config, sidecar=sidecar)


def retired_in(path: Path) -> list[str]:
    """Return a sentence for each setting of the file that is none any more.

    Raises:
        ConfigInvalid: it is not TOML.
    """
    names = [f"{section}.{key}" for section, key in _retired(_read(path))]
    return [f"{name} is no setting any more and does nothing: {RETIRED[name]}" for name in names]


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as exc:
        raise ConfigInvalid(f"{path}: {exc}") from exc


def _retired(tables: Mapping[str, Any]) -> list[tuple[str, str]]:
    places = [(section, key) for section, _, key in (name.partition(".") for name in RETIRED)]
    return [
        (section, key) for section, key in places if isinstance(tables.get(section), dict) and key in tables[section]
    ]


def with_built_in(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables with what is built in of each category, wherever they say nothing else."""
    given = tables.get("categories")
    if not isinstance(given, dict):
        return dict(tables)
    merged: dict[str, Any] = {name: msgspec.structs.asdict(rule) for name, rule in BUILT_IN_CATEGORIES.items()}
    for name, rule in cast("dict[str, Any]", given).items():
        known = name_of(name)
        merged[known] = {**merged.get(known, {}), **cast("dict[str, Any]", rule)} if isinstance(rule, dict) else rule
    return {**tables, "categories": merged}


def overrides(environ: Mapping[str, str]) -> dict[tuple[str, str], str | list[str]]:
    """Return the settings that environment variables make, by section and key; lists are separated by commas."""
    found: dict[tuple[str, str], str | list[str]] = {}
    for name, (section, key, default) in _variables().items():
        if name in environ:
            found[section, key] = environ[name]
            if isinstance(default, tuple):
                with suppress(ValueError):  # refused as what it is: no list
                    found[section, key] = listed(environ[name])
    return found


def _variables() -> dict[str, tuple[str, str, object]]:
    """Return each variable that sets something: its section, key and default. Names that a user chooses have none."""
    return {
        f"MEMORYD_{section}_{key}".upper(): (section, key, getattr(table, key))
        for section, table in msgspec.structs.asdict(Config()).items()
        if isinstance(table, msgspec.Struct)
        for key in table.__struct_fields__
    }


def unread(environ: Mapping[str, str]) -> dict[str, str]:
    """Return each variable that looks as if it set something and sets nothing, with a sentence about it."""
    known = _variables().keys() | variables.OWN
    return {
        name: variables.unread(name, known)
        for name in sorted(environ)
        if name.startswith("MEMORYD_") and name not in known
    }


def listed(text: str) -> list[str]:
    """Return the entries of a list that is written with commas, or as TOML writes one: ["a", "b"].

    Raises:
        ValueError: it begins like one of TOML's and is none of texts.
    """
    if text.lstrip().startswith("["):
        try:
            found = tomllib.loads(f"list = {text}")["list"]
        except tomllib.TOMLDecodeError as exc:
            raise ValueError(f"{text!r} is no list: {exc}") from exc
        if not isinstance(found, list) or not all(isinstance(entry, str) for entry in found):
            raise ValueError(f"{text!r} is no list of texts")
        return [str(entry) for entry in found]
    return [entry.strip() for entry in text.split(",") if entry.strip()]
