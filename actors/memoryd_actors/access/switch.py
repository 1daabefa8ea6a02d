"""The switch that turns memory off: for a project, or for everything that an owner does.

Off means that nothing comes in and nothing goes out by itself: contexts are dropped, takes are empty, and storing,
importing, changing, searching and recalling are refused. What is there stays the owner's to look at, to take away and
to destroy: listing, reading, exporting, forgetting, restoring, undoing and purging work.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

import anyio

from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.signature import signed
from memoryd_actors.ports.clock import Clock
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.request import Request
from memoryd_client.wire.status import ComponentStatus
from memoryd_client.wire.switching import Switched, SwitchedOff

EVERYWHERE = ""


class SwitchRepository(Protocol):
    """Where switches are kept: the part of the ledger that is needed here."""

    async def switched_off(self) -> Sequence[tuple[str, SwitchedOff]]:
        """Return owner and place of everything that is off."""
        ...

    async def switch_off(self, owner: str, project: str, *, actor: str, at: datetime) -> None:
        """Note that memory is off in a place; one that is off already stays off since when it was."""
        ...

    async def switch_on(self, owner: str, project: str) -> None:
        """Note that memory is on again in a place."""
        ...


class Switches:
    """Where memory is off, known without asking the ledger: every context and every take looks here."""

    def __init__(self, repository: SwitchRepository, clock: Clock) -> None:
        self._repository = repository
        self._clock = clock
        self._off: dict[tuple[str, str], SwitchedOff] = {}
        self._turning = anyio.Lock()
        """Nobody reads how things stood before a turn and says so after it."""
        self.dropped = 0
        """Contexts that came in where memory is off."""

    async def load(self) -> None:
        """Read how things stand; call it before anything is answered, and when another daemon turned something."""
        async with self._turning:
            await self._load()

    async def _load(self) -> None:
        self._off = {(owner, place.project): place for owner, place in await self._repository.switched_off()}

    def off(self, owner: str, project: str) -> SwitchedOff | None:
        """Return where and since when memory is off for an owner in a project, or around it; None where it is on."""
        for (who, where), place in self._off.items():
            if who == owner and (where in (EVERYWHERE, project) or project.startswith(f"{where}/")):
                return place
        return None

    def drops(self, caller: Caller) -> bool:
        """Return whether a context has to be dropped, and count it."""
        if self.off(caller.owner, caller.project) is None:
            return False
        self.dropped += 1
        return True

    def check(self, request: Request[Any], caller: Caller) -> None:
        """Let a request through.

        Raises:
            Refused: memory is off where the caller is, and the request needs it.
        """
        place = self.off(caller.owner, caller.project) if type(request).needs_memory else None
        if place is not None:
            raise refusal(place)

    async def turn(self, caller: Caller, *, on: bool, everywhere: bool) -> Switched:
        """Turn memory on or off, durably, and return how things stand.

        Raises:
            Refused: a project is meant, and there is none here.
        """
        project = EVERYWHERE if everywhere else caller.project
        if not everywhere and not project:
            raise Refused("there is no project here to turn memory on or off for", "Add `--everywhere` to mean all.")
        key = (caller.owner, project)
        async with self._turning:
            if on:
                await self._repository.switch_on(*key)
                self._off.pop(key, None)
            elif key not in self._off:
                now, actor = self._clock.now(), signed(caller)
                await self._repository.switch_off(*key, actor=actor, at=now)
                self._off[key] = SwitchedOff(project=project, since=now.isoformat(), actor=actor)
        return self.read_switches(caller)

    def read_switches(self, caller: Caller) -> Switched:
        """Return how the switches of a caller's owner stand."""
        places = sorted((key[1], place) for key, place in self._off.items() if key[0] == caller.owner)
        return Switched(on=self.off(caller.owner, caller.project) is None, off=tuple(place for _, place in places))

    def status(self, caller: Caller) -> ComponentStatus:
        """Return the part of the status that tells of it, for one owner: loud where something is off."""
        places = self.read_switches(caller).off
        numbers = {"off": float(len(places)), "dropped": float(self.dropped)}
        if not places:
            return ComponentStatus(state="ok", numbers=numbers)
        where = "; ".join(f"{_named(place)} since {place.since[:19]}" for place in places)
        return ComponentStatus(
            state="off",
            message=f"MEMORY IS OFF {where}",
            hint=_mend(places[0]),
            numbers=numbers,
        )


def refusal(place: SwitchedOff) -> Refused:
    """Return what is answered where memory is off."""
    return Refused(f"memory is off {_named(place)} since {place.since[:19]}", _mend(place))


def _named(place: SwitchedOff) -> str:
    return f"in {place.project}" if place.project else "everywhere"


def _mend(place: SwitchedOff) -> str:
    return "`memoryd on` there turns it on again." if place.project else "`memoryd on --everywhere` turns it on again."
