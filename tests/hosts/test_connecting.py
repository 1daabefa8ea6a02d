"""Connecting and disconnecting, with real files in a home of its own."""

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.connect import jsonc, tables
from memoryd_cli.connect.changes import Connector
from memoryd_cli.connect.edit import Edit, Malformed, difference, undone
from memoryd_cli.connect.hosts import HOSTS, Host, Scene
from memoryd_cli.connect.parts import BEGIN, Block, Hook, Json, Member
from memoryd_cli.connect.program import Programs
from memoryd_client.base.paths import Paths

NAMES = list(HOSTS)
IN_PROJECTS = [name for name, host in HOSTS.items() if host.in_projects]


def connector(home: Path, *, project: Path | None = None, memoryd: str = "/opt/bin/memoryd") -> Connector:
    environ = {"HOME": str(home)}
    paths = Paths.from_environment(environ)
    programs = Programs(paths.home / "memoryd-hook", Path(memoryd), {})
    return Connector(paths, Scene(home, environ, programs, paths.runtime, project))


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def folders(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_dir()}


def pruned(value: jsonc.JsonValue) -> jsonc.JsonValue:
    """Return a value without the empty objects and lists in it."""
    if isinstance(value, dict):
        return {key: kept for key, inner in value.items() if (kept := pruned(inner)) not in ({}, [])}
    return [pruned(inner) for inner in value] if isinstance(value, list) else value


