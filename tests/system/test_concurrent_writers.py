"""Sixteen clients write at once, and the daemon is killed among them."""

from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from threading import Barrier, Event

import pytest

from memoryd_client import Client, DaemonUnreachable, DeadlineExceeded, Memory, NewMemory, Scope
from running import PROJECT, RunningDaemon, until

CLIENTS = 16
FACT = "The user prefers tabs over spaces"
ENDS = ("", ".", "!", " .")
ROUNDS = 3


def active(daemon: RunningDaemon) -> list[Memory]:
    with daemon.client() as client:
        return client.list(limit=500)


def test_sixteen_clients_that_say_the_same_make_one_memory_as_strong_as_they_were_many(daemon: RunningDaemon) -> None:
    start = Barrier(CLIENTS)

    def write(number: int) -> int:
        acknowledged = 0
        with daemon.client(session=f"s{number}") as client:
            start.wait()
            for turn in range(ROUNDS):
                said = f"{FACT}{ENDS[(number + turn) % len(ENDS)]}"
                new = NewMemory(content=said, scope=Scope.GLOBAL)
                client.remember_many([new])
                # The same request again, as after an answer that got lost: it counts once.
                client.remember_many([new])
                acknowledged += 1
        return acknowledged

    with daemon.client() as client:
        client.remember("Rain is expected on Sunday.", scope="global")  # the model is there
        daemon.indexed(client)
    with ThreadPoolExecutor(CLIENTS) as threads:
        acknowledged = sum(threads.map(write, range(CLIENTS)))

    def one() -> Memory | None:
        # What was stored while the model was too busy to compare it is merged in the background.
        same = [memory for memory in active(daemon) if memory.content.startswith(FACT)]
        return same[0] if len(same) == 1 else None

    assert until(one, "one memory to be left").strength == acknowledged == CLIENTS * ROUNDS


@pytest.mark.slow
def test_what_was_acknowledged_to_any_of_sixteen_clients_outlives_kill_9(daemon: RunningDaemon) -> None:
    start, killed = Barrier(CLIENTS + 1), Event()

    def write(number: int) -> list[str]:
        acknowledged: list[str] = []
        with Client(session=f"s{number}", project=PROJECT, paths=daemon.paths, deadline_s=3) as client:
            start.wait()
            for turn in count():
                try:
                    stored = client.remember(f"Shelf {number}, box {turn}: spare parts.")
                except (DaemonUnreachable, DeadlineExceeded):
                    if killed.is_set():
                        break
                else:
                    acknowledged.append(stored.id)
        return acknowledged

    with ThreadPoolExecutor(CLIENTS) as threads:
        writers: list[Future[list[str]]] = [threads.submit(write, number) for number in range(CLIENTS)]
        start.wait()
        until(lambda: len(active(daemon)) >= 3 * CLIENTS, "the writers to be under way")
        daemon.kill()
        killed.set()
        acknowledged = [one for writer in writers for one in writer.result()]
    daemon.start()
    assert len(acknowledged) >= CLIENTS
    with daemon.client() as client:
        # Compared with one another meanwhile, some may have been merged or linked; none is lost.
        assert [one for one in acknowledged if not client.get(one).content] == []
        daemon.indexed(client)
