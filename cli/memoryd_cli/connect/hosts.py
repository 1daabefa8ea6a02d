"""The agents' programs that can be connected: where each keeps its hooks, MCP servers and rules.

What each of them does with them stands on a page of its own in docs/hosts.
"""

import json
import shlex
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from memoryd_cli.connect.codex import Configuration
from memoryd_cli.connect.jsonc import JsonValue
from memoryd_cli.connect.parts import NAME, Block, Default, Hook, Item, Json, Member, Own, Part
from memoryd_cli.connect.program import Programs
from memoryd_client.base.paths import Paths

_TEXTS = Path(__file__).parent / "texts"
_TIMEOUT_S = 5
"""The hook gives up long before; a host that waits 30 seconds for one would wait for a machine that is stuck."""
_STARTS = "startup|resume|clear|compact"
_EVENTS = ("UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd")
"""As Claude Code calls them, and others after it."""


class Scene(msgspec.Struct, frozen=True):
    """Whose files are looked at, and what they are told to start."""

    home: Path
    """The user's home folder."""
    environ: Mapping[str, str]
    programs: Programs
    runtime: Path
    project: Path | None = None
    """The folder of the project where only that is connected."""

    @classmethod
    def of(cls, paths: Paths, environ: Mapping[str, str], project: Path | None = None) -> "Scene":
        """Return the scene of this user."""
        home = Path(environ.get("HOME") or Path.home())
        return cls(home, environ, Programs.of(paths), paths.runtime, project)

    def folder(self, name: str, variable: str = "") -> Path:
        """Return a host's folder: in the project where one is meant, else in the home or where a variable says."""
        if self.project is not None:
            return self.project / name
        return Path(self.environ.get(variable) or self.home / name) if variable else self.home / name

    def config(self, name: str) -> Path:
        """Return a host's folder among the user's configuration (XDG)."""
        return Path(self.environ.get("XDG_CONFIG_HOME") or self.home / ".config") / name

    def command(self, host: str, event: str = "") -> str:
        """Return the hook's command line for hosts that run a shell."""
        return shlex.join([str(self.programs.hook), host, *filter(None, [event])])

    @property
    def environment(self) -> dict[str, JsonValue]:
        """What the MCP server's environment has to say."""
        return dict(self.programs.environment)

    def server(self, host: str, **more: JsonValue) -> dict[str, JsonValue]:
        """Return the MCP server as most hosts want it."""
        said: dict[str, JsonValue] = {"command": str(self.programs.memoryd), "args": [*_mcp(host)], **more}
        return {**said, "env": self.environment} if self.environment else said


class Host(msgspec.Struct, frozen=True):
    """One agents' program."""

    name: str
    title: str
    program: str
    """Its command, where it has one."""
    place: Callable[[Scene], Path]
    """The folder that is there where it is installed."""
    parts: Callable[[Scene], tuple[Part, ...]]
    in_projects: bool = True
    """Whether a project can be connected by itself."""
    also: str = ""
    """What is left to be done by hand."""

    def installed(self, scene: Scene) -> bool:
        """Return whether it looks as if this user had it."""
        path = scene.environ.get("PATH")
        return (bool(self.program) and shutil.which(self.program, path=path) is not None) or self.place(scene).is_dir()


def _mcp(host: str) -> list[str]:
    """Return the MCP server's arguments: it acts under the name that the host's hooks act under."""
    return ["mcp", "--agent", host]


def _grouped(command: str, event: str, matcher: str = "", **more: JsonValue) -> Hook:
    """Return a hook as Claude Code groups them, and others after it."""
    handler: dict[str, JsonValue] = {"type": "command", "command": command, "timeout": _TIMEOUT_S, **more}
    group: dict[str, JsonValue] = {"matcher": matcher, "hooks": [handler]} if matcher else {"hooks": [handler]}
    return Hook(("hooks", event), group)


def _text(name: str, scene: Scene, host: str = "") -> str:
    text = (_TEXTS / name).read_text(encoding="utf-8")
    if "@ASK@" in text:
        text = text.replace("@ASK@", _text("ask.js", scene, host))
    return text.replace("@RUNTIME@", json.dumps(str(scene.runtime))).replace("@HOST@", host)


def _claude(scene: Scene) -> tuple[Part, ...]:
    folder = scene.folder(".claude", "CLAUDE_CONFIG_DIR")
    plugin = folder / "skills" / NAME
    manifest = {"name": NAME, "version": "1.0.0", "description": "Long-term memory", "author": {"name": NAME}}
    hook = str(scene.programs.hook)
    events = {"SessionStart": _STARTS, **dict.fromkeys(_EVENTS, ""), "PostToolUseFailure": ""}
    return (
        Own(plugin / ".claude-plugin/plugin.json", json.dumps(manifest, indent=2) + "\n"),
        # With arguments apart no shell is started, which takes half of the time.
        Json(
            plugin / "hooks/hooks.json",
            tuple(_grouped(hook, event, matcher, args=["claude"]) for event, matcher in events.items()),
            alone=True,
        ),
        Own(plugin / "skills/memoryd/SKILL.md", _text("SKILL.md", scene)),
        Json(plugin / ".mcp.json", (Member(("mcpServers", NAME), scene.server("claude", type="stdio")),), alone=True),
        Json(folder / "settings.json", (Item(("permissions", "allow"), f"mcp__plugin_{NAME}_{NAME}"),)),
    )


