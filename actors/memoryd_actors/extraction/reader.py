"""The model that reads conversations, within its budget: asked at once, or in a batch where nobody waits.

What a model refuses, cuts off or answers with nonsense is tried again a few times, later each time; then rules look at
that part, so that nothing is lost. A budget that is used up makes everything wait for the next day.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Final

import msgspec

from memoryd_actors.extraction.candidate import Extraction
from memoryd_actors.extraction.question import (
    CALL_S,
    LARGEST_ASKED,
    MOST_ANSWERED,
    ConversationPart,
    ExtractionResult,
    about,
)
from memoryd_actors.memory.budget import Usage
from memoryd_actors.memory.settings import CaptureSettings
from memoryd_actors.model.model import Model
from memoryd_actors.model.question import ModelAnswer, ModelFailed
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.redaction import Rules
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_client.wire.events import Warned

log = logging.getLogger(__name__)

_SETTLED: Final = ModelFailed("server", "what the batch says of this part is paid for, and of no use")
Part = tuple[int, int]
"""After which entry of a transcript it begins, and with which one it ends."""
MOST_ATTEMPTS: Final = 4
"""Of a model at one part: with ten minutes, doubled each time, the last is an hour after the first."""
MOST_PARTS: Final = 20
"""Of one session in one batch."""
BUDGET_S: Final = 300.0
"""Until it is looked again whether the model may be asked."""
_UNASKED_HINT: Final = "It goes on by itself; sidecar.daily_tokens, daily_usd and capture.daily_calls."


class Detail(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is kept of a session's extraction besides how far it is."""

    attempts: int = 0
    """How often a model failed at the part that comes next."""
    batch: str = ""
    """Under which id parts were handed in, to be read by and by."""
    parts: tuple[Part, ...] = ()
    """Which of them are still to be fetched."""
    message_counts: tuple[int, ...] = msgspec.field(default=(), name="heard")
    """How many messages each of them had: what was taken out of the transcript since must not come back."""
    day: str = ""
    """The latest day on which the session brought something, set by the extractor."""
    stored: int = 0
    """How much, on that day."""


class ReadingOutcome(msgspec.Struct, frozen=True):
    """What came of the next part."""

    candidates: tuple[Extraction, ...] | None = None
    """None: no model looked at it, and rules shall."""
    detail: Detail | None = None
    """What is to be kept."""
    wait: timedelta | None = None
    """Where nothing is to be done with the part yet: how long."""
    calls: int = 0
    """How often a model was asked."""
    read_messages: int | None = None
    """How many messages the model read; None where that is not known."""


class ReaderCounts(msgspec.Struct):
    """What became of what a model was asked."""

    calls: int = 0
    batches: int = 0
    read_in_batches: int = 0
    failures: int = 0
    given_up: int = 0
    """Parts that rules looked at after a model had failed too often."""
    dropped: int = 0
    """Candidates that named no message, or had nothing in them."""
    tokens: int = 0


