"""What is made of conversations, before and while words of them are purged: at a real daemon."""

import json
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

from memoryd_client import Client, Message
from memoryd_client.wire.memory import Source
from memoryd_client.wire.transcripts import Entry
from messages_api import MessagesApi, Reply, held, message
from running import RunningDaemon, until

MOVED = "We moved the staging database to Frankfurt in March 2026."
DEPLOYED = "We decided to deploy the web server with Ansible."
BILLING = "We decided to use PostgreSQL 17 for the billing service."
SECRET = "The cobalt crane of quokkabanana lifts nine tons at most."


def files_with(home: Path, needle: bytes) -> list[str]:
    return [str(file) for file in sorted(home.rglob("*")) if file.is_file() and needle in file.read_bytes()]


def test_what_was_extracted_goes_where_it_says_the_same_and_is_named_where_it_does_not(daemon: RunningDaemon) -> None:
    with daemon.client("s1") as client:
        told = client.remember("Ana moved the staging database to Frankfurt by night.", source_session="s1")
        said = f"{MOVED} Why does the test fail? {DEPLOYED}", BILLING
        client.append([Entry(role="user", content=text) for text in said])
        client.end_session()

        def extracted() -> dict[str, str]:
            found = {one.content: one.id for one in client.list() if one.source is Source.EXTRACTED}
            return found if len(found) == 3 else {}

        ids = until(extracted, "what was said to be extracted")
        moved, deployed, billing = (
            next(one for content, one in ids.items() if part in content) for part in ("Frankfurt", "Ansible", "17")
        )
        told = client.remember("Ana moved the staging database to Frankfurt by night.", source_session="s1")
        plan = client.purge_plan([told.id])
        assert [one.id for one in plan.retold] == [moved]
        assert [one.id for one in plan.resting] == [deployed]
        assert moved in client.purge([told.id]).rpartition("go with")[2]
        told = client.remember("Ana moved the staging database to Frankfurt at dawn.", source_session="s1")
        answer = client.purge([told.id], transcripts=True)
        assert answer == (
            "2 memories destroyed, and the words of 1 entry of 1 transcript; "
            f"what else rests on them stays, until it is purged: `{deployed}`"
        )
        assert {one.id for one in client.list() if one.source is Source.EXTRACTED} == {deployed, billing}
        assert client.purge([deployed], transcripts=True).startswith("1 memory destroyed")


def test_remember_that_behind_a_purge_takes_nothing_of_what_was_taken_out_before_it(daemon: RunningDaemon) -> None:
    with daemon.client("s1") as client:
        told = client.remember(SECRET, source_session="s1")
        client.push_acknowledged([Message("assistant", f"I read it up: {SECRET} Really.")])
        client.purge([told.id], transcripts=True)
        assert files_with(daemon.paths.home, b"quokkabanana") == []
        client.push_acknowledged([Message("user", "Remember that.")])
        client.push_acknowledged([Message("user", "Remember that the kiosk sells maps on Sundays.")])
        captured = until(client.list, "what was asked after it")
        assert [one.content for one in captured] == ["the kiosk sells maps on Sundays."]
        assert files_with(daemon.paths.home, b"quokkabanana") == []


def answer(*points: str) -> Reply:
    """What fits both a summary and an extraction."""
    found = {"content": points[0], "category": "fact", "trust": "user_stated", "messages": [0], "files": []}
    written = {"title": "", "topic": "cranes", "outcome": "", "tags": [], "points": points}
    return message(json.dumps(written | {"memories": [found | {"importance": 3, "about_person": False}]}))


def test_what_a_model_was_asked_before_a_purge_and_answers_after_it_is_made_anew(
    short_home: Path, models: Path
) -> None:
    settings = {
        "ANTHROPIC_API_KEY": "test-key",
        "MEMORYD_CAPTURE_BATCHES": "false",
        "MEMORYD_CONTEXT_PROTECTED": "256",
        "MEMORYD_SIDECAR_TIMEOUT_S": "60",
    }
    released = Event()
    with MessagesApi(held(answer(f"The user said: {SECRET}"), released)) as api:
        settings["MEMORYD_SIDECAR_BASE_URL"] = api.url
        with RunningDaemon(short_home, models, **settings) as daemon, daemon.client("s1") as client:
            works: list[Callable[[Client], object]] = [
                lambda client: client.compact(),
                lambda client: client.summarize_conversation(1, 1),
                lambda client: client.end_session(),
            ]
            told = client.remember(SECRET, scope="global")
            threads = [Thread(target=work_in, args=(daemon, f"s{n}", work)) for n, work in enumerate(works)]
            for thread in threads:
                thread.start()
            api.wait_for_requests(4)
            asked = len(api.requests)
            assert all("quokkabanana" in one.prompt for one in api.requests)
            client.purge([told.id], every_session=True)
            api.always(answer("The user rented two tractors in May."))
            released.set()
            for thread in threads:
                thread.join()
            until(lambda: len(client.list(category="episode", limit=10)), "the episode")
            until(lambda: [one for one in client.list() if one.source is Source.EXTRACTED], "what was extracted")
            assert len(api.requests) > asked
            assert not [one for one in api.requests[asked:] if "quokkabanana" in one.prompt]
            assert files_with(daemon.paths.home, b"quokkabanana") == []


def work_in(daemon: RunningDaemon, session: str, work: Callable[[Client], object]) -> None:
    """Have a conversation, and have something made of it."""
    with daemon.client(session) as client:
        said = SECRET, "What else is there?", "We rented two tractors in May, and the barn is painted red."
        for text in said:
            noted = f"Noted, in {session}: " + "so it will be done and told to all who were not there. " * 30
            client.append([Entry(role="user", content=text), Entry(role="assistant", content=noted)])
        work(client)


def test_a_summary_stays_that_tells_nothing_of_it_but_words_that_stand_anywhere(short_home: Path, models: Path) -> None:
    with (
        RunningDaemon(short_home, models, MEMORYD_CONTEXT_PROTECTED="256") as daemon,
        daemon.client("s1") as client,
    ):
        noted = "Noted: " + "so it will be done and told to all who were not there. " * 30
        for text in "I would like to paint the barn red before the fair.", "What else is there?":
            client.append([Entry(role="user", content=text), Entry(role="assistant", content=noted)])
        client.compact()
        client.append([Entry(role="user", content=SECRET), Entry(role="assistant", content="Noted.")])
        crane = client.remember(SECRET, source_session="s1")
        tea = client.remember("I would like to drink tea from Assam at four.", source_session="s2")
        (planned,) = client.purge_plan([crane.id, tea.id]).entries
        assert planned.excerpt == SECRET
        client.purge([crane.id, tea.id], transcripts=True)
        (summary,) = [one for one in client.messages("s1").entries if one.covers]
        assert "I would like to paint the barn" in summary.content
        assert files_with(daemon.paths.home, b"quokkabanana") == []
