"""Review: what waits for a person's word, each settled with one key."""

from collections.abc import Awaitable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import ClassVar, Literal, TypeGuard

import msgspec
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.widgets import OptionList, Static

from memoryd_cli.base.output import printable
from memoryd_cli.ui.backend import Backend, Undoable
from memoryd_cli.ui.changing import ChangingScreen
from memoryd_cli.ui.page import Details, Rows
from memoryd_cli.ui.words import HEAD, LIGHT, brief, line, moment
from memoryd_client.wire.consent import Consent
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.review import Verdict, WaitingPair

Kind = Literal["consent", "near pair", "contradiction", "captured"]
KINDS: Sequence[Kind] = ("consent", "near pair", "contradiction", "captured")
MOST = 100
"""Of each kind."""
LOOKED_THROUGH = 500
"""Of the newest memories, for what capture took."""
VERDICTS: Mapping[Verdict, str] = {
    "same": "both say the same",
    "replaces": "this holds",
    "contradicts": "linked as contradicting",
    "both": "both hold",
}
ACCEPTED = "accepted"
"""In a memory's metadata: when a person looked at what capture took, and left it."""
TAKEN_BY = ("captured", "extracted")
"""In a memory's metadata: which kind of capture took it."""


class ReviewItem(msgspec.Struct, frozen=True):
    """Something that waits for a person's word."""

    kind: Kind
    what: Consent | WaitingPair | Memory

    @property
    def key(self) -> str:
        """Tells it from the others. A pair is the same one whether it waits or is linked as a contradiction."""
        match self.what:
            case WaitingPair():
                return " ".join(("pair", *sorted((self.what.first.id, self.what.second.id))))
            case _:
                return f"{self.kind} {self.what.id}"

    @property
    def memory_id(self) -> str:
        """The memory that is meant: of a pair the newer one."""
        return self.what.first.id if isinstance(self.what, WaitingPair) else self.what.id

    def row(self) -> Content:
        """Return it in one line."""
        match self.what:
            case Consent():
                told = f"{self.what.field}: {self.what.proposed}"
            case WaitingPair():
                told = f"{self.what.first.content} / {self.what.second.content}"
            case Memory():
                told = self.what.title or self.what.content
        return Content.assemble((f"{self.kind:<14}", "$text-accent"), line(told))


def is_pair(what: Consent | WaitingPair | Memory | None) -> TypeGuard[WaitingPair]:
    """Return whether it is about two memories."""
    return isinstance(what, WaitingPair)


