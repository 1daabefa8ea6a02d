"""The model that reads conversations, within its budget: asked at once, or in a batch where nobody waits.

What a model refuses, cuts off or answers with nonsense is tried again a few times, later each time; then rules look at
that part, so that nothing is lost. A budget that is used up makes everything wait for the next day.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import anyio
import msgspec

from memoryd_actors.core.errors import Refused
from memoryd_actors.extraction.candidate import Candidate
from memoryd_actors.extraction.model import BATCH_PRICE, LARGEST, ConversationReader, Passage, Read, estimate
from memoryd_actors.judging.account import Account
from memoryd_actors.judging.judge import JudgeFailed
from memoryd_actors.memory.budget import Prices, Usage
from memoryd_actors.memory.settings import CaptureSettings
from memoryd_actors.ports.publisher import Publisher
from memoryd_client.wire.events import Warned

log = logging.getLogger(__name__)

_SETTLED: Final = JudgeFailed("server", "what the batch says of this part is paid for, and of no use")
Part = tuple[int, int]
"""After which entry of a transcript it begins, and with which one it ends."""
MOST_ATTEMPTS: Final = 4
"""Of a model at one part: with ten minutes, doubled each time, the last is an hour after the first."""
CALL_S: Final = 90.0
"""For one call: nobody waits, and an answer of 1,500 tokens takes some ten seconds."""
MOST_PARTS: Final = 20
"""Of one session in one batch."""
BUDGET_S: Final = 300.0
"""Until it is looked again whether there is budget."""


class Detail(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is kept of a session's extraction besides how far it is."""

    attempts: int = 0
    """How often a model failed at the part that comes next."""
    batch: str = ""
    """Under which id parts were handed in, to be read by and by."""
    parts: tuple[Part, ...] = ()
    """Which of them are still to be fetched,"""
    heard: tuple[int, ...] = ()
    """and how many messages each had: what was taken out of the transcript since must not come back."""
    day: str = ""
    """The latest day on which the session brought something, set by the extractor."""
    stored: int = 0
    """How much, on that day."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of the next part."""

    candidates: tuple[Candidate, ...] | None = None
    """None: no model looked at it, and rules shall."""
    detail: Detail | None = None
    """What is to be kept."""
    wait: timedelta | None = None
    """Where nothing is to be done with the part yet: how long."""
    calls: int = 0
    """How often a model was asked."""
    heard: int | None = None
    """How many messages the model read; None where that is not known."""


