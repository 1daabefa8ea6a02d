"""An S3 server of the tests' own, in a process beside them, where one is installed."""

import importlib.util
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection

from running import three_ports, until

BUCKET = "memories"
_SERVE = "import sys; from moto.server import main; main(sys.argv[1:])"


@dataclass(frozen=True)
class ObjectStore:
    """A server with one bucket, which has nothing at first. What it has is lost with it."""

    process: "subprocess.Popen[bytes]"
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """By which LanceDB finds it."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
        }

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def missing() -> str:
    """Return what keeps an object store from being tested here; empty where nothing does."""
    packages = ("moto", "flask", "flask_cors")
    return next((f"{name} is not installed" for name in packages if importlib.util.find_spec(name) is None), "")


@contextmanager
def object_store() -> Generator[ObjectStore]:
    """Serve S3."""
    port = three_ports()
    command = [sys.executable, "-c", _SERVE, "-H", "127.0.0.1", "-p", str(port)]
    served = ObjectStore(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL), port)
    try:
        until(lambda: _makes_bucket(port), "the object store")
        yield served
    finally:
        served.kill()


def _makes_bucket(port: int) -> bool:
    with suppress(OSError):
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.request("PUT", f"/{BUCKET}")
            return connection.getresponse().status == 200
        finally:
            connection.close()
    return False