class ReviewScreen(ChangingScreen):
    """Consents, pairs to settle and what capture took lately, in one list."""

    NAME = "review"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "accept", "Accept", tooltip="says yes; a capture stays and is not asked about again"),
        Binding("d", "drop", "Drop", tooltip="says no; a capture is forgotten"),
        Binding("s", "settle('same')", "Same", tooltip="of a pair: both say the same, the newer is kept"),
        Binding("n", "settle('replaces')", "Newer", tooltip="the newer holds, and replaces the older"),
        Binding("o", "older", "Older", tooltip="the older holds, and replaces the newer"),
        Binding(
            "c", "settle('contradicts')", "Contradict", tooltip="they contradict each other: both are kept, linked"
        ),
        Binding("b", "settle('both')", "Both", tooltip="both hold"),
    ]

    def __init__(self, backend: Backend) -> None:
        super().__init__(backend)
        self._items: dict[str, ReviewItem] = {}

    def body(self) -> ComposeResult:
        """Yield the list and the details."""
        yield Static(id="about", markup=False)
        with Container(classes="split"):
            yield Rows()
            yield Details()

    def on_mount(self) -> None:
        """Look anew whenever something was written."""
        super().on_mount()
        self.follow(self.backend.on_write, lambda: self.reload() if self.is_current else None)

    def on_screen_resume(self) -> None:
        """Look anew for what waits."""
        super().on_screen_resume()
        if self.backend.status is not None:
            self.reload()

    async def fetch(self, *, choose: str = "") -> None:
        """Fetch what waits."""
        found = await self.ask(self._found())
        if found is None:
            return
        self._items = {item.key: item for item in found}
        self.query_one("#about", Static).update(Content.styled(" · ".join(_counts(found)), LIGHT))
        self.query_one(Rows).fill(((item.key, item.row()) for item in found), choose=choose)
        self._show()

    async def _found(self) -> list[ReviewItem]:
        client = self.backend.client
        found = [ReviewItem("consent", consent) for consent in await client.consents(limit=MOST)]
        waiting = (await client.review(limit=MOST)).pairs
        found += [ReviewItem("near pair", pair) for pair in waiting]
        known = {frozenset((pair.first.id, pair.second.id)) for pair in waiting}
        for pair in (await client.review(limit=MOST, contradicting=True)).pairs:
            ends = frozenset((pair.first.id, pair.second.id))
            if ends not in known:
                known.add(ends)
                found.append(ReviewItem("contradiction", pair))
        newest = await client.list(limit=LOOKED_THROUGH, scope="everywhere", passages=False)
        return found + [ReviewItem("captured", one) for one in taken(newest)][:MOST]

    # --- the chosen one

    @property
    def _chosen(self) -> ReviewItem | None:
        return self._items.get(self.query_one(Rows).chosen)

    @property
    def _what(self) -> Consent | WaitingPair | Memory | None:
        item = self._chosen
        return item.what if item else None

    @on(OptionList.OptionHighlighted)
    def choose(self) -> None:
        """Show what was chosen, and the keys that settle it."""
        self._show()

    def _show(self) -> None:
        item = self._chosen
        details = self.query_one(Details)
        details.show(_details(item) if item else "Nothing waits for you.")
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the keys of what is chosen only."""
        if not self.is_mounted or action not in {"accept", "drop", "settle", "older", "edit"}:
            return True
        item = self._chosen
        if action in {"settle", "older"}:
            return item is not None and is_pair(item.what)
        if action in {"accept", "drop"}:
            return item is not None and not is_pair(item.what)
        return item is not None

    async def current(self) -> Memory | None:
        """Return the memory that is meant."""
        item = self._chosen
        return await self.ask(self.backend.client.get(item.memory_id)) if item else None

    @work
    async def action_accept(self) -> None:
        """Say yes: a consent applies, what was captured stays and is not asked about again."""
        async with self.backend.step:
            match self._what:
                case Consent() as consent:
                    done = await self._decided(self.backend.client.approve(consent.id), consent, "yes")
                case Memory() as memory:
                    noted = {**memory.metadata, ACCEPTED: datetime.now(UTC).date().isoformat()}
                    done = await self.ask(self._update(memory, metadata=noted))
                case _:
                    return
            if done:
                await self.done("accepted", done)

    @work
    async def action_drop(self) -> None:
        """Say no: a consent lapses, what was captured is forgotten."""
        async with self.backend.step:
            match self._what:
                case Consent() as consent:
                    done = await self._decided(self.backend.client.reject(consent.id), consent, "no")
                case Memory() as memory:
                    done = await self.ask(self._changed(self.backend.client.forget(memory.id), memory, "forget"))
                case _:
                    return
            if done:
                await self.done("dropped", done)

    async def _decided(self, change: Awaitable[Memory], consent: Consent, answer: str) -> Memory | None:
        place = self.query_one(Rows).chosen
        return await self.ask(self.backend.changed(change, consent.id, f"{answer} to {consent.field}", place))

    @work
    async def action_settle(self, verdict: Verdict) -> None:
        """Say what the newer memory is to the older."""
        async with self.backend.step:
            if is_pair(pair := self._what):
                await self._settle(pair.first, pair.second, verdict)

    @work
    async def action_older(self) -> None:
        """Let the older memory replace the newer."""
        async with self.backend.step:
            if is_pair(pair := self._what):
                await self._settle(pair.second, pair.first, "replaces")

    async def _settle(self, first: Memory, second: Memory, verdict: Verdict) -> None:
        done = await self.ask(self.backend.client.settle(first.id, second.id, verdict))
        if done is None:
            return
        told = f"{VERDICTS[verdict]}: {brief(first.content)}"
        if done.operation:
            self.backend.undoable.append(Undoable(done.operation, told, self.query_one(Rows).chosen))
        self.say(f"{told}{'; u undoes it' if done.operation else ''}")
        await self.shown()


def _counts(found: Sequence[ReviewItem]) -> Iterator[str]:
    for kind in KINDS:
        count = sum(item.kind == kind for item in found)
        yield f"{kind} {count}{' or more' if count >= MOST else ''}"


def taken(newest: Iterable[Memory]) -> list[Memory]:
    """Return those that capture took and nobody has accepted yet, the newest first."""
    return [one for one in newest if any(name in one.metadata for name in TAKEN_BY) and ACCEPTED not in one.metadata]


def _details(item: ReviewItem) -> Content:
    match item.what:
        case Consent() as consent:
            return _consent(consent)
        case WaitingPair() as pair:
            return _pair(pair)
        case Memory() as memory:
            return _captured(memory)


def _consent(consent: Consent) -> Content:
    waits = f"{consent.signals} of {consent.needs} sessions" if consent.needs else "your yes"
    return Content.assemble(
        (f"{printable(consent.field)}\n", HEAD),
        ("would say  ", LIGHT),
        f"{printable(consent.proposed)}\n",
        ("says now   ", LIGHT),
        f"{printable(consent.current) or 'nothing'}\n",
        ("waits for  ", LIGHT),
        f"{waits}, until {consent.expires_at[:10]}\n",
        ("asked by   ", LIGHT),
        f"{printable(consent.proposed_by) or 'nobody known'}\n",
        ("why        ", LIGHT),
        f"{printable(consent.reason)}\n",
    )


def _pair(pair: WaitingPair) -> Content:
    return Content.assemble(
        (f"newer, {moment(pair.first.occurred_at or pair.first.created_at)}\n", HEAD),
        f"{printable(pair.first.content)}\n\n",
        (f"older, {moment(pair.second.occurred_at or pair.second.created_at)}\n", HEAD),
        f"{printable(pair.second.content)}\n\n",
        (f"similarity {pair.similarity:.2f}. {printable(pair.reason)}\n\n", LIGHT),
        "s  they say the same: the newer one is kept\n",
        "n  the newer one holds, and replaces the older\n",
        "o  the older one holds, and replaces the newer\n",
        "c  they contradict each other: both are kept, linked\n",
        "b  both hold\n",
    )


def _captured(memory: Memory) -> Content:
    how = "\n".join(f"{name}: {memory.metadata[name]}" for name in TAKEN_BY if name in memory.metadata)
    said = ", ".join(filter(None, (memory.speaker, f"session {memory.session}" if memory.session else "")))
    return Content.assemble(
        f"{printable(memory.content)}\n\n",
        (f"{line(memory.category)}, {moment(memory.created_at)}\n", LIGHT),
        (f"{printable(said)}\n", LIGHT),
        (f"{printable(how)}\n\n", LIGHT),
        "a  keep it, and ask no more\ne  change it\nd  forget it\n",
    )
