"""Review: what waits for a person's word, each settled with one key."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar, Literal, TypeGuard

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.content import Content
from textual.widgets import OptionList, Static

from memoryd_cli.base.output import printable
from memoryd_cli.ui.backend import Backend, Undoable
from memoryd_cli.ui.changing import ChangingScreen
from memoryd_cli.ui.page import Details, Rows
from memoryd_cli.ui.words import HEAD, LIGHT, line, moment
from memoryd_client.wire.consent import Consent
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.review import Verdict, WaitingPair

Kind = Literal["consent", "near pair", "contradiction", "captured"]
KINDS: Sequence[Kind] = ("consent", "near pair", "contradiction", "captured")
MOST = 100
"""Of each kind."""
LOOKED_THROUGH = 500
"""Of the newest memories, for what capture took."""
ACCEPTED = "accepted"
"""In a memory's metadata: when a person looked at what capture took, and left it."""
TAKEN_BY = ("captured", "extracted")
"""In a memory's metadata: which kind of capture took it."""


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """Something that waits for a person's word."""

    kind: Kind
    what: Consent | WaitingPair | Memory

    @property
    def key(self) -> str:
        """Tells it from the others."""
        match self.what:
            case WaitingPair():
                return f"{self.kind} {self.what.first.id} {self.what.second.id}"
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
        ("a", "accept", "Accept"),
        ("d", "drop", "Drop"),
        ("s", "settle('same')", "Same"),
        ("n", "settle('replaces')", "Newer holds"),
        ("o", "older", "Older holds"),
        ("c", "settle('contradicts')", "Contradict"),
        ("b", "settle('both')", "Both hold"),
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

    def reload(self) -> None:
        """Fetch what waits."""
        self._fetch()

    @work(exclusive=True, group="list")
    async def _fetch(self) -> None:
        found = await self.ask(self._found())
        if found is None:
            return
        self._items = {item.key: item for item in found}
        counts = [f"{kind} {sum(item.kind == kind for item in found)}" for kind in KINDS]
        self.query_one("#about", Static).update(Content.styled(" · ".join(counts), LIGHT))
        self.query_one(Rows).fill((item.key, item.row()) for item in found)
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
        item, client = self._chosen, self.backend.client
        match item.what if item else None:
            case Consent() as consent:
                change = client.approve(consent.id)
                done = await self.ask(self.backend.changed(change, consent.id, f"yes to {consent.field}"))
            case Memory() as memory:
                noted = {**memory.metadata, ACCEPTED: datetime.now(UTC).date().isoformat()}
                done = await self.ask(self._update(memory, metadata=noted))
            case _:
                return
        if done:
            self.done("accepted", done)

    @work
    async def action_drop(self) -> None:
        """Say no: a consent lapses, what was captured is forgotten."""
        item, client = self._chosen, self.backend.client
        match item.what if item else None:
            case Consent() as consent:
                change = client.reject(consent.id)
                done = await self.ask(self.backend.changed(change, consent.id, f"no to {consent.field}"))
            case Memory() as memory:
                change = client.forget(memory.id)
                done = await self.ask(self.backend.changed(change, memory.id, f"forget of {line(memory.content)[:60]}"))
            case _:
                return
        if done:
            self.done("dropped", done)

    def action_settle(self, verdict: Verdict) -> None:
        """Say what the newer memory is to the older."""
        item = self._chosen
        if item is not None and is_pair(item.what):
            self._settle(item.what.first, item.what.second, verdict)

    def action_older(self) -> None:
        """Let the older memory replace the newer."""
        item = self._chosen
        if item is not None and is_pair(item.what):
            self._settle(item.what.second, item.what.first, "replaces")

    @work
    async def _settle(self, first: Memory, second: Memory, verdict: Verdict) -> None:
        done = await self.ask(self.backend.client.settle(first.id, second.id, verdict))
        if done is None:
            return
        if done.operation:
            self.backend.undoable.append(Undoable(done.operation, f"{verdict}: {line(first.content)[:40]}"))
        self.say(f"settled: {verdict}. {'u undoes it.' if done.operation else ''}")
        self.reload()


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
        (f"{memory.category}, {moment(memory.created_at)}\n", LIGHT),
        (f"{printable(said)}\n", LIGHT),
        (f"{printable(how)}\n\n", LIGHT),
        "a  keep it, and ask no more\ne  change it\nd  forget it\n",
    )
