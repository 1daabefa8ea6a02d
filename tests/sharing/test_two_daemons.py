"""Two real daemons on one real PostgreSQL server: nothing is lost, nothing is there twice."""

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Barrier, Event

import pytest

from memoryd_client import (
    Client,
    DaemonUnreachable,
    DeadlineExceeded,
    Entry,
    Memory,
    Message,
    NewMemory,
    PendingMemory,
    RequestFailed,
    Scope,
)
from running import PROJECT, RunningDaemon, until

Two = tuple[RunningDaemon, RunningDaemon]
FACT = "The user prefers tabs over spaces"
ENDS = ("", ".", "!", " .")
CLIENTS = 4
"""Of each daemon."""
ROUNDS = 3
TOKENS = "Token expiry is computed in UTC, so the login test fails at midnight local time."
SUBJECTS = {
    "the nightly backup of the photo archive": "The nightly backup of the photo archive runs on the shelf server.",
    "the colour of the garden fence": "The garden fence is to be painted in dark green, said the landlord.",
    "the ferry to the island": "The ferry to the island does not take bicycles before nine.",
    "sourdough starter feeding": "The sourdough starter is fed with rye flour every second day.",
}


def found(client: Client, query: str) -> list[str]:
    return [hit.id for hit in client.search(query)]


def active(daemon: RunningDaemon) -> list[Memory]:
    with daemon.client() as client:
        return client.list(limit=500)


def test_what_one_writes_forgets_and_replaces_the_other_knows(daemons: Two) -> None:
    one, other = daemons
    with one.client() as here, other.client() as there:
        stored = here.remember(TOKENS)
        until(lambda: stored.id in found(there, "login test midnight"), "the other's index to follow")
        there.forget(stored.id)
        # At once: a hit is only a candidate, and the ledger has the last word.
        assert stored.id not in found(here, "login test midnight")
        here.restore(stored.id)
        assert here.get(stored.id).active
        old = here.remember("The deploy branch is called main.", category="rule", title="deploy branch")
        new = there.remember("The deploy branch is called trunk.", category="rule", title="deploy branch")
        assert here.get(old.id).superseded_by == new.id
        assert old.id not in found(here, "deploy branch")
        until(lambda: new.id in found(here, "deploy branch"), "the index to follow")
        there.purge([stored.id])
        with pytest.raises(RequestFailed, match="no memory"):
            here.get(stored.id)
        assert stored.id not in found(here, "login test midnight")


def test_what_both_are_told_at_once_is_one_memory_as_strong_as_they_were_many(daemons: Two) -> None:
    start = Barrier(2 * CLIENTS)

    def write(number: int) -> int:
        acknowledged = 0
        with daemons[number % 2].client(session=f"s{number}") as client:
            start.wait()
            for turn in range(ROUNDS):
                new = NewMemory(content=f"{FACT}{ENDS[(number + turn) % len(ENDS)]}", scope=Scope.GLOBAL)
                client.remember_many([new])
                # The same request again, as after an answer that got lost: it counts once.
                client.remember_many([new])
                acknowledged += 1
        return acknowledged

    for daemon in daemons:
        with daemon.client() as client:
            client.remember("Rain is expected on Sunday.", scope="global")  # the model is there
            daemon.indexed(client)
    with ThreadPoolExecutor(2 * CLIENTS) as threads:
        acknowledged = sum(threads.map(write, range(2 * CLIENTS)))

    def one() -> Memory | None:
        same = [memory for memory in active(daemons[0]) if memory.content.startswith(FACT)]
        return same[0] if len(same) == 1 else None

    assert until(one, "one memory to be left").strength == acknowledged == 2 * CLIENTS * ROUNDS
    assert [memory.id for memory in active(daemons[1]) if memory.content.startswith(FACT)] == [one().id]  # type: ignore[union-attr]


