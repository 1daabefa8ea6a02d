"""Reads conversations through Anthropic's Messages API, at once or in batches, with the judge's SDK and connections."""

import re
from collections.abc import Mapping
from typing import Any, Literal

import anyio
import anyio.to_thread
import msgspec

from memoryd.judge.anthropic_judge import AnthropicJudge
from memoryd.judge.extraction_prompt import MAX_TOKENS, SCHEMA, SYSTEM, question
from memoryd.judge.prompt import Asked
from memoryd.judge.replies import NO_MESSAGES_API, failed, object_in, read_text
from memoryd_actors.extraction import TRUST, Candidate
from memoryd_actors.extraction.model import BATCH_PRICE, Passage, Read, estimate
from memoryd_actors.judging.judge import JudgeFailed
from memoryd_actors.memory.budget import Prices, Usage
from memoryd_actors.redaction import Rules
from memoryd_actors.redaction.rules import DEFAULT

_CALL_S = 90.0
_BATCH_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
_MOST_FILES = 10


class _Answer(msgspec.Struct, frozen=True):
    memories: tuple[msgspec.Raw, ...]


class _Given(msgspec.Struct, frozen=True):
    content: str
    category: Literal["fact", "preference", "correction", "lesson"]
    trust: Literal["user_stated", "observed", "inferred"]
    messages: tuple[int, ...]
    files: tuple[str, ...] = ()
    importance: int = 3
    about_person: bool = False


class _Batch(msgspec.Struct, frozen=True):
    id: str
    processing_status: str = ""


class _Result(msgspec.Struct, frozen=True):
    type: str
    message: msgspec.Raw = msgspec.Raw(b"")


class _Line(msgspec.Struct, frozen=True):
    custom_id: str
    result: _Result


_decode_answer = msgspec.json.Decoder(_Answer).decode
# Not strict: "3" and "true" mean what they say.
_decode_given = msgspec.json.Decoder(_Given, strict=False).decode
_decode_batch = msgspec.json.Decoder(_Batch).decode
_decode_line = msgspec.json.Decoder(_Line).decode


class AnthropicExtraction:
    """One call for a part of a conversation; see `ConversationReader`."""

    def __init__(self, judge: AnthropicJudge, rules: Rules = DEFAULT) -> None:
        self._judge = judge
        self._rules = rules

    @property
    def name(self) -> str:
        """The model's name."""
        return self._judge.name

    async def read(self, passage: Passage) -> Read:
        """Ask the model what is worth remembering; see the port."""
        unknown = estimate(passage, self._judge.prices)
        body = await self._judge.ask(
            lambda: Asked(SYSTEM, question(passage, self._rules), SCHEMA, MAX_TOKENS), unknown, timeout_s=_CALL_S
        )
        return _read(body, passage, self.name, self._judge.prices, unknown)

    async def submit(self, passages: Mapping[str, Passage]) -> str:
        """Hand passages in as a batch; see the port."""
        client = await self._judge.prepare()
        # Not at the top: it comes with the SDK, which is loaded by now.
        from memoryd.judge.failures import translated

        requests = [{"custom_id": name, "params": await self._request(one)} for name, one in passages.items()]
        with translated(self.name, self._judge.base_url, Usage()):
            response = await client.messages.batches.with_raw_response.create(
                requests=requests,  # type: ignore[arg-type]  # typed dictionaries of the SDK, which is not loaded here
                timeout=_CALL_S,
            )
        try:
            batch = _decode_batch(response.http_response.content).id
        except msgspec.DecodeError as exc:
            raise JudgeFailed(
                "nonsense", f"{self.name} took a batch without saying under which id", hint=NO_MESSAGES_API
            ) from exc
        if not _BATCH_ID.fullmatch(batch):
            raise JudgeFailed("nonsense", f"{self.name} gave a batch an id that cannot be one", hint=NO_MESSAGES_API)
        return batch

    async def fetch(self, batch: str, passages: Mapping[str, Passage]) -> Mapping[str, Read | JudgeFailed] | None:
        """Return what came of a batch; see the port."""
        if not _BATCH_ID.fullmatch(batch):
            raise JudgeFailed("model", f"{batch!r} is no batch")
        client = await self._judge.prepare()
        import httpx2

        from memoryd.judge.failures import translated

        with translated(self.name, self._judge.base_url, Usage()):
            known = await client.messages.batches.with_raw_response.retrieve(batch, timeout=_CALL_S)
            status = _status(known.http_response.content, self.name)
            if status != "ended":
                return None
            # By its own path: where the answer says that the results are is where the key would be sent.
            results = await client.get(
                f"/v1/messages/batches/{batch}/results",
                cast_to=httpx2.Response,
                options={"headers": {"Accept": "application/binary"}, "timeout": _CALL_S},
            )
        return self._results(results.content, passages)

    def _results(self, body: bytes, passages: Mapping[str, Passage]) -> dict[str, Read | JudgeFailed]:
        half = self._judge.prices.at(BATCH_PRICE)
        found: dict[str, Read | JudgeFailed] = {}
        for text in body.splitlines():
            try:
                line = _decode_line(text)
            except msgspec.DecodeError:
                continue
            passage = passages.get(line.custom_id)
            if passage is None or line.custom_id in found:
                continue
            if line.result.type != "succeeded":
                problem = JudgeFailed("server", f"{self.name} did not read a part of a batch: {line.result.type[:40]}")
                found[line.custom_id] = problem
                continue
            try:
                unknown = estimate(passage, half)
                found[line.custom_id] = _read(bytes(line.result.message), passage, self.name, half, unknown)
            except JudgeFailed as problem:
                found[line.custom_id] = problem
        return found

    async def _request(self, passage: Passage) -> dict[str, Any]:
        # In a thread: every text is searched for secrets once more.
        content = await anyio.to_thread.run_sync(question, passage, self._rules, abandon_on_cancel=True)
        return {
            "model": self.name,
            "max_tokens": MAX_TOKENS,
            "system": SYSTEM,
            "messages": [{"role": "user", "content": content}],
            "thinking": {"type": "disabled"},
            "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}},
        }