@dataclass(slots=True)
class ReaderCounts:
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
        self,
        remote: ConversationReader | None,
        *,
        account: Account,
        publish: Publisher,
        settings: CaptureSettings,
        prices: Prices = Prices(),  # noqa: B008 - frozen
    ) -> None:
        self._remote = remote
        self._account = account
        self._publish = publish
        self._settings = settings
        self._prices = prices
        self._half = prices.at(BATCH_PRICE)
        self._fetched: tuple[str, dict[str, Read | JudgeFailed]] = ("", {})
        self.counts = ReaderCounts()
        self.trouble = ""
        self.hint = ""

    @property
    def name(self) -> str:
        """The model's name; `rules` where there is none."""
        return self._remote.name if self._remote else "rules"

    @property
    def look_s(self) -> float:
        """How often somebody should look whether a batch is read, in seconds."""
        return self._settings.batch_poll_s if self._remote else float("inf")

    def expect(self, detail: Detail) -> None:
        """Hear after a start that a batch is out: its costs are kept for it."""
        if detail.batch:
            count = len(detail.parts)
            self._account.hold(detail.batch, self._half.usage(LARGEST[0] * count, LARGEST[1] * count))

    async def read(
        self,
        detail: Detail,
        parts: Sequence[Part],
        passage: Callable[[Part], Awaitable[Passage]],
        *,
        patient: bool,
        calls_left: int,
    ) -> Outcome:
        """Have the first of the parts read; `patient`: nobody waits for it."""
        if self._remote is None:
            return Outcome()
        if detail.batch:
            return await self._fetch(self._remote, detail, passage)
        first = await passage(parts[0])
        if objection := await self._objection(first, calls_left):
            self._complain(objection, "It goes on by itself; sidecar.daily_tokens, daily_usd and capture.daily_calls.")
            return Outcome(wait=timedelta(seconds=BUDGET_S))
        if patient and self._settings.batches and not detail.attempts:
            submitted = await self._submit(self._remote, parts[: min(MOST_PARTS, max(calls_left, 1))], passage)
            if submitted is not None:
                return submitted
        return await self._ask(self._remote, first, detail.attempts)

    async def _objection(self, first: Passage, calls_left: int) -> str:
        if calls_left <= 0:
            return f"today's {self._settings.daily_calls} calls for this owner are used up"
        try:
            await self._account.turn_day()
        except Refused as refused:
            return f"what was spent today cannot be read: {refused}"
        return self._account.objection(estimate(first, self._prices))

    async def _ask(
        self,
        remote: ConversationReader,
        passage: Passage,
        attempts: int,
        *,
        rest: Detail | None = None,
        batch: Detail | None = None,
    ) -> Outcome:
        """Have one part read now; of a `batch` it leaves the `rest`."""
        planned = estimate(passage, self._prices)
        self.counts.calls += 1
        failed: JudgeFailed | None = None
        with self._account.reserved(planned):
            try:
                with anyio.fail_after(CALL_S):
                    read = await remote.read(passage)
            except JudgeFailed as exc:
                failed = exc
            except TimeoutError:
                failed = JudgeFailed("timeout", f"{remote.name} did not answer within {CALL_S:g} s")
                self._charge(planned)
            else:
                self._charge(read.usage)
                self.counts.dropped += read.dropped
                self.trouble = self.hint = ""
                await self._account.save()
                return Outcome(candidates=read.candidates, detail=rest, calls=1, heard=len(passage.messages))
        self._charge(Usage(failed.input_tokens, failed.output_tokens, failed.cost_usd))
        await self._account.save()
        return self._failed(failed, attempts, rest, batch)

    def _failed(self, failed: JudgeFailed, attempts: int, rest: Detail | None, batch: Detail | None) -> Outcome:
        self.counts.failures += 1
        self._complain(str(failed), failed.hint)
        attempts += 1
        if attempts >= MOST_ATTEMPTS:
            self.counts.given_up += 1
            log.warning("rules look at what %s failed at %d times", self.name, attempts)
            return Outcome(detail=rest, calls=1)
        wait = timedelta(minutes=self._settings.retry_minutes * 2 ** (attempts - 1))
        # Where it was a part of a batch, what the batch says of the others is fetched after it.
        kept = Detail(attempts=attempts) if batch is None else msgspec.structs.replace(batch, attempts=attempts)
        return Outcome(detail=kept, wait=wait, calls=1)

    # --- batches

    async def _submit(
        self, remote: ConversationReader, parts: Sequence[Part], passage: Callable[[Part], Awaitable[Passage]]
    ) -> Outcome | None:
        """Hand parts in; None where that cannot be done now."""
        passages: dict[str, Passage] = {}
        taken: list[Part] = []
        planned = Usage()
        for part in parts:
            one = await passage(part)
            more = planned + estimate(one, self._half)
            if taken and self._account.objection(more):
                break  # the rest waits
            passages[_name(part)] = one
            taken.append(part)
            planned = more
        try:
            with self._account.reserved(planned), anyio.fail_after(CALL_S):
                batch = await remote.submit(passages)
        except (JudgeFailed, TimeoutError) as failed:
            log.warning("no batch, a plain call instead: %s", failed or "it took too long")
            return None
        # What it costs is known when it is fetched, which may be tomorrow.
        self._account.hold(batch, planned)
        self.counts.batches += 1
        wait = timedelta(seconds=self._settings.batch_poll_s)
        heard = tuple(len(one.messages) for one in passages.values())
        return Outcome(detail=Detail(batch=batch, parts=tuple(taken), heard=heard), wait=wait, calls=len(taken))

    async def _fetch(
        self, remote: ConversationReader, detail: Detail, passage: Callable[[Part], Awaitable[Passage]]
    ) -> Outcome:
        """Return what a batch says of the first of its parts."""
        first = detail.parts[0]
        heard = detail.heard[0] if detail.heard else None
        rest = Detail(batch=detail.batch, parts=detail.parts[1:], heard=detail.heard[1:]) if detail.parts[1:] else None
        known = self._fetched[1] if self._fetched[0] == detail.batch else {}
        if _name(first) not in known:
            passages = {_name(part): await passage(part) for part in detail.parts}
            try:
                with anyio.fail_after(CALL_S):
                    results = await remote.fetch(detail.batch, passages)
            except TimeoutError:
                results = None
            except JudgeFailed as failed:
                self._complain(str(failed), failed.hint)
                if failed.kind != "model":
                    return Outcome(wait=timedelta(minutes=self._settings.retry_minutes))
                self._account.free(detail.batch)
                # There is no such batch: its parts are asked about one by one.
                return Outcome(detail=Detail(attempts=1), wait=timedelta(0))
            if results is None:
                return Outcome(wait=timedelta(seconds=self._settings.batch_poll_s))
            self._account.free(detail.batch)
            known = dict(results)
            self._fetched = (detail.batch, known)
        result = known.get(_name(first))
        asked = await passage(first)
        if isinstance(result, Read):
            self.counts.read_in_batches += 1
            self._charge(result.usage)
            if heard in {None, len(asked.messages)}:
                self.counts.dropped += result.dropped
                self.trouble = self.hint = ""
                await self._account.save()
                return Outcome(candidates=result.candidates, detail=rest, heard=heard)
            log.info("a part of a batch is read anew: something was taken out of it since")
            known[_name(first)] = _SETTLED
        if isinstance(result, JudgeFailed):
            self._charge(Usage(result.input_tokens, result.output_tokens, result.cost_usd))
            log.warning("a part of a batch failed, a plain call instead: %s", result)
            known[_name(first)] = _SETTLED
        return await self._ask(remote, asked, detail.attempts, rest=rest, batch=detail)

    # --- what is told

    def _charge(self, usage: Usage) -> None:
        self._account.charge(usage)
        self.counts.tokens += usage.tokens

    def _complain(self, message: str, hint: str) -> None:
        if message != self.trouble:
            log.warning("conversations are not read: %s %s", message, hint)
            self._publish(Warned(component="capture", message=f"conversations are not read: {message}", hint=hint))
        self.trouble, self.hint = message, hint


def _name(part: Part) -> str:
    return f"part-{part[0]}-{part[1]}"
