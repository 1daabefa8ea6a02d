"""A model hub on the loopback interface: one repository's files, served the way huggingface_hub fetches them."""

import hashlib
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from memoryd.embedding.hub import REVISION
from memoryd.embedding.model import MINILM
from web_server import answering


@dataclass
class Hub:
    endpoint: str
    requests: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Method and path of each."""


@contextmanager
def serving(files: Mapping[str, Path], *, repository: str = MINILM, revision: str = REVISION) -> Generator[Hub]:
    """Serve these files under the names they have in the repository."""
    prefix = f"/{repository}/resolve/{revision}/"

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.answer(body=False)

        def do_GET(self) -> None:
            self.answer(body=True)

        def answer(self, *, body: bool) -> None:
            hub.requests.append((self.command, self.path))
            file = files.get(self.path.removeprefix(prefix)) if self.path.startswith(prefix) else None
            if file is None:
                self.send_response(404)
                self.send_header("X-Error-Code", "EntryNotFound")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            content = file.read_bytes()
            self.send_response(200)
            self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
            self.send_header("X-Repo-Commit", revision)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if body:
                self.wfile.write(content)

    with answering(Handler) as url:
        hub = Hub(url)
        yield hub


@contextmanager
def closed_port() -> Generator[str]:
    """Give the address of a port at which nobody listens, and keep others from taking it."""
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"