def _status(body: bytes, model: str) -> str:
    try:
        return _decode_batch(body).processing_status
    except msgspec.DecodeError as exc:
        raise JudgeFailed("nonsense", f"{model} did not say how far a batch is", hint=NO_MESSAGES_API) from exc


def _read(body: bytes, passage: Passage, model: str, prices: Prices, unknown: Usage) -> Read:
    text, usage = read_text(body, model=model, prices=prices, unknown=unknown)
    try:
        given = _decode_answer(object_in(text)).memories
    except msgspec.DecodeError as exc:
        raise failed("nonsense", f"{model} answered without memories", usage) from exc
    found = [one for one in (_candidate(raw, passage, model) for raw in given) if one is not None]
    if given and not found:
        raise failed("nonsense", f"none of the {len(given)} memories of {model} fits the conversation", usage)
    return Read(tuple(found), usage, dropped=len(given) - len(found))


def _candidate(raw: msgspec.Raw, passage: Passage, model: str) -> Candidate | None:
    """Return what the model found; None where it is malformed, empty, or rests on no message that there is."""
    try:
        one = _decode_given(raw)
    except msgspec.DecodeError:
        return None
    numbers = [number for number in one.messages if 0 <= number < len(passage.messages)]
    if not numbers or not any(char.isalpha() for char in one.content):
        return None
    told = [passage.messages[number] for number in numbers]
    trust = TRUST[one.trust]
    # What only assistants said is not what a user stated, whatever the model makes of it.
    stated = any(message.role == "user" for message in told)
    last = max(told, key=lambda message: message.sequence)
    return Candidate(
        content=one.content,
        category=one.category,
        trust=trust if stated else min(trust, TRUST["observed"]),
        first=min(message.sequence for message in told),
        last=last.sequence,
        speaker=last.speaker or ("user" if stated else "assistant"),
        importance=min(max(one.importance, 1), 5),
        files=tuple(dict.fromkeys(file for file in one.files if file.strip()))[:_MOST_FILES],
        at=last.at,
        everywhere=one.about_person,
        metadata={"extracted": "model", "model": model, "basis": one.trust},
    )
