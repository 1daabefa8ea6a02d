import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryd.system import service
from memoryd_client.base.paths import Paths

from .user_manager import CannotRun, UserManager, user_manager


@pytest.fixture(scope="session")
def shared_manager() -> Iterator[UserManager]:
    try:
        with user_manager() as manager:
            yield manager
    except CannotRun as reason:
        pytest.skip(str(reason))


@pytest.fixture
def manager(shared_manager: UserManager) -> Iterator[UserManager]:
    """The user manager, without memoryd installed before and after."""
    yield shared_manager
    shared_manager.forget_memoryd()


@pytest.fixture
def paths(manager: UserManager) -> Paths:
    """The folders of the manager's user, who goes without a network and without a model: that loads for seconds."""
    found = Paths.from_environment(manager.environ)
    found.home.mkdir(mode=0o700, parents=True)
    found.config.parent.mkdir(parents=True)
    found.config.write_text(f'[privacy]\noffline = true\n[embedding]\nfolder = "{manager.root}"\n', encoding="utf-8")
    return found


@pytest.fixture
def with_model(paths: Paths, models: Path) -> None:
    """Give the user the model, too."""
    shutil.copytree(models, paths.models)
    paths.config.write_text("[privacy]\noffline = true\n", encoding="utf-8")


@pytest.fixture
def installed(manager: UserManager, paths: Paths) -> list[str]:
    """The steps of an installation that has been started."""
    return service.install(paths, start=True, environ=manager.environ)