class Reader:
    """Asks a model, if there is one; says what to do where it cannot."""

    def __init__(
        self, model: Model | None, *, publish: Publisher, settings: CaptureSettings, rules: Rules = DEFAULT
    ) -> None:
        self._model = model
        self._publish = publish
        self._settings = settings
        self._rules = rules
        self._fetched: tuple[str, dict[str, ModelAnswer[ExtractionResult] | ModelFailed]] = ("", {})
        self.counts = ReaderCounts()
        self.trouble = ""
        self.hint = ""

    @property
    def name(self) -> str:
        """The model's name; `rules` where there is none."""
        return self._model.name if self._model else "rules"

    @property
    def look_s(self) -> float:
        """How often somebody should look whether a batch is read, in seconds."""
        return self._settings.batch_poll_s if self._model else float("inf")

    def expect(self, detail: Detail) -> None:
        """Hear after a start that a batch is out: its costs are kept for it."""
        if detail.batch and self._model is not None:
            count = len(detail.parts)
            self._model.expect(detail.batch, asked_tokens=LARGEST_ASKED * count, answer_tokens=MOST_ANSWERED * count)

    async def read(
        self,
        detail: Detail,
        parts: Sequence[Part],
        passage: Callable[[Part], Awaitable[ConversationPart]],
        *,
        patient: bool,
        calls_left: int,
    ) -> ReadingOutcome:
        """Have the first of the parts read; `patient`: nobody waits for it."""
        if self._model is None:
            return ReadingOutcome()
        if detail.batch and not self._model.takes_batches:
            # It was handed in where another model was configured: its parts are asked about one by one.
            return ReadingOutcome(detail=Detail(attempts=1), wait=timedelta(0))
        if detail.batch:
            return await self._fetch(self._model, detail, passage)
        if calls_left <= 0:
            used_up = f"today's {self._settings.daily_calls} calls for this owner are used up"
            return self._wait(used_up, _UNASKED_HINT)
        if patient and self._settings.batches and self._model.takes_batches and not detail.attempts:
            submitted = await self._submit(self._model, parts[: min(MOST_PARTS, calls_left)], passage)
            if submitted is not None:
                return submitted
        return await self._ask(self._model, await passage(parts[0]), detail.attempts)

    async def _ask(
        self,
        model: Model,
        passage: ConversationPart,
        attempts: int,
        *,
        rest: Detail | None = None,
        batch: Detail | None = None,
    ) -> ReadingOutcome:
        """Have one part read now; of a `batch` it leaves the `rest`."""
        try:
            answer = await model.ask(about(passage, model.name, self._rules))
        except ModelFailed as failed:
            if failed.unasked:
                return self._wait(str(failed), _UNASKED_HINT)
            self.counts.calls += 1
            self.counts.tokens += failed.usage.tokens
            return self._failed(failed, attempts, rest, batch)
        self.counts.calls += 1
        self.counts.tokens += answer.usage.tokens
        return self._found(answer.value, rest, len(passage.messages), calls=1)

    def _found(
        self, read: ExtractionResult, rest: Detail | None, read_messages: int | None, *, calls: int
    ) -> ReadingOutcome:
        self.counts.dropped += read.dropped
        self.trouble = self.hint = ""
        return ReadingOutcome(candidates=read.candidates, detail=rest, calls=calls, read_messages=read_messages)

    def _wait(self, why: str, hint: str) -> ReadingOutcome:
        self._complain(why, hint)
        return ReadingOutcome(wait=timedelta(seconds=BUDGET_S))

    def _failed(self, failed: ModelFailed, attempts: int, rest: Detail | None, batch: Detail | None) -> ReadingOutcome:
        self.counts.failures += 1
        self._complain(str(failed), failed.hint)
        attempts += 1
        if attempts >= MOST_ATTEMPTS:
            self.counts.given_up += 1
            log.warning("rules look at what %s failed at %d times", self.name, attempts)
            return ReadingOutcome(detail=rest, calls=1)
        wait = timedelta(minutes=self._settings.retry_minutes * 2 ** (attempts - 1))
        # Where it was a part of a batch, what the batch says of the others is fetched after it.
        kept = Detail(attempts=attempts) if batch is None else msgspec.structs.replace(batch, attempts=attempts)
        return ReadingOutcome(detail=kept, wait=wait, calls=1)

    # --- batches

    async def _submit(
        self, model: Model, parts: Sequence[Part], passage: Callable[[Part], Awaitable[ConversationPart]]
    ) -> ReadingOutcome | None:
        """Hand parts in; None where that cannot be done now."""
        passages = [await passage(part) for part in parts]
        named = {_name(part): about(one, model.name, self._rules) for part, one in zip(parts, passages, strict=True)}
        try:
            batch, count = await model.submit(named, deadline_s=CALL_S)
        except ModelFailed as failed:
            log.warning("no batch, a plain call instead: %s", failed)
            return None
        self.counts.batches += 1
        wait = timedelta(seconds=self._settings.batch_poll_s)
        message_counts = tuple(len(one.messages) for one in passages[:count])
        return ReadingOutcome(
            detail=Detail(batch=batch, parts=tuple(parts[:count]), message_counts=message_counts),
            wait=wait,
            calls=count,
        )

    async def _fetch(
        self, model: Model, detail: Detail, passage: Callable[[Part], Awaitable[ConversationPart]]
    ) -> ReadingOutcome:
        """Return what a batch says of the first of its parts."""
        first = detail.parts[0]
        read_messages = detail.message_counts[0] if detail.message_counts else None
        rest = (
            Detail(batch=detail.batch, parts=detail.parts[1:], message_counts=detail.message_counts[1:])
            if detail.parts[1:]
            else None
        )
        known = self._fetched[1] if self._fetched[0] == detail.batch else {}
        if _name(first) not in known:
            named = {_name(part): about(await passage(part), model.name, self._rules) for part in detail.parts}
            try:
                results = await model.fetch(detail.batch, named, deadline_s=CALL_S)
            except ModelFailed as failed:
                self._complain(str(failed), failed.hint)
                if failed.kind != "model":
                    return ReadingOutcome(wait=timedelta(minutes=self._settings.retry_minutes))
                # There is no such batch: its parts are asked about one by one.
                return ReadingOutcome(detail=Detail(attempts=1), wait=timedelta(0))
            if results is None:
                return ReadingOutcome(wait=timedelta(seconds=self._settings.batch_poll_s))
            known = results
            self._fetched = (detail.batch, known)
        result = known.get(_name(first))
        asked = await passage(first)
        if result is not None and result.usage.tokens:
            await model.charge(result.usage)
            self.counts.tokens += result.usage.tokens
        if isinstance(result, ModelAnswer):
            self.counts.read_in_batches += 1
            if read_messages in {None, len(asked.messages)}:
                known[_name(first)] = msgspec.structs.replace(result, usage=Usage())
                return self._found(result.value, rest, read_messages, calls=0)
            log.info("a part of a batch is read anew: something was taken out of it since")
        elif result is not None and result is not _SETTLED:
            log.warning("a part of a batch failed, a plain call instead: %s", result)
        known[_name(first)] = _SETTLED
        return await self._ask(model, asked, detail.attempts, rest=rest, batch=detail)

    # --- what is told

    def _complain(self, message: str, hint: str) -> None:
        if message != self.trouble:
            log.warning("conversations are not read: %s %s", message, hint)
            self._publish(Warned(component="capture", message=f"conversations are not read: {message}", hint=hint))
        self.trouble, self.hint = message, hint


def _name(part: Part) -> str:
    return f"part-{part[0]}-{part[1]}"
