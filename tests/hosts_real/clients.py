"""The real programs: where they come from, and how each is pointed at the fake model."""

import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest

KEY = "sk-ant-fake-0000000000000000000000"
PLACE = Path(os.environ.get("MEMORYD_TEST_HOSTS") or Path(tempfile.gettempdir()) / f"memoryd-test-hosts-{os.getuid()}")
"""The programs are installed here once, and kept."""
_NPM_S, _RUN_S = 600, 300


@dataclass(frozen=True)
class RealHost:
    """A program from npm."""

    name: str
    package: str
    program: str
    environment: dict[str, str]
    """`@URL@` stands for the model's address."""
    command: tuple[str, ...]
    """`@PROMPT@` stands for the prompt."""
    again: tuple[str, ...] = ("--continue",)
    """Put before the prompt where the last session goes on."""
    files: dict[str, str] = field(default_factory=dict)
    """What lies in the user's home before anything is connected; `@PROJECT@` stands for the project."""


def _toml(name: str, value: object) -> tuple[str, str]:
    return "-c", f"{name}={json.dumps(value)}"


_CODEX = (
    *_toml("model_provider", "fake"),
    *_toml("model", "gpt-5.5"),
    *_toml("check_for_update_on_startup", False),
    *_toml("analytics.enabled", False),
    *_toml("model_providers.fake.name", "fake"),
    "-c",
    'model_providers.fake.base_url="@URL@/v1"',
    *_toml("model_providers.fake.env_key", "FAKE_API_KEY"),
    *_toml("model_providers.fake.wire_api", "responses"),
    *_toml("model_providers.fake.supports_websockets", False),
)
_GEMINI = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
}
_QWEN = {**_GEMINI, "security": {"auth": {"selectedType": "openai"}}}
_CLAUDE = {
    "hasCompletedOnboarding": True,
    "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
    "projects": {"@PROJECT@": {"hasTrustDialogAccepted": True}},
}
_OPENCODE = {
    "model": "fake/fake-model",
    "small_model": "fake/fake-model",
    "autoupdate": False,
    "share": "disabled",
    "provider": {
        "fake": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "fake",
            "options": {"baseURL": "@URL@/v1", "apiKey": KEY},
            "models": {"fake-model": {"name": "fake", "limit": {"context": 200000, "output": 8000}}},
        }
    },
}
HOSTS = {
    host.name: host
    for host in (
        RealHost(
            "claude",
            "@anthropic-ai/claude-code",
            "claude",
            {
                "ANTHROPIC_BASE_URL": "@URL@",
                "ANTHROPIC_API_KEY": KEY,
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
                "DISABLE_TELEMETRY": "1",
                "DISABLE_ERROR_REPORTING": "1",
            },
            ("-p", "@PROMPT@"),
            files={".claude.json": json.dumps(_CLAUDE)},
        ),
        RealHost(
            "codex",
            "@openai/codex",
            "codex",
            {"FAKE_API_KEY": KEY},
            ("exec", *_CODEX, "--skip-git-repo-check", "-s", "danger-full-access", "@PROMPT@"),
            ("resume", "--last"),
            {".codex/config.toml": '# mine\nmodel_reasoning_effort = "low"  # enough\n'},
        ),
        RealHost(
            "gemini",
            "@google/gemini-cli",
            "gemini",
            {
                "GEMINI_API_KEY": "AIza" + 35 * "0",
                "GOOGLE_GEMINI_BASE_URL": "@URL@",
                "GEMINI_CLI_TRUST_WORKSPACE": "true",
                "GEMINI_TELEMETRY_ENABLED": "false",
            },
            ("-m", "gemini-3-pro-preview", "-p", "@PROMPT@"),
            ("--resume", "latest"),
            {".gemini/settings.json": json.dumps(_GEMINI, indent=2)},
        ),
        RealHost(
            "opencode",
            "opencode-ai",
            "opencode",
            {
                "OPENCODE_CONFIG_CONTENT": json.dumps(_OPENCODE),
                "OPENCODE_DISABLE_AUTOUPDATE": "1",
                "OPENCODE_DISABLE_MODELS_FETCH": "1",
                "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            },
            ("run", "@PROMPT@"),
        ),
        RealHost(
            "copilot",
            "@github/copilot",
            "copilot",
            {
                "COPILOT_OFFLINE": "true",
                "COPILOT_PROVIDER_BASE_URL": "@URL@/v1",
                "COPILOT_PROVIDER_API_KEY": KEY,
                "COPILOT_MODEL": "gpt-5.5",
                "COPILOT_AUTO_UPDATE": "false",
            },
            ("--allow-all-tools", "-p", "@PROMPT@"),
        ),
        RealHost(
            "qwen",
            "@qwen-code/qwen-code",
            "qwen",
            {
                "OPENAI_API_KEY": KEY,
                "OPENAI_BASE_URL": "@URL@/v1",
                "OPENAI_MODEL": "fake-model",
                "QWEN_CODE_TRUST_WORKSPACE": "true",
            },
            ("-p", "@PROMPT@"),
            files={".qwen/settings.json": json.dumps(_QWEN, indent=2)},
        ),
    )
}


def install(host: RealHost) -> str:
    """Return what leads to the program on a PATH; the test skips, and says why, where it cannot be had."""
    node = install_node()
    folder = package(host.name, host.package, node)
    if not (folder / ".bin" / host.program).exists():
        pytest.skip(f"{host.package} could not be installed from the registry")
    if host.name == "opencode":
        version = subprocess.run([folder / ".bin/opencode", "--version"], capture_output=True, text=True, check=True)
        # It installs this beside every plugin by itself, and waits a minute for a registry that it cannot reach.
        package("opencode-plugin", f"@opencode-ai/plugin@{version.stdout.strip()}", node)
    return f"{node}:{folder}/.bin"


def install_node() -> Path:
    """Return the folder of a node that is new enough for all of them."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not here")
    return package("node", "node@24") / "node/bin"


def package(name: str, wanted: str, node: Path | None = None) -> Path:
    """Return the modules among which a package from npm lies, installed once.

    npm chooses the newest version that the node takes under which it runs itself: it is given the one that is used.
    """
    modules = PLACE / name / "node_modules"
    if not modules.exists():
        modules.parent.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(modules.parent), wanted]
        path = os.environ["PATH"]
        environment = {**os.environ, "PATH": f"{node}:{path}" if node else path}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=_NPM_S)
        if done.returncode:
            shutil.rmtree(modules, ignore_errors=True)
            pytest.skip(f"npm install {wanted}: {done.stderr.strip()[-300:]}")
    return modules
