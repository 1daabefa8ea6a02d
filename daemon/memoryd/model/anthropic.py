"""A model behind Anthropic's Messages API. The SDK (1.5 s, 77 MB) is loaded by the first call."""

import re
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import msgspec

from memoryd.model.statuses import unkeyed
from memoryd_actors.model.provider import Completion
from memoryd_actors.model.question import ModelFailed, Prompt
from memoryd_actors.model.reading import UNREADABLE

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

KEY = "ANTHROPIC_API_KEY or sidecar.api_key"
_NO_MESSAGES_API = "Check that sidecar.base_url is a Messages API and that sidecar.model can answer by a JSON schema."
_BATCH_S = 90.0
_MOST_RESULTS = 1_000
"""Lines of a batch's results that are read: it had a few dozen questions."""
_BATCH_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")


class _Block(msgspec.Struct, frozen=True):
    type: str
    text: str = ""


class _Counted(msgspec.Struct, frozen=True):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _Reply(msgspec.Struct, frozen=True):
    content: tuple[_Block, ...]
    usage: _Counted
    stop_reason: str | None = None


class _Batch(msgspec.Struct, frozen=True):
    id: str
    processing_status: str = ""


class _Result(msgspec.Struct, frozen=True):
    type: str
    message: msgspec.Raw = msgspec.Raw(b"")


class _Line(msgspec.Struct, frozen=True):
    custom_id: str
    result: _Result


_decode_reply = msgspec.json.Decoder(_Reply).decode
_decode_batch = msgspec.json.Decoder(_Batch).decode
_decode_line = msgspec.json.Decoder(_Line).decode