def test_what_waits_for_a_session_is_handed_over_once_whichever_daemon_is_asked(daemons: Two) -> None:
    with daemons[0].client("writer") as here, daemons[1].client("writer") as there:
        ids = {subject: here.remember(content).id for subject, content in SUBJECTS.items()}
        for client, daemon in ((here, daemons[0]), (there, daemons[1])):
            until(lambda client=client: all(ids[one] in found(client, one) for one in SUBJECTS), "the indexes")  # type: ignore[misc]
            daemon.indexed(client)
    handed: list[str] = []
    with daemons[0].client("s") as here, daemons[1].client("s") as there, ThreadPoolExecutor(2) as threads:
        for number, subject in enumerate(SUBJECTS):
            pushed_to, client = ((daemons[0], here), (daemons[1], there))[number % 2]
            trace = pushed_to.turn(client, f"what do we know about {subject}?")
            assert [one.id for one in trace.candidates if one.kept] == [ids[subject]]
            start = Barrier(2)

            def take(client: Client, start: Barrier = start) -> PendingMemory | None:
                start.wait()
                return client.take_pending(deadline_s=10)

            taken = [pending for pending in threads.map(take, (here, there)) if pending]
            handed += [memory.id for pending in taken for memory in pending.memories]
    assert sorted(handed) == sorted(ids.values())


def test_what_is_turned_off_at_one_is_off_at_the_other(daemons: Two) -> None:
    one, other = daemons
    with one.client("s") as here, other.client("s") as there:
        assert not here.switch(on=False).on

        def refused() -> bool:
            try:
                there.search("anything")
            except RequestFailed as failed:
                return "memory is off" in str(failed)
            return False

        until(refused, "the other to hear of it")
        there.switch(on=True)
        until(lambda: here.switch(on=True).on, "it to be on again")


def test_core_memory_and_checkpoints_that_both_edit_lose_no_change(daemons: Two) -> None:
    start = Barrier(2)

    def edit(number: int) -> list[int]:
        mine: list[int] = []
        with daemons[number].client("s") as client:
            start.wait()
            for turn in range(10):
                client.core_append("context", f"{number}.{turn}")
                version = None
                while version is None:
                    latest = client.load_checkpoint("run")
                    expected = latest.info.version if latest else 0
                    counted = int(latest.data) + 1 if latest else 1
                    try:
                        version = client.save_checkpoint("run", b"%d" % counted, expected=expected).version
                    except RequestFailed as failed:
                        if "version" not in str(failed):
                            raise
                mine.append(version)
        return mine

    with ThreadPoolExecutor(2) as threads:
        versions = [version for mine in threads.map(edit, range(2)) for version in mine]
    assert sorted(versions) == list(range(1, 21))
    with daemons[0].client("s") as client:
        (context,) = [section for section in client.core_view() if section.name == "context"]
        assert sorted(context.text.split()) == sorted(f"{number}.{turn}" for number in range(2) for turn in range(10))
        latest = client.load_checkpoint("run")
        assert latest is not None
        assert latest.data == b"20"


def test_a_conversation_goes_on_at_the_other_machine(daemons: Two) -> None:
    one, other = daemons
    said = ["The harbour crane is called Berta, and lifts forty tons.", "What does the small crane lift?"]
    with one.client("crane") as here, other.client("crane") as there:
        here.append([Entry(id=str(number), role="user", content=content) for number, content in enumerate(said)])
        # At once, in whichever way it is asked for.
        assert contents(there) == said
        assert (
            next(found.record.sequence for found in there.search_messages("harbour crane", session="crane").found) == 1
        )
        assert [entry.content for entry in there.build_context().entries] == said
        # A host pushes the whole conversation at the other machine: what was said before is there already.
        there.turn([Message("user", content) for content in (*said, "Which of them is older?")])
        assert there.append([Entry(id="1", role="user", content=said[1])]).known == 1
        start = Barrier(2)

        def speak(client: Client, name: str) -> None:
            start.wait()
            for turn in range(10):
                client.append([Entry(role="user", content=f"{name} {turn}")])

        with ThreadPoolExecutor(2) as threads:
            list(threads.map(speak, (here, there), ("here", "there")))
        assert contents(here)[:3] == [*said, "Which of them is older?"]
        assert sorted(contents(here)[3:]) == sorted(
            f"{name} {turn}" for name in ("here", "there") for turn in range(10)
        )
        assert contents(there) == contents(here)
        assert [session.session for session in here.sessions()].count("crane") == 1
        there.purge_session("crane")
        assert contents(here) == []
        assert here.search_messages("harbour crane", session="crane").found == ()
    until(lambda: not has_words(one.paths.messages_index, b"Berta"), "the other daemon to destroy what its index has")


