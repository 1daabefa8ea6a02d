"""A web server on this machine, for as long as a test needs it."""

from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@contextmanager
def answering(handler: type[BaseHTTPRequestHandler]) -> Generator[str]:
    """Yield the address at which requests are answered, without a word on stderr."""
    quiet = type("Quiet", (handler,), {"log_message": _say_nothing})
    with ThreadingHTTPServer(("127.0.0.1", 0), quiet) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def _say_nothing(*_: object) -> None:
    pass
