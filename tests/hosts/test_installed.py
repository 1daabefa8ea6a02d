"""memoryd from a wheel, in an environment of its own: the hook that it connects runs and is answered."""

import sys
import venv
import zipfile
from pathlib import Path

import pytest

from installation import a_user, build_wheel, check_hook

SCRIPT = "#!{python}\nfrom memoryd_cli import main\nmain()\n"


@pytest.mark.timeout(600)
def test_the_hook_of_an_installed_wheel_runs_and_is_answered(models: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", symlinks=True)
    (site,) = (tmp_path / "venv/lib").glob("python*/site-packages")
    with zipfile.ZipFile(build_wheel(tmp_path)) as archive:
        archive.extractall(site)
    # A path file adds one folder, and not what the path files in there name: the sources are not among them.
    (site / "needed.pth").write_text("".join(f"{path}\n" for path in sys.path if path.endswith("site-packages")))
    command, python = tmp_path / "venv/bin/memoryd", tmp_path / "venv/bin/python"
    command.write_text(SCRIPT.format(python=python))
    command.chmod(0o755)
    with a_user(models) as user:
        check_hook(command, python, user)
