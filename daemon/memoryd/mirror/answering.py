"""Answers what is asked about mirrored folders."""

from typing import assert_never

from memoryd.mirror.mirrors import MirrorKeeper
from memoryd_actors.access.view import MemoryView
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.mirroring import ListMirrors, MirrorRequest, Mirrors, StartMirror, StopMirror


class MirrorAnswers:
    """Turns mirrors on and off for callers, and says how they are."""

    def __init__(self, mirrors: MirrorKeeper, view: MemoryView) -> None:
        self._mirrors = mirrors
        self._view = view

    async def answer(self, request: MirrorRequest, caller: Caller) -> Mirrors:
        """Answer a request.

        Raises:
            Refused: it cannot be, or the caller's agent may see some categories only.
        """
        self._view.check_sees_all(
            caller, "a mirror has files of all of them", "Ask as yourself: `memoryd mirror` without `--agent`."
        )
        match request:
            case StartMirror():
                return Mirrors(mirrors=(await self._mirrors.start(request, caller.owner),))
            case StopMirror():
                await self._mirrors.stop(request.folder, caller.owner)
            case ListMirrors():
                pass
            case _:
                assert_never(request)
        return Mirrors(mirrors=tuple(self._mirrors.statuses(caller.owner)))
