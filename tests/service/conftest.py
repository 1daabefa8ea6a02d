import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryd import service
from memoryd_client.paths import Paths

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
    return Paths.from_environment(manager.environ)


@pytest.fixture
def python(manager: UserManager) -> str:
    """What stands for the interpreter in the unit: runs the stand-in, whatever module it is told to run."""
    wrapper = manager.root / "python"
    stand_in = Path(__file__).with_name("stand_in.py")
    wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{stand_in}"\n', encoding="utf-8")
    wrapper.chmod(0o755)
    return str(wrapper)


@pytest.fixture
def installed(manager: UserManager, paths: Paths, python: str) -> list[str]:
    """The steps of an installation that has been started."""
    return service.install(paths, start=True, python=python, environ=manager.environ)