def contents(client: Client) -> list[str]:
    return [entry.content for entry in client.messages(limit=100).entries]


def has_words(folder: Path, words: bytes) -> bool:
    return any(words in file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_kill_9_of_one_loses_nothing_and_the_other_works_on(daemons: Two) -> None:
    """The one that dies is the one that works in the background: the other takes that over, too."""
    killed, survivor = until(lambda: leader_first(daemons), "one of them to work in the background")
    start, dead = Barrier(2 * CLIENTS + 1), Event()
    rounds = [0] * (2 * CLIENTS)

    def write(number: int) -> tuple[list[str], int]:
        acknowledged: list[str] = []
        said = 0
        daemon = (killed, survivor)[number % 2]
        with Client(session=f"s{number}", project=PROJECT, paths=daemon.paths, deadline_s=3) as client:
            start.wait()
            for turn in count():
                if daemon is survivor and dead.is_set():
                    return acknowledged, said
                try:
                    acknowledged.append(client.remember(f"Shelf {number}, box {turn}: spare parts.").id)
                    said = client.append([Entry(id=f"e{turn}", role="user", content=f"Box {turn}")]).last
                    rounds[number] += 1
                except (DaemonUnreachable, DeadlineExceeded):
                    if dead.is_set():
                        return acknowledged, said
        raise AssertionError("it never ends")

    with ThreadPoolExecutor(2 * CLIENTS) as threads, survivor.client() as client:
        writers = [threads.submit(write, number) for number in range(2 * CLIENTS)]
        start.wait()
        try:
            until(lambda: min(rounds) >= 2, "the writers to be under way")
            killed.kill()
        finally:
            dead.set()  # without it they write for ever
        acknowledged = [one for writer in writers for one in writer.result()[0]]
        # What was said to the one that died is there for the other, perhaps more than was acknowledged.
        for number, writer in enumerate(writers):
            there = client.messages(f"s{number}", limit=1000)
            assert there.last == len({entry.id for entry in there.entries}) >= writer.result()[1] > 0
        assert len(set(acknowledged)) == len(acknowledged) >= 4 * CLIENTS
        assert [one for one in acknowledged if not client.get(one).content] == []
        stored = [entry.new for entry in client.history(limit=1000) if entry.event == "ADD" and "Shelf" in entry.new]
        assert len(stored) == len(set(stored)), "what was sent once is there once"
        # Stored together, these two are compared in the background.
        twins = client.remember_many([NewMemory(content=f"The kettle is on the left{end}") for end in (".", "!!")])
        until(lambda: sum(client.get(one.id).active for one in twins) == 1, "the survivor to compare them")
        assert leads(survivor)
    killed.start()
    with killed.client() as client:
        killed.indexed(client)
        assert [one for one in acknowledged if not client.get(one).content] == []
        kept = next(one.id for one in twins if client.get(one.id).active)
        assert kept in found(client, "where is the kettle?")
    assert not leads(killed)


def leads(daemon: RunningDaemon) -> bool:
    with daemon.client() as client:
        return bool(client.status().components["ledger"].numbers["leads"])


def leader_first(daemons: Two) -> Two | None:
    one, other = daemons
    if leads(one):
        return one, other
    return (other, one) if leads(other) else None


@pytest.mark.slow
def test_conversations_that_end_at_both_at_once_are_looked_at_without_waiting_for_each_other(daemons: Two) -> None:
    places = ("Lisbon", "Tromsø", "Ghent", "Turin", "Graz", "Malmö", "Porto", "Basel")
    facts = [f"We moved the archive number {number} to {place} in March." for number, place in enumerate(places)]
    start = Barrier(len(facts))

    def end(number: int) -> None:
        with daemons[number % 2].client(session=f"ends-{number}") as client:
            client.append([Entry(role="user", content=facts[number])])
            start.wait()
            client.end_session()

    with ThreadPoolExecutor(len(facts)) as threads:
        list(threads.map(end, range(len(facts))))

    def all_found() -> bool:
        told = " ".join(one.content for one in active(daemons[0]))
        return all(fact in told for fact in facts)

    # Who finds the owner's day changed by the other begins again at once; it was looked at a minute later.
    until(all_found, "what both sides' conversations brought")