def fill(home: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(text.encode())


USERS = {
    ".claude/settings.json": '{"permissions": {"allow": ["Bash(ls)"]}, "model": "opus"}',
    ".codex/config.toml": '# mine\nmodel = "gpt"  # the best\n\n[mcp_servers.other]\ncommand = "x"\n',
    ".codex/hooks.json": '{\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "say"}]}]\n  }\n}\n',
    ".gemini/settings.json": '{\n\t// mine\n\t"security": {"auth": {"type": "x"}}, // keep\n\t"hooks": {},\n}\n',
    ".qwen/settings.json": '{\r\n    "hooks": {\r\n        "Stop": []\r\n    }\r\n}\r\n',
    ".cursor/hooks.json": '{"version": 2, "hooks": {"beforeSubmitPrompt": [{"command": "mine"}]}}',
    ".cursor/mcp.json": "",
    ".copilot/mcp-config.json": '{"mcpServers": {}}\n',
    ".config/opencode/opencode.jsonc": '{\n  // a comment\n  "mcp": {"other": {"type": "local"}}\n}',
    ".config/Code/User/mcp.json": '{\n    "servers": {\n        "other": {} // mine\n    },\n}\n',
    ".config/zed/settings.json": "// Zed settings\n//\n{\n  /* none */\n}\n",
    ".codeium/windsurf/memories/global_rules.md": "Be kind.",
    ".config/crush/crush.json": '{"mcp":{}}',
    ".cline/data/settings/cline_mcp_settings.json": '{\n  "mcpServers": {\n  }\n}',
    ".config/goose/.goosehints": "Hints.\n\n",
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("before", [{}, USERS], ids=["nothing there", "everything there"])
def test_disconnecting_leaves_every_file_as_it_was(tmp_path: Path, name: str, before: dict[str, str]) -> None:
    fill(tmp_path, before)
    was, had = files(tmp_path), folders(tmp_path)
    to = connector(tmp_path)
    host = HOSTS[name]
    to.apply(to.connecting(host))
    connected = files(tmp_path)
    assert connected != was
    assert all(good for _, good in to.states(host))
    assert not any(change.real for change in to.connecting(host))
    to.apply(to.connecting(host))
    assert files(tmp_path) == connected
    to.apply(to.disconnecting(host))
    assert files(tmp_path) == was
    assert folders(tmp_path) - had <= {".local", ".local/share", ".local/share/memoryd"}
    assert not any(change.real for change in to.disconnecting(host))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("cut_off", ["connecting", "disconnecting"])
def test_files_are_as_they_were_also_after_a_kill_between_the_note_and_the_file(
    tmp_path: Path, name: str, cut_off: str
) -> None:
    fill(tmp_path, USERS)
    was = files(tmp_path)
    to, host = connector(tmp_path), HOSTS[name]
    to.apply(to.connecting(host))
    note, hook = to.paths.home / "connections.json", to.scene.programs.hook
    left = {file: file.read_bytes() for file in (note, hook) if file.exists()}
    to.apply(to.disconnecting(host))
    # Connecting notes before it writes, and disconnecting after: the note says what is not, or no more, in the file.
    for file, content in left.items():
        if file == note or cut_off == "connecting":
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    to.apply(to.connecting(host))
    to.apply(to.disconnecting(host))
    assert files(tmp_path) == was


@pytest.mark.parametrize("name", IN_PROJECTS)
def test_a_project_is_connected_by_itself(tmp_path: Path, name: str) -> None:
    project = tmp_path / "shop"
    fill(project, {"AGENTS.md": "# Rules\n"})
    was = files(tmp_path)
    to = connector(tmp_path, project=project)
    to.apply(to.connecting(HOSTS[name]))
    changed = {path for path, content in files(tmp_path).items() if was.get(path) != content}
    assert all(path.startswith(("shop/", ".local/share/memoryd/")) for path in changed)
    assert any(path.startswith("shop/") for path in changed)
    to.apply(to.disconnecting(HOSTS[name]))
    assert files(tmp_path) == was


def test_hosts_share_the_hook_and_the_last_one_takes_it_along(tmp_path: Path) -> None:
    to = connector(tmp_path)
    hook = to.scene.programs.hook
    for name in ("claude", "codex"):
        to.apply(to.connecting(HOSTS[name]))
    assert stat.S_IMODE(hook.stat().st_mode) == 0o700
    to.apply(to.disconnecting(HOSTS["claude"]))
    assert hook.exists()
    to.apply(to.disconnecting(HOSTS["codex"]))
    assert not hook.exists()
    assert not (to.paths.home / "connections.json").exists()


@pytest.mark.parametrize("name", NAMES)
def test_what_others_add_meanwhile_stays(tmp_path: Path, name: str) -> None:
    fill(tmp_path, USERS)
    was = {path: content for path, content in files(tmp_path).items() if path.endswith((".json", ".jsonc"))}
    to = connector(tmp_path)
    to.apply(to.connecting(HOSTS[name]))
    for path in was:
        edit = Edit((tmp_path / path).read_bytes().decode())
        jsonc.put(edit, ["theirs"], {"deep": [1]})
        (tmp_path / path).write_bytes(edit.text.encode())
    to.apply(to.disconnecting(HOSTS[name]))
    for path, content in was.items():
        text = (tmp_path / path).read_bytes().decode()
        assert "memoryd" not in text
        left = jsonc.parse(text).plain()
        assert isinstance(left, dict)
        assert left.pop("theirs") == {"deep": [1]}
        before = jsonc.parse(content.decode()).plain()
        assert isinstance(before, dict)
        assert pruned(left) == pruned(before)


def test_a_file_that_was_made_goes_also_where_its_host_has_put_a_frame_into_it(tmp_path: Path) -> None:
    to = connector(tmp_path)
    to.apply(to.connecting(HOSTS["opencode"]))
    file = tmp_path / ".config/opencode/opencode.json"
    file.write_text(json.dumps({"$schema": "https://opencode.ai/config.json", **json.loads(file.read_text())}))
    to.apply(to.disconnecting(HOSTS["opencode"]))
    assert not file.exists()


def test_a_malformed_file_stops_everything_before_anything_is_written(tmp_path: Path) -> None:
    fill(tmp_path, {".qwen/settings.json": '{"hooks": {"Stop": [}}'})
    was = files(tmp_path)
    to = connector(tmp_path)
    with pytest.raises(CommandFailed, match=r"settings\.json: line 1"):
        to.connecting(HOSTS["qwen"])
    assert files(tmp_path) == was


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".gemini/settings.json", '{"hooks": []}'),
        (".gemini/settings.json", '{"hooks": {"BeforeAgent": {}}}'),
        (".gemini/settings.json", '{"mcpServers": {"memoryd": {"command": "other"}}}'),
        (".gemini/settings.json", "[1]"),
        (".gemini/settings.json", '{"a": 1, "a": 2}'),
        (".gemini/settings.json", '{"a": 1} x'),
    ],
)
def test_what_is_somebody_elses_is_not_overwritten(tmp_path: Path, name: str, text: str) -> None:
    fill(tmp_path, {name: text})
    with pytest.raises(CommandFailed):
        connector(tmp_path).connecting(HOSTS["gemini"])


