"""How requests leave the machine: to one host, with the headers that are needed, and no answer without an end.

Imported together with the SDK, not before: it needs the SDK's HTTP library.
"""

from collections.abc import AsyncIterator

import httpx2

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
    """Sends few headers and reads at most `MAX_ANSWER_BYTES`; environment variables have no say in where to."""

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
            headers=response.headers,
            stream=_Bounded(body, request),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


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
