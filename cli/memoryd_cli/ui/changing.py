"""What a person does to a memory, on whatever screen it is shown."""

from typing import ClassVar, Unpack

from textual import work
from textual.binding import BindingType

from memoryd_cli.ui.dialogs import ConfirmDialog, EditDialog
from memoryd_cli.ui.page import UiScreen
from memoryd_cli.ui.words import line, purge_plan
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

    BINDINGS: ClassVar[list[BindingType]] = [("e", "edit", "Edit"), ("u", "undo", "Undo")]

    async def current(self) -> Memory | None:
        """Return the memory that is meant, as it now stands."""
        raise NotImplementedError

    @work
    async def action_edit(self) -> None:
        """Change the memory's text and all that is said about it."""
        memory = await self.current()
        if memory is None:
            return

        async def save(wanted: ChangedFields) -> str:
            try:
                await self._update(memory, **wanted)
            except (MemorydError, ValueError) as problem:
                return sentence(str(problem), problem.hint if isinstance(problem, MemorydError) else "")
            return ""

        if await self.app.push_screen_wait(EditDialog(memory, save)):
            self.done("changed", memory)

    @work
    async def action_undo(self) -> None:
        """Take back what was done here last."""
        if not self.backend.undoable:
            self.say("Nothing was changed here that could be undone. `memoryd history` has the changes of others.")
            return
        if what := await self.ask(self.backend.undo()):
            self.say(f"undone: {what}")
            self.reload()

    @work
    async def action_pin(self) -> None:
        """Pin the memory, or unpin it: what is pinned does not decay and is never replaced by itself."""
        memory = await self.current()
        if memory and await self.ask(self._update(memory, pinned=not memory.pinned)):
            self.done("unpinned" if memory.pinned else "pinned", memory)

    @work
    async def action_forget(self) -> None:
        """Put the memory out of sight."""
        memory = await self.current()
        if memory is None:
            return
        if memory.state is State.FORGOTTEN:
            self.say("It is forgotten already; r restores it.")
        elif await self.ask(
            self.backend.changed(self.backend.client.forget(memory.id), memory.id, _named("forget", memory))
        ):
            self.done("forgotten", memory)

    @work
    async def action_restore(self) -> None:
        """Bring the memory back."""
        memory = await self.current()
        if memory is None:
            return
        if memory.active:
            self.say("It is active already.")
        elif await self.ask(
            self.backend.changed(self.backend.client.restore(memory.id), memory.id, _named("restore", memory))
        ):
            self.done("restored", memory)

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
        if done := await self.ask(purge):
            self.say(done)
            self.reload()

    def done(self, what: str, memory: Memory) -> None:
        """Say what was done, and show how it now stands."""
        self.say(f"{what}: {line(memory.title or memory.content)[:80]}. u undoes it.")
        self.reload()

    async def _update(self, memory: Memory, **wanted: Unpack[ChangedFields]) -> Memory:
        change = self.backend.client.update(memory.id, revision=memory.revision, **wanted)
        return await self.backend.changed(change, memory.id, _named("change", memory))


def _named(what: str, memory: Memory) -> str:
    return f"{what} of {line(memory.title or memory.content)[:60]}"
