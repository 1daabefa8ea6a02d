"""memoryd from a wheel, in an environment of its own: it remembers, and the hook that it connects is answered."""

import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

from cli.memoryd_command import MEMORYD
from installation import ROOT, a_user, build_wheel, check_hook
from memoryd import __version__
from memoryd_client.version import VERSION

SCRIPT = "#!{python}\nfrom memoryd_cli import main\nmain()\n"
PACKAGES = ("client/memoryd_client", "actors/memoryd_actors", "daemon/memoryd", "cli/memoryd_cli")


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def bin_folder(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, installed in an environment that has the packages that it needs, and not these sources."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "venv", symlinks=True)
    (site,) = (folder / "venv/lib").glob("python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    # A path file adds one folder, and not what the path files in there name: the sources are not among them.
    (site / "needed.pth").write_text("".join(f"{path}\n" for path in sys.path if path.endswith("site-packages")))
    command, python = folder / "venv/bin/memoryd", folder / "venv/bin/python"
    command.write_text(SCRIPT.format(python=python))
    command.chmod(0o755)
    return command.parent


@pytest.mark.timeout(600)
@pytest.mark.slow
def test_an_installed_wheel_remembers_and_finds_and_the_hook_that_it_connects_is_answered(
    bin_folder: Path, models: Path
) -> None:
    with a_user(models) as user:
        environment = {"HOME": str(user), "PATH": os.environ["PATH"], "MEMORYD_PRIVACY_OFFLINE": "true"}

        def memoryd(*arguments: str) -> str:
            command = [str(bin_folder / "memoryd"), *arguments]
            done = subprocess.run(command, env=environment, cwd=user, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            return done.stdout + done.stderr

        try:
            assert memoryd("--version").split()[-1] == VERSION
            assert "is ready" in memoryd("start")
            memoryd("add", "The login test fails at midnight.")
            assert "midnight" in memoryd("search", "login", "test")
            assert "stopped" in memoryd("stop")
        finally:
            subprocess.run([bin_folder / "memoryd", "stop"], env=environment, capture_output=True, check=False)
        check_hook(bin_folder / "memoryd", bin_folder / "python", user)


def test_the_wheel_has_every_file_of_the_product_and_a_source_distribution_makes_the_same(
    wheel: Path, tmp_path: Path
) -> None:
    tracked = subprocess.run(["git", "ls-files", *PACKAGES], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.returncode == 0 and tracked.stdout:
        files = (name for name in tracked.stdout.splitlines() if not (ROOT / name).is_symlink())
        assert names(wheel) >= {name.partition("/")[2] for name in files}
    backend: Any = pytest.importorskip("hatchling.builders.sdist", reason="the build backend is not installed")
    source = Path(next(backend.SdistBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])))
    assert source.name == f"memoryd-{VERSION}.tar.gz"
    shutil.unpack_archive(source, tmp_path, filter="data")
    unpacked = tmp_path / f"memoryd-{VERSION}"
    assert names(build_wheel(tmp_path / "again", unpacked)) == names(wheel)
    assert {"README.md", "CHANGELOG.md", "LICENSE", "docs", "examples"} <= set(os.listdir(unpacked))


def test_the_command_and_the_changelog_name_this_release() -> None:
    """Also where the sources were installed before it was one: their metadata still name the last one."""
    said = subprocess.run([MEMORYD, "--version"], capture_output=True, text=True, check=True).stdout
    assert said == f"memoryd {VERSION}\n"
    assert __version__ == VERSION
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[(\d[^\]]*)\] - \d{4}-\d\d-\d\d$", text, re.MULTILINE)
    assert newest is not None
    assert newest[1] == VERSION