def test_an_upgrade_keeps_command_timeout_and_position_of_a_hook(tmp_path: Path) -> None:
    to = connector(tmp_path)
    to.apply(to.connecting(HOSTS["codex"]))
    file = tmp_path / ".codex/hooks.json"
    plain = json.loads(file.read_text())
    ours = plain["hooks"]["Stop"][0]["hooks"][0]
    ours["timeout"] = 9
    plain["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "say done"}]})
    file.write_text(json.dumps(plain))
    was = file.read_bytes()
    to.apply(to.connecting(HOSTS["codex"]))
    assert file.read_bytes() == was
    moved = Connector(
        to.paths, Scene(tmp_path, {}, Programs(tmp_path / "new place/memoryd-hook", Path("/m"), {}), tmp_path)
    )
    moved.apply(moved.connecting(HOSTS["codex"]))
    stop = json.loads(file.read_text())["hooks"]["Stop"]
    assert stop[0]["hooks"][0] == {**ours, "command": f"'{tmp_path}/new place/memoryd-hook' codex"}
    assert stop[1]["hooks"][0]["command"] == "say done"


def test_mode_and_link_of_a_file_stay(tmp_path: Path) -> None:
    fill(tmp_path, {"dotfiles/gemini.json": "{}"})
    real = tmp_path / "dotfiles/gemini.json"
    real.chmod(0o640)
    (tmp_path / ".gemini").mkdir()
    link = tmp_path / ".gemini/settings.json"
    link.symlink_to(real)
    to = connector(tmp_path)
    to.apply(to.connecting(HOSTS["gemini"]))
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert "memoryd-hook" in real.read_text()
    assert [path.name for path in real.parent.iterdir()] == ["gemini.json"]


def test_the_difference_shows_what_would_change_and_changes_nothing(tmp_path: Path) -> None:
    fill(tmp_path, USERS)
    was = files(tmp_path)
    changes = connector(tmp_path).connecting(HOSTS["codex"])
    told = "".join(change.difference() for change in changes if change.real)
    assert files(tmp_path) == was
    assert "+[mcp_servers.memoryd]" in told


def test_a_file_that_changes_under_our_hands_is_left_alone(tmp_path: Path) -> None:
    to = connector(tmp_path)
    changes = to.connecting(HOSTS["qwen"])
    fill(tmp_path, {".qwen/settings.json": '{"mine": 1}'})
    with pytest.raises(CommandFailed, match="changed by somebody else"):
        to.apply(changes)
    assert (tmp_path / ".qwen/settings.json").read_text() == '{"mine": 1}'


def test_without_the_journal_entries_are_known_again(tmp_path: Path) -> None:
    fill(tmp_path, USERS)
    to = connector(tmp_path)
    to.apply(to.connecting(HOSTS["codex"]))
    (to.paths.home / "connections.json").write_text("{nonsense")
    assert all(good for _, good in to.states(HOSTS["codex"]))
    to.apply(to.disconnecting(HOSTS["codex"]))
    left = files(tmp_path)
    assert not any(b"memoryd" in content for path, content in left.items() if path.startswith(".codex"))
    assert left[".codex/config.toml"] == USERS[".codex/config.toml"].encode()


def test_what_a_host_writes_on_our_behalf_is_taken_back_too(tmp_path: Path) -> None:
    fill(tmp_path, USERS)
    was = files(tmp_path)
    to = connector(tmp_path)
    host = HOSTS["codex"]
    to.apply(to.connecting(host))
    file = tmp_path / ".codex/config.toml"
    before = file.read_text()
    hooks = tmp_path / ".codex/hooks.json"
    trusted = f'\n[hooks.state]\n\n[hooks.state."{hooks}:stop:1:0"]\ntrusted_hash = "sha256:1"\n'
    file.write_text(before + trusted)
    to.note(host, file, before)
    to.apply(to.disconnecting(host))
    assert files(tmp_path) == was


def test_trust_goes_also_where_codex_has_written_more_since(tmp_path: Path) -> None:
    fill(tmp_path, USERS)
    to = connector(tmp_path)
    host = HOSTS["codex"]
    to.apply(to.connecting(host))
    file, hooks = tmp_path / ".codex/config.toml", tmp_path / ".codex/hooks.json"
    states = "".join(f'\n[hooks.state."{hooks}:{key}:0"]\ntrusted_hash = "{key}"\n' for key in ("stop:0", "stop:1"))
    file.write_text(file.read_text() + states + '\n[projects."/p"]\ntrust_level = "trusted"\n')
    to.apply(to.disconnecting(host))
    text = file.read_text()
    assert f'[hooks.state."{hooks}:stop:0:0"]' in text
    assert "stop:1:0" not in text
    assert "memoryd" not in text
    assert '[projects."/p"]' in text


# --- the engines, with drawn texts -----------------------------------------------------------------------------------

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('ab"\\/ü', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(st.sampled_from(["hooks", "mcp", "a"]), VALUES, max_size=3)
INDENTS = st.sampled_from([None, 1, 2, 4, "\t"])
ENTRIES = (
    Hook(("hooks", "Stop"), {"hooks": [{"type": "command", "command": "/x/memoryd-hook codex"}]}),
    Hook(("hooks", "Flat"), {"command": "/x/memoryd-hook cursor"}),
    Member(("mcp", "memoryd"), {"command": "memoryd", "args": ["mcp"]}),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(document=DOCUMENTS, indent=INDENTS, windows=st.booleans())
def test_any_json_takes_our_entries_and_gives_them_back(
    document: dict[str, object], indent: int | str | None, windows: bool
) -> None:
    text = json.dumps(document, indent=indent)
    text = text.replace("\n", "\r\n") if windows else text
    part = Json(Path("x"), ENTRIES)
    edit = Edit(text)
    try:
        part.merge(edit)
    except Malformed:
        # What is in the way is no object, or no list.
        assert not isinstance(document.get("hooks", {}), dict) or not isinstance(document.get("mcp", {}), dict)
        return
    merged = json.loads(edit.text)
    assert merged["mcp"]["memoryd"]["command"] == "memoryd"
    again = Edit(edit.text)
    part.merge(again)
    assert not again.changed
    assert undone(edit.text, edit.splices) == text
    stripped = Edit(edit.text)
    part.strip(stripped)
    assert "memoryd" not in stripped.text
    left = json.loads(stripped.text)
    empty: tuple[object, ...] = ({}, [])
    assert left == {key: value for key, value in document.items() if key in left or value not in empty}


@given(before=st.text("ab\n", max_size=12), after=st.text("ab\n", max_size=12))
def test_the_difference_of_two_texts_leads_back(before: str, after: str) -> None:
    assert undone(after, [difference(before, after)]) == before


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a = 1",
        "a = 1\n",
        "a = 1\r\n[b]\r\nc = 1\r\n",
        "[x]\ny = 1\n\n\n[z]\n",
        "[a]\n# x\n",
        '["mcp_servers"."other"]\ncommand = "x"\n',
    ],
)
def test_a_table_comes_and_goes(text: str) -> None:
    name = ("mcp_servers", "memoryd")
    edit = Edit(text)
    tables.put(edit, name, {"command": "x", "args": ["mcp"], "env": {"A": "b"}})
    again = Edit(edit.text)
    tables.put(again, name, {"command": "x", "args": ["mcp"]})
    assert not again.changed
    assert undone(edit.text, edit.splices) == text
    tables.cut(again, name)
    assert again.text.rstrip() == text.rstrip()


@pytest.mark.parametrize("text", ["mcp_servers = {}\n", "mcp_servers.memoryd.url = 'x'\n", "a = \n"])
def test_a_table_that_only_a_person_should_edit_is_left_alone(text: str) -> None:
    with pytest.raises(Malformed):
        tables.put(Edit(text), ("mcp_servers", "memoryd"), {"command": "x"})


def test_a_block_is_renewed_where_it_stands() -> None:
    edit = Edit("# Rules\r\n")
    Block(Path("x"), "one\ntwo").merge(edit)
    assert edit.text.count("\r\n") == edit.text.count("\n")
    edit = Edit(edit.text + "More.\r\n")
    Block(Path("x"), "three").merge(edit)
    assert edit.text.count(BEGIN) == 1
    assert edit.text.endswith("More.\r\n")
    Block(Path("x"), "").strip(edit)
    assert edit.text.split() == ["#", "Rules", "More."]


def test_every_host_is_described_once_and_known_by_its_name() -> None:
    assert all(name == host.name and isinstance(host, Host) for name, host in HOSTS.items())
    assert len({host.title for host in HOSTS.values()}) == len(HOSTS)
    assert os.path.isabs(str(connector(Path("/home/a")).scene.programs.hook))


def test_what_codex_adds_to_our_server_goes_with_it(tmp_path: Path) -> None:
    fill(tmp_path, USERS)
    to = connector(tmp_path)
    to.apply(to.connecting(HOSTS["codex"]))
    file = tmp_path / ".codex/config.toml"
    more = '\n[mcp_servers.memoryd.tools.memory_forget]\napproval_mode = "approve"\n\n[tui]\ntheme = "x"\n'
    file.write_text(file.read_text() + more)
    to.apply(to.disconnecting(HOSTS["codex"]))
    assert file.read_text() == USERS[".codex/config.toml"] + '\n[tui]\ntheme = "x"\n'


@pytest.mark.parametrize(
    ("name", "file", "text"),
    [
        ("codex", ".codex/config.toml", '[mcp_servers.memoryd]\ncommand = "/old/memoryd"\nenv = { A = "b" }\n'),
        ("codex", ".codex/config.toml", '[mcp_servers.memoryd]\ncommand = "x"\n[mcp_servers.memoryd.tools.a]\nb = 1\n'),
        ("gemini", ".gemini/settings.json", '{"mcpServers":{"memoryd":{"command":"/o/memoryd-ng","args":["serve"]}}}'),
        ("gemini", ".gemini/settings.json", '{"mcpServers":{"memoryd":{"command":"memoryd","args":["mcp"]}}}'),
    ],
)
def test_what_connecting_did_not_make_is_not_taken_away(tmp_path: Path, name: str, file: str, text: str) -> None:
    fill(tmp_path, {file: text})
    was = files(tmp_path)
    to = connector(tmp_path)
    to.apply(to.disconnecting(HOSTS[name]))
    assert files(tmp_path) == was


def test_a_file_of_others_is_never_deleted_without_a_note_that_it_was_made(tmp_path: Path) -> None:
    to = connector(tmp_path)
    for name in ("gemini", "claude"):
        to.apply(to.connecting(HOSTS[name]))
    (to.paths.home / "connections.json").unlink()
    for name in ("gemini", "claude"):
        to.apply(to.disconnecting(HOSTS[name]))
    assert jsonc.parse((tmp_path / ".gemini/settings.json").read_text()).plain() == {}
    assert files(tmp_path / ".claude").keys() == {"settings.json"}


@pytest.mark.parametrize(
    "text", ['mcp_servers = { other = { command = "x" } }\n', '[mcp_servers.memoryd]\ncommand = "x"\nenabled = false\n']
)
def test_where_a_file_cannot_be_edited_without_loss_the_rest_is_connected_and_it_says_what_to_paste(
    tmp_path: Path, text: str
) -> None:
    fill(tmp_path, {".codex/config.toml": text})
    to = connector(tmp_path)
    changes = to.connecting(HOSTS["codex"])
    (left,) = [change for change in changes if change.paste]
    assert left.paste.startswith('[mcp_servers.memoryd]\ncommand = "/opt/bin/memoryd"\nargs = ["mcp", "--agent", ')
    to.apply(changes)
    assert (tmp_path / ".codex/config.toml").read_text() == text
    assert "memoryd-hook" in (tmp_path / ".codex/hooks.json").read_text()
    assert not all(good for _, good in to.states(HOSTS["codex"]))
    to.apply(to.disconnecting(HOSTS["codex"]))
    assert files(tmp_path) == {".codex/config.toml": text.encode()}


def test_a_link_that_leads_nowhere_stays_and_nothing_is_left_where_it_leads(tmp_path: Path) -> None:
    fill(tmp_path, {"dots/other": ""})
    (tmp_path / ".qwen").mkdir()
    link = tmp_path / ".qwen/settings.json"
    link.symlink_to("../dots/none.json")
    to = connector(tmp_path)
    to.apply(to.connecting(HOSTS["qwen"]))
    assert link.exists()
    to.apply(to.disconnecting(HOSTS["qwen"]))
    assert link.is_symlink()
    assert list(files(tmp_path)) == ["dots/other"]


def test_what_is_no_file_is_said_so_and_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / ".gemini/settings.json").mkdir(parents=True)
    (tmp_path / ".qwen").mkdir()
    os.mkfifo(tmp_path / ".qwen/settings.json")
    fill(tmp_path, {".copilot": "a file"})
    to = connector(tmp_path)
    for name in ("gemini", "qwen", "copilot"):
        with pytest.raises(CommandFailed, match="Not a directory" if name == "copilot" else "is no file"):
            to.connecting(HOSTS[name])