def _codex(scene: Scene) -> tuple[Part, ...]:
    folder = scene.folder(".codex", "CODEX_HOME")
    command = scene.command("codex")
    table: dict[str, str | list[str] | dict[str, str]] = {"command": str(scene.programs.memoryd), "args": _mcp("codex")}
    # It hands on hardly anything else.
    table["env_vars"] = ["MEMORYD_OWNER", "MEMORYD_PROJECT"]
    if scene.programs.environment:
        table["env"] = scene.programs.environment
    return (
        Json(
            folder / "hooks.json",
            (
                _grouped(command, "SessionStart", _STARTS),
                _grouped(command, "UserPromptSubmit"),
                _grouped(command, "PostToolUse"),
                _grouped(command, "Stop"),
                # At most three seconds are granted there.
                Hook(("hooks", "SessionEnd"), {"hooks": [{"type": "command", "command": command, "timeout": 2}]}),
            ),
        ),
        Configuration(folder / "config.toml", folder / "hooks.json", table),
    )


def _gemini(scene: Scene) -> tuple[Part, ...]:
    command = scene.command("gemini")
    # Its timeouts are milliseconds.
    handler: dict[str, JsonValue] = {"name": NAME, "type": "command", "command": command, "timeout": _TIMEOUT_S * 1000}
    hooks = [
        Hook(("hooks", event), {"hooks": [handler]})
        for event in ("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd")
    ]
    server = Member(("mcpServers", NAME), scene.server("gemini", trust=True))
    return (Json(scene.folder(".gemini") / "settings.json", (*hooks, server)),)


def _qwen(scene: Scene) -> tuple[Part, ...]:
    command = scene.command("qwen")
    hooks = [_grouped(command, event, name=NAME) for event in ("SessionStart", *_EVENTS)]
    server = Member(("mcpServers", NAME), scene.server("qwen", trust=True))
    return (Json(scene.folder(".qwen") / "settings.json", (*hooks, server)),)


def _opencode(scene: Scene) -> tuple[Part, ...]:
    folder = scene.project / ".opencode" if scene.project else scene.config("opencode")
    home = scene.project or folder
    settings = home / "opencode.jsonc" if (home / "opencode.jsonc").exists() else home / "opencode.json"
    server: dict[str, JsonValue] = {
        "type": "local",
        "command": [str(scene.programs.memoryd), *_mcp("opencode")],
        "enabled": True,
    }
    if scene.environment:
        server["environment"] = scene.environment
    return (
        Own(folder / "plugins/memoryd.js", _text("opencode.js", scene, "opencode")),
        Json(settings, (Member(("mcp", NAME), server),)),
    )


def _copilot(scene: Scene) -> tuple[Part, ...]:
    hooks = scene.project / ".github/hooks" if scene.project else scene.home / ".copilot/hooks"
    entries: list[Default | Hook] = [Default("version", 1)]
    for event in ("sessionStart", "userPromptSubmitted", "agentStop", "sessionEnd"):
        # Its events do not say their names.
        item: dict[str, JsonValue] = {
            "type": "command",
            "bash": scene.command("copilot", event),
            "timeoutSec": _TIMEOUT_S,
        }
        entries.append(Hook(("hooks", event), item))
    server = scene.server("copilot", type="local", tools=["*"])
    user = (
        ()
        if scene.project
        else (Json(scene.home / ".copilot/mcp-config.json", (Member(("mcpServers", NAME), server),)),)
    )
    return (Json(hooks / "memoryd.json", tuple(entries), alone=True), *user)


def _cursor(scene: Scene) -> tuple[Part, ...]:
    folder = scene.folder(".cursor")
    command = scene.command("cursor")
    events = ("sessionStart", "beforeSubmitPrompt", "afterAgentResponse", "sessionEnd")
    hooks = [Hook(("hooks", event), {"command": command}) for event in events]
    rule = f"---\nalwaysApply: true\n---\n\n{_text('instructions.md', scene)}"
    return (
        Json(folder / "hooks.json", (Default("version", 1), *hooks)),
        Json(folder / "mcp.json", (Member(("mcpServers", NAME), scene.server("cursor")),)),
        *((Own(folder / "rules/memoryd.mdc", rule),) if scene.project else ()),
    )


