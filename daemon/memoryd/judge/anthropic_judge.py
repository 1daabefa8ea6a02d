"""The judge behind Anthropic's Messages API."""

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio
import anyio.to_thread

from memoryd.config import ConfigInvalid, SidecarConfig
from memoryd.judge.prompt import Asked, asked
from memoryd.judge.verdicts import read_reply
from memoryd_actors.judging.judge import JudgeFailed, Judgement
from memoryd_actors.memory.budget import Prices, Usage, estimate
from memoryd_actors.memory.case import Case
from memoryd_actors.redaction import Rules
from memoryd_actors.redaction.rules import DEFAULT

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class AnthropicJudge:
    """One listwise call per case. Building it costs nothing; the SDK (1.5 s, 77 MB) is loaded by the first call."""

    def __init__(
        self, *, api_key: str, base_url: str, model: str, prices: Prices, timeout_s: float, rules: Rules = DEFAULT
    ) -> None:
        self._api_key = api_key
        self.base_url = base_url
        self.prices = prices
        self._model = model
        self._timeout_s = timeout_s
        self._rules = rules
        self._client: AsyncAnthropic | None = None
        self._loading = Lock()
        self._limiter = anyio.CapacityLimiter(1)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    async def prepare(self) -> "AsyncAnthropic":
        """Load the SDK, in a thread; a caller that gives up waiting leaves it loading for the next one.

        Raises:
            JudgeFailed: it is not installed.

        """
        if self._client is not None:
            return self._client
        try:
            return await anyio.to_thread.run_sync(self._load, abandon_on_cancel=True, limiter=self._limiter)
        except ImportError as exc:
            hint = "pip install 'memoryd[daemon]'"
            raise JudgeFailed("request", f"the Anthropic SDK is not usable: {exc}", hint=hint) from exc

    async def judge(self, case: Case) -> Judgement:
        """Ask the model for verdicts, and for what it wants to look up where the case allows that.

        Raises:
            JudgeFailed: there is no usable answer; with its kind, what to do about it and what it cost.

        """
        unknown = estimate(case, self.prices)
        body = await self.ask(lambda: asked(case, self._rules), unknown)
        return read_reply(body, case, model=self._model, prices=self.prices, unknown=unknown)

    async def ask(self, question: Callable[[], Asked], unknown: Usage, *, timeout_s: float | None = None) -> bytes:
        """Return the body of the model's answer to a question.

        `unknown` is what a call costs that does not tell, `timeout_s` the time for it where nobody waits a turn long.

        Raises:
            JudgeFailed: there is no answer; with its kind, what to do about it and what it cost.

        """
        client = await self.prepare()
        # Not at the top: it comes with the SDK, which is loaded by now.
        from memoryd.judge.failures import translated

        # In a thread: every text is searched for secrets once more.
        given = await anyio.to_thread.run_sync(question, abandon_on_cancel=True)
        with translated(self._model, self.base_url, unknown):
            # The raw response: the SDK's own parsing hands over whatever a broken answer contains, unchecked.
            response = await client.messages.with_raw_response.create(
                model=self._model,
                max_tokens=given.max_tokens,
                system=given.system,
                messages=[{"role": "user", "content": given.content}],
                # Thinking is on by default and would eat the answer's tokens.
                thinking={"type": "disabled"},
                output_config={"effort": "low", "format": {"type": "json_schema", "schema": given.schema}},
                timeout=self._timeout_s if timeout_s is None else timeout_s,
            )
        return response.http_response.content

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()

    def _load(self) -> "AsyncAnthropic":
        with self._loading:
            if self._client is None:
                self._client = _client(self._api_key, self.base_url, self._timeout_s)
            return self._client


def _client(api_key: str, base_url: str, timeout_s: float) -> "AsyncAnthropic":
    import anthropic
    import httpx2

    from memoryd.judge import failures, transport

    # Used by the first call; imported here so that it finds them loaded instead of blocking the event loop.
    del failures
    return anthropic.AsyncAnthropic(
        # Both explicitly: otherwise the environment and profiles on disk decide.
        api_key=api_key,
        base_url=base_url,
        # The sidecar has its own deadline and breaker; the SDK would obey a Retry-After of days.
        max_retries=0,
        timeout=timeout_s,
        open_telemetry=False,
        http_client=httpx2.AsyncClient(
            transport=transport.PlainTransport(), follow_redirects=False, trust_env=False, timeout=timeout_s
        ),
    )


def build_judge(config: SidecarConfig, rules: Rules = DEFAULT) -> AnthropicJudge | None:
    """Return the configured judge, or None without a key; by the `rules` it replaces secrets in what it sends.

    Raises:
        ConfigInvalid: the key cannot be one, or the address is none, or would send the key and memories in the clear.

    """
    key = config.api_key.strip()
    if not key:
        return None
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ConfigInvalid("sidecar.api_key: this is not a key; it must be one line of printable ASCII")
    try:
        url = urlsplit(config.base_url)
        host = url.hostname
    except ValueError as exc:
        raise ConfigInvalid(f"sidecar.base_url: {config.base_url!r} is not an address: {exc}") from exc
    if url.username or url.password:
        raise ConfigInvalid("sidecar.base_url: it must not contain a name or password; the key is sidecar.api_key")
    if url.scheme not in {"http", "https"} or not host:
        raise ConfigInvalid(f"sidecar.base_url: {config.base_url!r} is not an address; it begins with https://")
    if url.scheme == "http" and host not in _LOOPBACK:
        raise ConfigInvalid(f"sidecar.base_url: {config.base_url!r} would send memories in the clear; use https://")
    return AnthropicJudge(
        api_key=key,
        base_url=config.base_url,
        model=config.model,
        prices=Prices(
            input_usd_per_million=config.input_usd_per_million, output_usd_per_million=config.output_usd_per_million
        ),
        timeout_s=config.deadline_s,
        rules=rules,
    )
