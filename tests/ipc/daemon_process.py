import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

SCRIPT = Path(__file__).with_name("scripted_daemon.py")


class DaemonProcess:
    """The scripted daemon in a process of its own, to be stopped, frozen and killed."""

    def __init__(self, runtime: Path, inherited: dict[str, int] | None = None, *, files: int = 0) -> None:
        self._runtime = runtime
        self._files = files
        self._inherited = inherited or {}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Start it and wait until it serves."""
        arguments = [f"{name}={number}" for name, number in self._inherited.items()]
        if self._files:
            arguments.append(f"files={self._files}")
        self._process = subprocess.Popen(
            [sys.executable, str(SCRIPT), str(self._runtime), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=tuple(self._inherited.values()),
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n"

    def freeze(self) -> None:
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def terminate(self) -> None:
        """End it as systemd does, and wait."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        self._process.wait()
        self.kill()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process = None

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)
