"""What the README shows is what happens."""

import re
import tomllib
from pathlib import Path

from memoryd.config import Config
from memoryd_client.base.paths import Paths
from running import RunningDaemon

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_client_example_runs_as_it_is_written(short_home: Path, models: Path) -> None:
    example = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert example is not None
    with RunningDaemon(short_home, models) as daemon:
        with daemon.client() as client:
            daemon.indexed(client)
        scope: dict[str, object] = {}
        code = example.group(1).replace('Client(session="s1"', 'Client(paths=paths, session="s1"')
        exec(compile(code, "README.md", "exec"), {"paths": daemon.paths}, scope)  # noqa: S102 - our own README
    assert scope["pending"] is None
    assert scope["hits"]
    assert scope["page"] is not None
    assert len(example.group(1).strip().splitlines()) <= 10


def test_the_settings_it_shows_exist_with_these_defaults() -> None:
    table = re.search(r"```toml\n(.*?)```", README, re.DOTALL)
    assert table is not None
    section = ""
    for line in table.group(1).splitlines():
        if heading := re.match(r"\[(\w+)\]", line):
            section = heading.group(1)
        elif setting := re.match(r"(\w+) = (\[.*?\]|\S+)", line):
            name, value = setting.groups()
            assert hasattr(getattr(Config(), section), name), name
            if value != '"..."':
                default = getattr(getattr(Config(), section), name)
                assert type(default)(tomllib.loads(f"value = {value}")["value"]) == default, name


def test_the_files_it_links_to_exist() -> None:
    for link in re.findall(r"\]\(([\w./]+)\)", README):
        assert (ROOT / link).exists(), link


def test_the_environment_variables_it_names_are_obeyed(tmp_path: Path) -> None:
    variables = {
        "HOME": "/home/ana",
        "MEMORYD_HOME": str(tmp_path / "h"),
        "MEMORYD_CONFIG": str(tmp_path / "c.toml"),
        "MEMORYD_RUNTIME_DIR": str(tmp_path / "r"),
    }
    assert set(re.findall(r"`(MEMORYD_[A-Z_]+)`, else", README)) == set(variables) - {"HOME"}
    paths = Paths.from_environment(variables)
    assert (paths.home, paths.config, paths.runtime) == (tmp_path / "h", tmp_path / "c.toml", tmp_path / "r")