def _windsurf(scene: Scene) -> tuple[Part, ...]:
    folder = scene.home / ".codeium/windsurf"
    command = scene.command("windsurf")
    events = ("pre_user_prompt", "post_cascade_response")
    return (
        Json(folder / "hooks.json", tuple(Hook(("hooks", event), {"command": command}) for event in events)),
        Json(folder / "mcp_config.json", (Member(("mcpServers", NAME), scene.server("windsurf")),)),
        Block(folder / "memories/global_rules.md", _text("instructions.md", scene)),
    )


def _code_folder(scene: Scene) -> Path:
    mac = scene.home / "Library/Application Support/Code/User"
    return mac if mac.is_dir() else scene.config("Code/User")


def _vscode(scene: Scene) -> tuple[Part, ...]:
    folder = _code_folder(scene)
    servers = scene.project / ".vscode/mcp.json" if scene.project else folder / "mcp.json"
    rules = scene.project / ".github/instructions" if scene.project else folder / "prompts"
    text = f"---\napplyTo: '**'\n---\n\n{_text('instructions.md', scene)}"
    return (
        Json(servers, (Member(("servers", NAME), scene.server("vscode", type="stdio")),)),
        Own(rules / "memoryd.instructions.md", text),
    )


def _zed(scene: Scene) -> tuple[Part, ...]:
    settings = (scene.project / ".zed" if scene.project else scene.config("zed")) / "settings.json"
    return (
        Json(settings, (Member(("context_servers", NAME), scene.server("zed", source="custom")),)),
        *((Block(scene.project / "AGENTS.md", _text("instructions.md", scene)),) if scene.project else ()),
    )


def _cline(scene: Scene) -> tuple[Part, ...]:
    settings = scene.home / ".cline/data/settings/cline_mcp_settings.json"
    return (
        Json(settings, (Member(("mcpServers", NAME), scene.server("cline", disabled=False)),)),
        Own(scene.home / "Documents/Cline/Rules/memoryd.md", _text("instructions.md", scene)),
    )


def _crush(scene: Scene) -> tuple[Part, ...]:
    settings = scene.project / "crush.json" if scene.project else scene.config("crush") / "crush.json"
    return (
        Json(settings, (Member(("mcp", NAME), scene.server("crush", type="stdio")),)),
        *((Block(scene.project / "AGENTS.md", _text("instructions.md", scene)),) if scene.project else ()),
    )


def _goose(scene: Scene) -> tuple[Part, ...]:
    plugin = scene.home / ".agents/plugins" / NAME
    manifest = {"name": NAME, "version": "1.0.0", "description": "Long-term memory"}
    events = ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")
    return (
        Own(plugin / "plugin.json", json.dumps(manifest, indent=2) + "\n"),
        Json(
            plugin / "hooks/hooks.json",
            tuple(_grouped(scene.command("goose"), event) for event in events),
            alone=True,
        ),
        Block(scene.config("goose") / ".goosehints", _text("instructions.md", scene)),
    )


def _pi(scene: Scene) -> tuple[Part, ...]:
    return (Own(scene.home / ".pi/agent/extensions/memoryd.ts", _text("pi.ts", scene, "pi")),)


_GOOSE = (
    "Its settings are YAML; for the tools run `goose configure`, and add the command `memoryd mcp` as an extension."
)
HOSTS = {
    host.name: host
    for host in (
        Host("claude", "Claude Code", "claude", lambda scene: scene.folder(".claude", "CLAUDE_CONFIG_DIR"), _claude),
        Host("codex", "Codex", "codex", lambda scene: scene.folder(".codex", "CODEX_HOME"), _codex),
        Host("gemini", "Gemini CLI", "gemini", lambda scene: scene.home / ".gemini", _gemini),
        Host("opencode", "OpenCode", "opencode", lambda scene: scene.config("opencode"), _opencode),
        Host("copilot", "Copilot CLI", "copilot", lambda scene: scene.home / ".copilot", _copilot),
        Host("qwen", "Qwen Code", "qwen", lambda scene: scene.home / ".qwen", _qwen),
        Host("cursor", "Cursor", "cursor", lambda scene: scene.home / ".cursor", _cursor),
        Host("vscode", "VS Code", "code", _code_folder, _vscode),
        Host("pi", "pi", "pi", lambda scene: scene.home / ".pi", _pi, in_projects=False),
        Host("goose", "Goose", "goose", lambda scene: scene.config("goose"), _goose, in_projects=False, also=_GOOSE),
        Host(
            "windsurf",
            "Windsurf",
            "windsurf",
            lambda scene: scene.home / ".codeium/windsurf",
            _windsurf,
            in_projects=False,
        ),
        Host("zed", "Zed", "zed", lambda scene: scene.config("zed"), _zed),
        Host("cline", "Cline", "cline", lambda scene: scene.home / ".cline", _cline, in_projects=False),
        Host("crush", "Crush", "crush", lambda scene: scene.config("crush"), _crush),
    )
}
"""By the name that the command line knows them by."""
