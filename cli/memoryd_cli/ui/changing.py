"""What a person does to a memory, on whatever screen it is shown."""

from collections.abc import Awaitable
from typing import ClassVar, Unpack

from textual import work
from textual.binding import Binding, BindingType

from memoryd_cli.ui.dialogs import ConfirmDialog, EditDialog
from memoryd_cli.ui.page import Rows, UiScreen
from memoryd_cli.ui.words import brief, purge_plan
from memoryd_client.base.errors import MemorydError
from memoryd_client.base.wording import sentence
from memoryd_client.requests import ChangedFields
from memoryd_client.wire.memory import Memory, State

PURGES = {
    "memory": "This memory",
    "words": "And its messages",
    "everywhere": "And all that say it",
}


class ChangingScreen(UiScreen):
    """A screen on which memories are changed. All but a purge can be taken back with `u`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "edit", "Edit", tooltip="changes its text and all that is said about it"),
        Binding("u", "undo", "Undo", tooltip="takes back what was done here last; all but a purge"),
    ]

    async def current(self) -> Memory | None:
        """Return the memory that is meant, as it now stands."""
        raise NotImplementedError

    async def fetch(self, *, choose: str = "") -> None:
        """Fetch the list anew, and highlight the row with this key, if it is there."""
        raise NotImplementedError

    def reload(self) -> None:
        """Fetch the list anew beside what else is done."""
        self._fetch_beside()

    @work(exclusive=True, group="list")
    async def _fetch_beside(self) -> None:
        await self.fetch()

    # What is changed with one key holds `step` until the list shows it: a key that is pressed meanwhile waits, and then
    # means what is highlighted then.

    @work
    async def action_edit(self) -> None:
        """Change the memory's text and all that is said about it."""
        memory = await self.current()
        if memory is None:
            return

        async def save(wanted: ChangedFields) -> str:
            try:
                async with self.backend.step:
                    await self._update(memory, **wanted)
            except (MemorydError, ValueError) as problem:
                return sentence(str(problem), problem.hint if isinstance(problem, MemorydError) else "")
            return ""

        if await self.app.push_screen_wait(EditDialog(memory, save)):
            await self.done("changed", memory)

    @work
    async def action_undo(self) -> None:
        """Take back what was done here last."""
        async with self.backend.step:
            if not self.backend.undoable:
                self.say("Nothing was changed here that could be undone. `memoryd history` has the changes of others.")
            elif undone := await self.ask(self.backend.undo()):
                self.say(f"undone: {undone.what}")
                await self.shown(choose=undone.place)

    @work
    async def action_pin(self) -> None:
        """Pin the memory, or unpin it: what is pinned does not decay and is never replaced by itself."""
        async with self.backend.step:
            memory = await self.current()
            if memory and await self.ask(self._update(memory, pinned=not memory.pinned)):
                await self.done("unpinned" if memory.pinned else "pinned", memory)

    @work
    async def action_forget(self) -> None:
        """Put the memory out of sight."""
        async with self.backend.step:
            memory = await self.current()
            if memory is None:
                return
            if memory.state is State.FORGOTTEN:
                self.say("It is forgotten already; r restores it.")
            elif await self.ask(self._changed(self.backend.client.forget(memory.id), memory, "forget")):
                await self.done("forgotten", memory)

    @work
    async def action_restore(self) -> None:
        """Bring the memory back."""
        async with self.backend.step:
            memory = await self.current()
            if memory is None:
                return
            if memory.active:
                self.say("It is active already.")
            elif await self.ask(self._changed(self.backend.client.restore(memory.id), memory, "restore")):
                await self.done("restored", memory)

    @work
    async def action_purge(self) -> None:
        """Destroy the memory for good, once somebody has seen what goes with it and has said yes."""
        memory = await self.current()
        plan = await self.ask(self.backend.client.purge_plan([memory.id], every_session=True)) if memory else None
        if memory is None or plan is None:
            return
        answers = PURGES if plan.entries or plan.retold else {"memory": "Destroy it"}
        answer = await self.app.push_screen_wait(ConfirmDialog("Destroy for good?", purge_plan(memory, plan), answers))
        if not answer:
            return
        purge = self.backend.client.purge(
            [memory.id], transcripts=answer != "memory", every_session=answer == "everywhere"
        )
        async with self.backend.step:
            if done := await self.ask(purge):
                self.say(done)
                await self.shown()

    async def done(self, what: str, memory: Memory) -> None:
        """Say what was done, and show how it now stands."""
        self.say(f"{what}, u undoes it: {brief(memory.title or memory.content)}")
        await self.shown()

    async def shown(self, *, choose: str = "") -> None:
        """Show how it now stands; the row with this key is highlighted, if it is there."""
        self.workers.cancel_group(self, "list")
        await self.fetch(choose=choose)

    async def _update(self, memory: Memory, **wanted: Unpack[ChangedFields]) -> Memory:
        change = self.backend.client.update(memory.id, revision=memory.revision, **wanted)
        return await self._changed(change, memory, "change")

    async def _changed(self, change: Awaitable[Memory], memory: Memory, what: str) -> Memory:
        named = f"{what} of {brief(memory.title or memory.content)}"
        return await self.backend.changed(change, memory.id, named, self.query_one(Rows).chosen)