def test_what_cannot_be_written_is_named_and_does_not_count_as_connected(tmp_path: Path) -> None:
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini/settings.json").symlink_to("../no/such/folder.json")
    to = connector(tmp_path)
    settings = next(change for change in to.connecting(HOSTS["gemini"]) if change.path.name == "settings.json")
    with pytest.raises(CommandFailed, match=r"settings\.json cannot be written: No such file or directory"):
        to.apply([settings])
    assert not to.journal().files


def test_a_hook_program_that_nobody_may_run_is_mended(tmp_path: Path) -> None:
    to = connector(tmp_path)
    to.apply(to.connecting(HOSTS["claude"]))
    hook = to.scene.programs.hook
    hook.chmod(0o600)
    assert [change.path for change in to.connecting(HOSTS["claude"]) if change.real] == [hook]
    to.apply(to.connecting(HOSTS["claude"]))
    assert stat.S_IMODE(hook.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"XDG_RUNTIME_DIR": "/run/user/7"},
        {"XDG_DATA_HOME": "/data"},
        {"XDG_DATA_HOME": "/data", "XDG_RUNTIME_DIR": "/run/user/7"},
        {"MEMORYD_HOME": "/m", "XDG_RUNTIME_DIR": "/run/user/7"},
        {"MEMORYD_RUNTIME_DIR": "/sockets"},
    ],
)
def test_a_server_that_is_handed_the_home_only_finds_the_same_daemon(
    chosen: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_RUNTIME_DIR", "XDG_DATA_HOME", "MEMORYD_HOME", "MEMORYD_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/ada", **chosen}.items():
        monkeypatch.setenv(name, value)
    paths = Paths.from_environment()
    needed = Programs.of(paths).environment
    found = Paths.from_environment({"HOME": "/home/ada", **needed})
    assert (found.home, found.runtime) == (paths.home, paths.runtime)
    assert bool(needed) == bool(chosen)