class AnthropicProvider:
    """One model of Anthropic's, at once and in batches. Building it costs nothing."""

    def __init__(self, *, api_key: str, base_url: str, model: str, timeout_s: float) -> None:
        self._api_key = api_key
        self._base_url = base_url
        self._model = model
        self._timeout_s = timeout_s
        self._client: AsyncAnthropic | None = None
        self._loading = Lock()
        self._limiter = anyio.CapacityLimiter(1)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    async def prepare(self) -> None:
        """Load the SDK, in a thread; a caller that gives up waiting leaves it loading for the next one."""
        await self._prepared()

    async def say(self, prompt: Prompt, *, deadline_s: float) -> Completion:
        """Return what the model says to a prompt; see the port."""
        client = await self._prepared()
        # Not at the top: it comes with the SDK, which is loaded by now.
        from memoryd.model.sdk_failures import translated

        with translated(self._model, self._base_url, key=KEY, secret=self._api_key):
            # The raw response: the SDK's own parsing hands over whatever a broken answer contains, unchecked.
            response = await client.messages.with_raw_response.create(**_call(self._model, prompt), timeout=deadline_s)
        return self._read(response.http_response.content)

    async def submit(self, prompts: Mapping[str, Prompt]) -> str:
        """Hand prompts in as a batch; see the port."""
        client = await self._prepared()
        from memoryd.model.sdk_failures import translated

        requests = [{"custom_id": name, "params": _call(self._model, prompt)} for name, prompt in prompts.items()]
        with translated(self._model, self._base_url, key=KEY, secret=self._api_key):
            response = await client.messages.batches.with_raw_response.create(
                requests=requests,  # type: ignore[arg-type]  # typed dictionaries of the SDK, which is not loaded here
                timeout=_BATCH_S,
            )
        batch = self._batch(response.http_response.content).id
        if not _BATCH_ID.fullmatch(batch):
            raise ModelFailed("nonsense", f"{self._model} gave a batch an id that cannot be one", hint=_NO_MESSAGES_API)
        return batch

    async def fetch(self, batch: str) -> dict[str, Completion | ModelFailed] | None:
        """Return what came of a batch; see the port."""
        if not _BATCH_ID.fullmatch(batch):
            raise ModelFailed("model", f"{batch!r} is no batch")
        client = await self._prepared()
        import httpx2

        from memoryd.model.sdk_failures import translated

        with translated(self._model, self._base_url, key=KEY, secret=self._api_key):
            known = await client.messages.batches.with_raw_response.retrieve(batch, timeout=_BATCH_S)
            if self._batch(known.http_response.content).processing_status != "ended":
                return None
            # By its own path: where the answer says that the results are is where the key would be sent.
            results = await client.get(
                f"/v1/messages/batches/{batch}/results",
                cast_to=httpx2.Response,
                options={"headers": {"Accept": "application/binary"}, "timeout": _BATCH_S},
            )
        return self._results(results.content)

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()

    async def _prepared(self) -> "AsyncAnthropic":
        if self._client is not None:
            return self._client
        try:
            return await anyio.to_thread.run_sync(self._load, abandon_on_cancel=True, limiter=self._limiter)
        except ImportError as exc:
            hint = "pip install 'memoryd[daemon]'"
            raise ModelFailed("request", f"the Anthropic SDK is not usable: {exc}", hint=hint) from exc

    def _load(self) -> "AsyncAnthropic":
        with self._loading:
            if self._client is None:
                import anthropic

                from memoryd.model import sdk_failures, transport

                # Used by the first call; imported here so that it finds them loaded and does not block the event loop.
                del sdk_failures
                self._client = anthropic.AsyncAnthropic(
                    # Both explicitly: otherwise the environment and profiles on disk decide.
                    api_key=self._api_key,
                    base_url=self._base_url,
                    # Whoever asks has a deadline and a breaker; the SDK would obey a Retry-After of days.
                    max_retries=0,
                    timeout=self._timeout_s,
                    open_telemetry=False,
                    http_client=transport.client(self._timeout_s),
                )
            return self._client

    def _read(self, body: bytes) -> Completion:
        """Return what the body of a successful answer says."""
        try:
            reply = _decode_reply(body)
        except UNREADABLE as exc:
            message = f"{self._model} sent something that is not an answer"
            raise ModelFailed("nonsense", message, hint=_NO_MESSAGES_API, tokens=None) from exc
        counted = reply.usage
        cached = (counted.cache_creation_input_tokens or 0) + (counted.cache_read_input_tokens or 0)
        tokens = counted.input_tokens + cached, counted.output_tokens
        match reply.stop_reason:
            case "refusal":
                raise ModelFailed("refusal", f"{self._model} declined to answer this", tokens=tokens)
            case "max_tokens" | "model_context_window_exceeded":
                message = f"{self._model} was cut off before the end of its answer"
                raise ModelFailed("truncated", message, tokens=tokens)
            case _:
                said = "".join(block.text for block in reply.content if block.type == "text")
                return Completion(unkeyed(said, self._api_key), tokens)

    def _batch(self, body: bytes) -> _Batch:
        try:
            return _decode_batch(body)
        except UNREADABLE as exc:
            message = f"{self._model} said nothing of a batch that could be understood"
            raise ModelFailed("nonsense", message, hint=_NO_MESSAGES_API) from exc

    def _results(self, body: bytes) -> dict[str, Completion | ModelFailed]:
        found: dict[str, Completion | ModelFailed] = {}
        for text in body.splitlines()[:_MOST_RESULTS]:
            try:
                line = _decode_line(text)
            except UNREADABLE:
                continue
            if line.custom_id in found:
                continue
            if line.result.type != "succeeded":
                message = f"{self._model} did not read a part of a batch: {line.result.type[:40]}"
                found[line.custom_id] = ModelFailed("server", message)
                continue
            try:
                found[line.custom_id] = self._read(bytes(line.result.message))
            except ModelFailed as failed:
                found[line.custom_id] = failed
        return found


def _call(model: str, prompt: Prompt) -> dict[str, Any]:
    return {
        "model": model,
        "max_tokens": prompt.answer_tokens,
        "system": prompt.system,
        "messages": [{"role": "user", "content": prompt.content}],
        # Thinking is on by default and would eat the answer's tokens.
        "thinking": {"type": "disabled"},
        "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": prompt.schema}},
    }
