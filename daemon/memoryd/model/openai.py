"""A model behind any chat-completions endpoint: Ollama, llama.cpp, LM Studio, vLLM, OpenRouter, OpenAI. No SDK."""

from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import urlsplit

import anyio.to_thread
import msgspec

from memoryd.model.statuses import refused, unkeyed
from memoryd_actors.model.provider import Completion
from memoryd_actors.model.question import ModelFailed, Prompt
from memoryd_actors.model.reading import UNREADABLE

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response

KEY = "OPENAI_API_KEY or sidecar.openai_api_key"
_NO_API = "Check that sidecar.base_url is a chat-completions endpoint; most end with /v1."
_THINKING: Final = 4_000
"""Tokens beside those of the answer: a model may think first, and its thoughts count."""
_UNSUPPORTED: Final = frozenset({400, 415, 422, 501})
"""Statuses with which servers say that they know no schema, or not this one."""
_TROUBLE: Final = 500
"""Some say so with this, too, and most that they have trouble: another form is tried with the next question."""
_OK: Final = 200
Form = Literal["schema", "object", "plain"]
_FORMS: Final[tuple[Form, ...]] = ("schema", "object", "plain")


class _Message(msgspec.Struct, frozen=True):
    content: str | list[dict[str, Any]] | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct, frozen=True):
    message: _Message
    finish_reason: str | None = None


class _Counted(msgspec.Struct, frozen=True):
    prompt_tokens: int | float | None = None
    completion_tokens: int | float | None = None


class _Reply(msgspec.Struct, frozen=True):
    choices: tuple[_Choice, ...]
    usage: _Counted | None = None


class _Problem(msgspec.Struct, frozen=True):
    choices: Any = None
    error: str | dict[str, Any] | None = None
    detail: Any = None
    message: str | None = None


_decode_reply = msgspec.json.Decoder(_Reply).decode
_decode_problem = msgspec.json.Decoder(_Problem).decode


class OpenAIProvider:
    """One model of a server. Building it costs nothing; what forms of answers it knows is found out by the first."""

    def __init__(self, *, api_key: str, base_url: str, model: str, timeout_s: float) -> None:
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._model = model
        self._timeout_s = timeout_s
        self._form: Form = "schema"
        self._proven = False
        """Whether the form has been answered: what is rejected now is rejected for another reason."""
        # OpenAI's own endpoint refuses the name that all the others know.
        own = urlsplit(base_url).hostname == "api.openai.com"
        self._most = "max_completion_tokens" if own else "max_tokens"
        self._takes_temperature = True
        """As long as the model has not refused one."""
        self._client: AsyncClient | None = None

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    async def prepare(self) -> None:
        """Load the HTTP library, in a thread."""
        await self._prepared()

    async def say(self, prompt: Prompt, *, deadline_s: float) -> Completion:
        """Return what the model says to a prompt, in the strictest form that the server knows; see the port."""
        client = await self._prepared()
        first: ModelFailed | None = None
        for form in (self._form,) if self._proven else _FORMS[_FORMS.index(self._form) :]:
            response = await self._post(client, prompt, form, deadline_s)
            status, said = _outcome(response.status_code, response.content)
            if status in _UNSUPPORTED and "temperature" in said.lower() and self._takes_temperature:
                self._takes_temperature = False
                response = await self._post(client, prompt, form, deadline_s)
                status, said = _outcome(response.status_code, response.content)
            if status == _OK:
                self._form, self._proven = form, True
                return self._read(response.content)
            after = response.headers.get("retry-after", "")
            failed = refused(
                status,
                said,
                model=self._model,
                base_url=self._base_url,
                key=KEY,
                secret=self._api_key,
                retry_after=after,
            )
            first = first or failed
            if status == _TROUBLE and not self._proven:
                self._form = _FORMS[(_FORMS.index(form) + 1) % len(_FORMS)]
            if status not in _UNSUPPORTED:
                raise failed
        raise first or ModelFailed("request", f"{self._model} was not asked")

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    async def _prepared(self) -> "AsyncClient":
        if self._client is None:
            client = await anyio.to_thread.run_sync(self._connections, abandon_on_cancel=True)
            self._client = self._client or client
        return self._client

    def _connections(self) -> "AsyncClient":
        # Not at the top: it is needed only where a model is.
        from memoryd.model import transport

        return transport.client(self._timeout_s)

    async def _post(self, client: "AsyncClient", prompt: Prompt, form: Form, deadline_s: float) -> "Response":
        import httpx2

        from memoryd.model.transport import broken

        try:
            return await client.post(
                f"{self._base_url}/chat/completions",
                json=_call(self._model, prompt, form, self._most, temperature=self._takes_temperature),
                headers=self._headers,
                timeout=deadline_s,
            )
        except httpx2.HTTPError as exc:
            raise broken(exc, model=self._model, base_url=self._base_url) from exc

    def _read(self, body: bytes) -> Completion:
        try:
            reply = _decode_reply(body)
            choice = reply.choices[0]
        except (*UNREADABLE, IndexError) as exc:
            message = f"{self._model} sent something that is not an answer"
            raise ModelFailed("nonsense", message, hint=_NO_API, tokens=None) from exc
        tokens = _tokens(reply.usage)
        if choice.message.refusal or choice.finish_reason == "content_filter":
            raise ModelFailed("refusal", f"{self._model} declined to answer this", tokens=tokens)
        if choice.finish_reason == "length":
            message = f"{self._model} was cut off before the end of its answer"
            raise ModelFailed("truncated", message, tokens=tokens)
        content = choice.message.content or ""
        if isinstance(content, list):
            content = "".join(text for part in content if isinstance(text := part.get("text"), str))
        return Completion(unkeyed(content, self._api_key), tokens)


def _call(model: str, prompt: Prompt, form: Form, most: str, *, temperature: bool) -> dict[str, Any]:
    schema = msgspec.json.encode(prompt.schema).decode()
    shape = f"\n\nAnswer with one JSON object by this schema, and with nothing else:\n{schema}"
    call: dict[str, Any] = {
        "model": model,
        "messages": [
            {"role": "system", "content": prompt.system if form == "schema" else prompt.system + shape},
            {"role": "user", "content": prompt.content},
        ],
        most: prompt.answer_tokens + _THINKING,
        "stream": False,
    }
    if temperature and prompt.temperature is not None:
        call["temperature"] = prompt.temperature
    match form:
        case "schema":
            named = {"name": "answer", "strict": True, "schema": prompt.schema}
            call["response_format"] = {"type": "json_schema", "json_schema": named}
        case "object":
            call["response_format"] = {"type": "json_object"}
        case "plain":
            pass
    return call


def _tokens(counted: _Counted | None) -> tuple[int, int] | None:
    if counted is None or counted.prompt_tokens is None or counted.completion_tokens is None:
        return None
    try:
        return int(counted.prompt_tokens), int(counted.completion_tokens)
    except (OverflowError, ValueError):
        return None


def _outcome(status: int, body: bytes) -> tuple[int, str]:
    """Return a status, and what a server says of an error, in the words that it has for people.

    Some, OpenRouter among them, send errors with 200: the status is then the one that the error names.
    """
    try:
        problem = _decode_problem(body)
    except UNREADABLE:
        return status, ""
    if status == _OK and (problem.choices or not problem.error):
        return status, ""
    said, code = problem.error or problem.detail or problem.message or "", None
    if isinstance(said, dict):
        said, code = said.get("message", ""), said.get("code")
    if status == _OK:
        status = code if isinstance(code, int) and 400 <= code < 600 else _TROUBLE
    return status, said if isinstance(said, str) else ""
