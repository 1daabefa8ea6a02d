"""Which conversations an agent may look into and speak in: one that may see some categories only, its own ones."""

from collections.abc import Collection

from memoryd_actors.access.view import MemoryView
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.settings import name_of
from memoryd_actors.ports.transcripts import Transcripts
from memoryd_client.wire.caller import PERSON, Caller
from memoryd_client.wire.transcripts import SessionInfo

_PAGE = 200
"""Sessions that are read at once, where not all are open to the caller."""


class SessionAccess:
    """Lets callers look into sessions."""

    def __init__(self, view: MemoryView, transcripts: Transcripts) -> None:
        self._view = view
        self._transcripts = transcripts

    def sees_all(self, caller: Caller) -> bool:
        """Return whether a caller may look into every session: its agent has no allowlist."""
        return self._view.sees_all(caller)

    async def is_open(self, caller: Caller, session: str) -> bool:
        """Return whether a caller knows of a session: it may look into it, or it is the one that it is in itself."""
        return session == caller.session or await self._is_own_or_managed(caller, session)

    async def check(self, caller: Caller, session: str) -> None:
        """Let a caller see what was said in a session; in all of them where it is empty.

        Raises:
            Refused: the agent may see some categories only, and what was said elsewhere may be about the others.
        """
        if self._view.sees_all(caller) or (session and await self._is_own_or_managed(caller, session)):
            return
        raise Refused(
            f"the agent `{caller.agent}` may see some categories only, and of transcripts that of its own session",
            "Name that session; or name the agents whose sessions it manages on its allowlist: `agent:NAME`.",
        )

    async def sessions(self, caller: Caller, *, limit: int, offset: int) -> tuple[SessionInfo, ...]:
        """Return the sessions that a caller may look into, the newest first."""
        if self._view.sees_all(caller):
            return tuple(await self._transcripts.sessions(caller.owner, limit=limit, offset=offset))
        found: list[SessionInfo] = []
        read = 0
        while len(found) < offset + limit and (
            page := await self._transcripts.sessions(caller.owner, limit=_PAGE, offset=read)
        ):
            read += len(page)
            found += [one for one in page if self._is_open(caller, one)]
        return tuple(found[offset : offset + limit])

    async def check_thread(
        self, caller: Caller, thread: str, writers: Collection[str], *, may_begin: bool = True
    ) -> None:
        """Let a caller see and change what is kept of a thread; `writers` are the agents that wrote it.

        Where somebody spoke in the session of that name, it is whoever spoke; what you wrote yourself is for all.
        Without `may_begin` somebody has to have written or spoken there, but for the caller's own session: what is
        put into a thread that has not begun is found by whoever begins it.

        Raises:
            Refused: the agent may see some categories only, and the thread is another agent's that it does not manage;
                or nobody's yet.
        """
        if self._view.sees_all(caller) or not thread:
            return
        info = await self._transcripts.info((caller.owner, thread))
        known = {name_of(one) for one in (*writers, *(info.agents if info is not None else ()))}
        if not (known or may_begin or thread == caller.session):
            raise Refused(
                f"the agent `{caller.agent}` may see some categories only, and {thread!r} has not begun: whoever "
                "begins it would find this there",
                "Write to the thread of its own session; or wait until an agent that it manages has spoken there.",
            )
        others = known - {name_of(caller.agent), PERSON}
        if thread == caller.session or (info is not None and info.agents):
            others.discard("")  # nobody said who wrote it
        if others and not self._view.manages(caller, others):
            raise Refused(
                f"the agent `{caller.agent}` may see some categories only, and {thread!r} is another agent's thread",
                "Name a thread of its own; or name the agents that it manages on its allowlist: `agent:NAME`.",
            )

    async def check_speaker(self, caller: Caller) -> None:
        """Let a caller speak in its session: what is said there is read as said to whoever is at work in it.

        A session is its own where it spoke first; what you wrote there yourself is nobody's.

        Raises:
            Refused: the agent may see some categories only, and the session is another agent's that it does not manage.
        """
        if self._view.sees_all(caller):
            return
        info = await self._transcripts.info((caller.owner, caller.session))
        speakers = [name_of(one) for one in info.agents if one != PERSON] if info is not None and info.last else []
        if speakers and speakers[0] != name_of(caller.agent) and not self._view.manages(caller, speakers):
            raise Refused(
                f"the agent `{caller.agent}` may see some categories only, and {caller.session!r} is another agent's "
                "session: what it says there is not written down",
                "Let it speak in a session of its own; or name the agents that it manages on its allowlist: "
                "`agent:NAME`.",
            )

    async def _is_own_or_managed(self, caller: Caller, session: str) -> bool:
        # Whoever asks says itself which session it is in; who spoke there is written down.
        info = await self._transcripts.info((caller.owner, session))
        if info is None:
            return session == caller.session
        return self._is_open(caller, info)

    def _is_open(self, caller: Caller, info: SessionInfo) -> bool:
        if info.session == caller.session and all(agent == caller.agent for agent in info.agents):
            return True
        return bool(info.agents) and self._view.manages(caller, info.agents)
