"""A real server in a process of its own, answering by simple rules: `python scripted_daemon.py RUNTIME_FOLDER`.

Search "hang" never ends, "once FILE" does not the first time and leaves FILE as a sign, "bug" hits a bug, "unsayable"
gets a reply that cannot be encoded, "missing" is refused, "takes" lists the takes seen, any other finds itself.
History lists the updates that arrived.
Descriptors of inherited sockets may follow as NAME=NUMBER, and files=NUMBER: how many files it may have open.
"""

import resource
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

import anyio

from memoryd.descriptors import most_connections
from memoryd.ipc import Server
from memoryd_actors.core.errors import NotFound
from memoryd_client.base.paths import Paths
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate, Push
from memoryd_client.wire.events import Warned
from memoryd_client.wire.history import GetHistory, History, HistoryEntry
from memoryd_client.wire.memories import List, Memories, Remember
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.pending import PendingMemory, Take, Taken
from memoryd_client.wire.protocol import AnyRequest, Reply
from memoryd_client.wire.request import Done as DoneReply
from memoryd_client.wire.search import Hit, Hits, Search
from memoryd_client.wire.status import Ping, Pong

AT = datetime(2026, 1, 1, tzinfo=UTC)


class Rules:
    """What the scripted daemon answers."""

    def __init__(self) -> None:
        self.updates: list[ContextUpdate] = []
        self.takes: list[str] = []
        self.server: Server | None = None

    def on_update(self, update: ContextUpdate) -> None:
        if update.messages and update.messages[-1].content == "bug":
            raise RuntimeError("scripted")
        self.updates.append(update)

    def answer_now(self, request: AnyRequest, caller: Caller) -> Reply | None:
        match request:
            case Ping():
                return Pong(pid=1, version="scripted", ready=True)
            case Take(take_id=take_id):
                self.takes.append(take_id)
                if caller.session == "empty":
                    return Taken()
                return Taken(PendingMemory(text=f"{caller.session} {take_id}", memories=(), turn=len(self.takes)))
            case _:
                return None

    async def answer(self, request: AnyRequest, caller: Caller, deadline_s: float) -> Reply:  # noqa: PLR0911, PLR0912 - a script
        match request:
            case Search(query="hang"):
                await anyio.sleep_forever()
                raise AssertionError
            case Search(query="bug"):
                raise KeyError("secret detail")
            case Search(query="unsayable"):
                return History(entries=(HistoryEntry(sequence=2**70, memory_id="", event="", at=""),))
            case Search(query="missing"):
                raise NotFound("mem_x")
            case Search(query="warn") if self.server is not None:
                self.server.publish(Warned(component="test", message="warn"))
                return Hits(hits=())
            case Search(query="takes"):
                return Hits(hits=tuple(Hit(id="mem_1", summary=take, score=1.0, timestamp=AT) for take in self.takes))
            case Search(query=query) if query.startswith("once ") and not await anyio.Path(query[5:]).exists():
                await anyio.Path(query[5:]).touch()
                await anyio.sleep_forever()
                raise AssertionError
            case Search(query=query):
                return Hits(hits=(Hit(id="mem_1", summary=f"{caller.project} {query}", score=1.0, timestamp=AT),))
            case Remember(memories=memories):
                return Memories(
                    memories=tuple(
                        Memory(
                            id=new.id,
                            owner=caller.owner,
                            content=new.content,
                            tags=new.tags,
                            occurred_at=new.occurred_at,
                            scope=new.scope,
                            created_at=AT,
                            updated_at=AT,
                        )
                        for new in memories
                    )
                )
            case GetHistory():
                return History(
                    entries=tuple(
                        HistoryEntry(
                            sequence=update.sequence,
                            memory_id=update.client,
                            event="UPDATE",
                            at="",
                            actor=update.caller.session,
                            new=update.messages[-1].content,
                        )
                        for update in self.updates
                    )
                )
            case List():
                return Memories(memories=())
            case Push(update=update):
                self.updates.append(update)
                return DoneReply()
            case _:
                return Pong(pid=1, version="beside the question", ready=True)


def paths_in(folder: Path) -> Paths:
    """Return the paths of a daemon whose sockets are in `folder`."""
    return Paths(home=folder / "home", config=folder / "config.toml", runtime=folder)


async def serve(folder: Path, inherited: dict[str, int]) -> None:
    rules = Rules()
    if files := inherited.pop("files", 0):
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    async with Server(
        paths_in(folder),
        on_update=rules.on_update,
        answer=rules.answer,
        answer_now=rules.answer_now,
        inherited=inherited,
        most_connections=most_connections(),
    ) as server:
        rules.server = server
        with anyio.open_signal_receiver(signal.SIGTERM) as signals:
            print("ready", flush=True)  # noqa: T201 - tells the test
            await anext(signals)


if __name__ == "__main__":
    anyio.run(serve, Path(sys.argv[1]), {n: int(v) for n, v in (a.split("=") for a in sys.argv[2:])})
