"""How requests leave the machine: to one host, with the headers that are needed, and no answer without an end.

Imported when it is first needed: it takes a third of a second.
"""

from collections.abc import AsyncIterator

import httpx2

from memoryd.model.statuses import URL, WAIT
from memoryd_actors.model.question import ModelFailed

MAX_ANSWER_BYTES = 1024 * 1024
"""A judgement on fifty candidates is about 10 kB."""
_HEADERS = frozenset(
    {
        "accept",
        "anthropic-version",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "host",
        "user-agent",
        "x-api-key",
    }
)
"""What is sent. The SDK adds the operating system, the Python version and what ANTHROPIC_CUSTOM_HEADERS says; nobody
needs to know that in order to judge."""


class AnswerUnusable(httpx2.ReadError):
    """Raised when an answer is too long to be a judgement, or compressed although that was not offered."""


class PlainTransport(httpx2.AsyncBaseTransport):
    """Sends few headers and reads at most `MAX_ANSWER_BYTES`, as UTF-8; the environment has no say in where to."""

    def __init__(self) -> None:
        self._inner = httpx2.AsyncHTTPTransport(trust_env=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send the request and return the answer, its body bounded."""
        headers = [(name, value) for name, value in request.headers.items() if name.lower() in _HEADERS]
        # Uncompressed, so that a small answer cannot become a large one here.
        headers.append(("accept-encoding", "identity"))
        slim = httpx2.Request(
            request.method, request.url, headers=headers, stream=request.stream, extensions=request.extensions
        )
        response = await self._inner.handle_async_request(slim)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise AnswerUnusable("the answer is compressed although that was not offered", request=request)
        body = response.stream
        if not isinstance(body, httpx2.AsyncByteStream):
            raise TypeError("an asynchronous transport answered with a synchronous body")
        return httpx2.Response(
            response.status_code,
            headers=_without_charset(response.headers),
            stream=_Bounded(body, request),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


def _without_charset(headers: httpx2.Headers) -> httpx2.Headers:
    """Return headers that name no character set: an answer is read as UTF-8, whatever it says.

    It could name any codec of Python's, among them some that take a minute for an answer, or that are for no text.
    """
    plain = headers.copy()
    if "content-type" in plain:
        plain["content-type"] = plain["content-type"].partition(";")[0]
    return plain


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, request: httpx2.Request) -> None:
        self._inner = inner
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._inner:
            size += len(chunk)
            if size > MAX_ANSWER_BYTES:
                raise AnswerUnusable(f"the answer is longer than {MAX_ANSWER_BYTES} bytes", request=self._request)
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


def client(timeout_s: float) -> httpx2.AsyncClient:
    """Return an HTTP client that follows no redirects, and into which no environment variable has a say."""
    return httpx2.AsyncClient(transport=PlainTransport(), follow_redirects=False, trust_env=False, timeout=timeout_s)


def broken(cause: httpx2.HTTPError | None, *, model: str, base_url: str) -> ModelFailed:
    """Return why there is no answer where the connection failed."""
    # Nothing was sent, so nothing was spent; otherwise nobody knows.
    unsent = isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout)
    tokens = (0, 0) if unsent else None
    if isinstance(cause, AnswerUnusable):
        return ModelFailed("nonsense", f"{model} sent no usable answer: {cause}", hint=URL, tokens=tokens)
    if isinstance(cause, httpx2.TimeoutException) and not unsent:
        return ModelFailed("timeout", f"{model} did not answer in time", hint=WAIT, tokens=tokens)
    name = type(cause).__name__ if cause is not None else "no reason given"
    what = f"nothing answers at {base_url}" if unsent else f"the connection to {base_url} broke"
    hint = f"Is it running, and the network up? {WAIT}"
    return ModelFailed("connection", f"{what}: {name}", hint=hint, tokens=tokens)
