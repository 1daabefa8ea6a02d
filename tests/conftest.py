"""What all tests share: the converted weights and the model, and short folders for sockets."""

import fcntl
import gc
import os
import shutil
import signal
import subprocess
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import settings
from pytest_timeout import Settings

from memoryd.config import EmbeddingConfig
from memoryd.embedding import EmbeddingService, build_embedder
from memoryd.embedding.weights import Sources, fetch
from memoryd_cli.base.agent_shell import SHELLS
from postgresql import missing, postgresql
from running import RunningDaemon

# An example on a busy machine takes as long as it takes.
_CI = "CI" in os.environ
for name in SHELLS:  # commands act as nobody's agent, also where an agent runs the tests
    os.environ.pop(name, None)
# There they are the same each time: a quarter of them finds what a change has broken.
settings.register_profile(
    "unhurried", settings.get_profile("ci" if _CI else "default"), deadline=None, max_examples=25 if _CI else 100
)
settings.load_profile("unhurried")
LONG_S = 500
"""Of a timeout: what has such a one may take minutes."""
_ended: list[str] = []
AGAIN_S = 60
"""After a timeout, until the next one: what a test that timed out does at its end may wait forever, too."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files whose tests start daemons come first: the last one to end would otherwise run with nothing beside it.

    Before all come those with a test that may take long.
    """
    waiting = Counter(item.path for item in items if "models" in getattr(item, "fixturenames", ()))
    marks = ((item.path, item.get_closest_marker("timeout")) for item in items)
    long = {path for path, mark in marks if mark is not None and mark.args[0] >= LONG_S}
    items.sort(key=lambda item: (item.path not in long, -waiting[item.path]))


@pytest.hookimpl(wrapper=True)
def pytest_timeout_set_timer(settings: Settings) -> Generator[None, bool, bool]:
    """Let a test that has timed out time out again until it has ended: once, and its `finally` could hang."""
    done = yield
    if settings.method == "signal":
        signal.setitimer(signal.ITIMER_REAL, settings.timeout, AGAIN_S)
    return done


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem: str) -> None:
    """Note in which tests their process ended."""
    _ended.append(crashitem)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where test processes ended, say of no test that it failed: tests that never ran would pass with those."""
    if _ended and session.config.cache:
        session.config.cache.set("cache/lastfailed", {})


def pytest_collection_finish() -> None:
    """Have the collector of garbage pass over the tests themselves, which are eight thousand."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def models() -> Path:
    """A models folder with the real weights, converted once and kept between runs."""
    folder = Path(tempfile.gettempdir()) / f"memoryd-test-models-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        # Several test processes may run beside each other; one converts.
        fcntl.flock(lock, fcntl.LOCK_EX)
        fetch(Sources(models=folder, offline=True))
    return folder


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The URL of a PostgreSQL server's databases, to be completed by a name."""
    if reason := missing():
        pytest.skip(reason)
    with postgresql() as url:
        yield url


@pytest.fixture
def short_home() -> Iterator[Path]:
    """A home with a short path: a Unix socket's may have 104 bytes, and pytest's folders are long."""
    folder = Path(tempfile.mkdtemp(prefix="md-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def tiny_disk(short_home: Path) -> Iterator[Path]:
    """A file system of 16 MB."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(short_home)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting a small file system needs root")
    yield short_home
    subprocess.run(["umount", "-l", str(short_home)], check=True)


@pytest.fixture
def loaded(models: Path) -> Callable[[], AbstractAsyncContextManager[EmbeddingService]]:
    """The real model. Entered by the test itself: task groups begin and end in one task."""

    @asynccontextmanager
    async def enter() -> AsyncGenerator[EmbeddingService]:
        async with build_embedder(EmbeddingConfig(), models=models, offline=True) as service:
            await service.warm()
            yield service

    return enter


@pytest.fixture(scope="module")
def shared(models: Path) -> Iterator[RunningDaemon]:
    home = Path(tempfile.mkdtemp(prefix="md-"))
    with RunningDaemon(home, models) as running:
        yield running
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def served(shared: RunningDaemon, request: pytest.FixtureRequest) -> RunningDaemon:
    """One daemon for the tests of a file, each of them an owner of its own: a start takes 1.5 s of a core."""
    owner = str(request.node.name)  # pyright: ignore[reportUnknownMemberType] - pytest types nodes loosely
    return shared.seen_by(owner)
