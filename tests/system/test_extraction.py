"""What happens in a conversation becomes memory by itself: in a real daemon, without a model, whenever it dies."""

from functools import partial
from pathlib import Path

import pytest

from memoryd_actors.texts.fence import TAG
from memoryd_client import Client, Memory, Message, Scope
from memoryd_client.wire.memory import Source
from memoryd_client.wire.transcripts import Entry
from running import PROJECT, RunningDaemon, until

FACT = "We moved the staging database to Frankfurt in March 2026."
LESSON = "The root cause was a stale lock file in the runner's cache."


def said(content: str, role: str = "user") -> Entry:
    return Entry(content=content, role=role)


def talk() -> list[Entry]:
    return [
        said("Why does the deployment fail?"),
        said("Let me look into the log.", "assistant"),
        said(FACT),
        said(LESSON, "assistant"),
    ]


def numbers(client: Client) -> dict[str, float]:
    return dict(client.status().components["capture"].numbers)


def extracted(client: Client) -> list[Memory]:
    return [one for one in client.list(limit=1000) if one.source is Source.EXTRACTED]


def looked_at(client: Client) -> list[Memory]:
    """Return what was extracted, once everything that was said is looked at."""

    def done() -> bool:
        capture = client.status().components["capture"]
        return capture.state != "loading" and capture.numbers["sessions_waiting"] == 0

    until(done, "the conversations to be looked at")
    return extracted(client)


def has_given_way(client: Client, old: str, new: str) -> bool:
    return client.get(old).superseded_by == new


def test_the_end_of_a_session_brings_its_facts_with_the_very_messages(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        client.append(talk())
        client.end_session()
        found = {one.category: one for one in looked_at(client)}
        assert set(found) == {"fact", "lesson"}
        fact = found["fact"]
        assert fact.content == f'The user said: "{FACT}"'
        assert (fact.session, fact.source_messages) == ("s1", (3, 3))
        assert (fact.scope, fact.project, fact.metadata["extracted"]) == (Scope.PROJECT, PROJECT, "rule")
        assert (fact.trust, found["lesson"].trust) == (0.8, 0.4)
        assert found["lesson"].source_messages == (4, 4)
        assert found["lesson"].speaker == "assistant"

        assert fact.tags == ()

        client.end_session()
        assert looked_at(client) == extracted(client)
        client.append([said("Thanks, that is all!")])
        client.end_session()
        assert {one.id for one in looked_at(client)} == {one.id for one in found.values()}

        # What is found belongs to the project that the user named, in the same part or before it.
        client.append([said("We decided to sell the ads in May 2026, project: hdrpop"), said("Noted.", "assistant")])
        client.end_session()
        (ads,) = [one for one in looked_at(client) if "ads" in one.content]
        client.append([said("We decided to print the posters in June 2026."), said("Noted.", "assistant")])
        client.end_session()
        (posters,) = [one for one in looked_at(client) if "posters" in one.content]
        assert ads.tags == posters.tags == ("project:hdrpop",)


def test_what_is_said_of_another_person_waits_for_a_yes_and_what_is_asked_for_does_not(served: RunningDaemon) -> None:
    with served.client("s1") as client, served.client("s1", agent="cli") as person:
        mother = "My mother lives in Ghent and has dementia since 2021."
        client.append([said(mother), said(FACT), said("Remember that my brother lives in Bruges.")])
        client.end_session()
        assert [FACT in one.content for one in looked_at(client)] == [True]
        asked = until(lambda: [one for one in client.list() if one.source is Source.USER], "what was asked for")
        assert [one.content for one in asked] == ["my brother lives in Bruges."]
        (waiting,) = person.consents()
        assert (waiting.field, mother in waiting.proposed) == ("home", True)
        # Asked in words of the agent's own, and answered.
        question = "May I remember that your mother lives in Ghent and has dementia since 2021?"
        client.push_context([Message("assistant", question), Message("user", "yes, you may")])
        until(lambda: not person.consents(), "the answer")
        assert client.get(waiting.id).active
        client.end_session()
        looked_at(client)


def test_the_same_conversation_in_another_session_brings_back_nothing(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        client.append(talk())
        client.end_session()
        fact, lesson = sorted(looked_at(client), key=lambda one: one.category)
        client.purge([fact.id])
        client.forget(lesson.id)
    with served.client("s2") as client:
        before = numbers(client)["extracted_known"]
        client.append(talk())
        client.end_session()
        assert looked_at(client) == []
        assert numbers(client)["extracted_known"] == before + 2


def test_what_the_user_corrects_in_a_conversation_outdoes_what_an_agent_stored(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        port = client.remember("The staging database listens on port 5432.")
        exam = client.remember("The exam of the sailing course is on 3 March.", pinned=True)
        client.append(
            [
                said("The staging database listens on port 5432.", "assistant"),
                said("No, the staging database listens on port 5433."),
                said("That's wrong. The exam of the sailing course is on 10 March, not on 3 March."),
            ]
        )
        client.end_session()
        by_text = {one.content: one for one in looked_at(client)}
        for old, said_now in ((port, "5433"), (exam, "10 March")):
            (new,) = (one for text, one in by_text.items() if said_now in text)
            assert (new.category, new.trust) == ("correction", 1.0)
            until(partial(has_given_way, client, old.id, new.id), f"{old.content} to give way to {new.content}")


def test_what_the_user_corrects_of_anything_outdoes_what_they_stored_and_what_passes_leaves_nothing(
    served: RunningDaemon,
) -> None:
    with served.client("s1") as client:
        barn = client.remember("The barn has 4 doors.", source=Source.USER)
        vue = client.remember("The frontend is written in Vue.", source=Source.USER)
        npm = client.remember("We use npm for packages.", source=Source.USER)
        fork = client.remember("The fork uses npm.", source=Source.USER)
        served.indexed(client)
        moved = client.remember("Last week we switched from npm to pnpm", source=Source.USER)
        until(partial(has_given_way, client, npm.id, moved.id), "the older one to give way")
        assert client.get(fork.id).active
        client.append(
            [
                said("that's wrong, try again"),
                said("Sorry.", "assistant"),
                said("no, it's fine"),
                said("Good.", "assistant"),
                said("That's wrong, the barn has 3 doors, not 4."),
                said("Noted.", "assistant"),
                said("The frontend isn't written in Vue, it's Svelte."),
            ]
        )
        client.end_session()
        found = {one.content: one for one in looked_at(client)}
        assert set(found) == {"The barn has 3 doors, not 4.", "The frontend isn't written in Vue, it's Svelte."}
        assert {(one.category, one.trust) for one in found.values()} == {("correction", 1.0)}
        newest = {one.id for one in found.values()}
        until(lambda: {client.get(one.id).superseded_by for one in (barn, vue)} == newest, "what was wrong to give way")


def test_twelve_turns_are_looked_at_without_an_end(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        client.append([said(FACT), *(said(f"And what about number {n}?") for n in range(10))])
        client.append([said("ok", "assistant")])
        assert extracted(client) == []
        client.append([said("And now?")])
        until(lambda: bool(extracted(client)), "the twelfth turn to be looked at")


def test_a_silent_session_is_looked_at(short_home: Path, models: Path) -> None:
    idle = {"MEMORYD_CAPTURE_EXTRACT_IDLE_MINUTES": "0.005"}
    with RunningDaemon(short_home, models, **idle) as daemon, daemon.client("s1") as client:
        client.append(talk())
        until(lambda: len(extracted(client)) == 2, "silence to count as the end")


def test_what_is_pushed_is_looked_at_like_what_is_appended(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        client.push_acknowledged([Message("user", FACT)])
        until(lambda: bool(client.messages().entries), "the push to be written down")
        client.end_session()
        (fact,) = looked_at(client)
        assert FACT in fact.content


@pytest.mark.slow
@pytest.mark.parametrize("kills", [3])
def test_kill_9_at_any_moment_loses_nothing_and_doubles_nothing(short_home: Path, models: Path, kills: int) -> None:
    facts = [f"I met {name} in Berlin on {day} May 2025." for day, name in enumerate(["Ana", "Bo", "Cleo", "Dag"], 1)]
    with RunningDaemon(short_home, models) as daemon:
        for round_, fact in enumerate(facts[:kills]):
            with daemon.client(f"s{round_}") as client:
                client.append([said(fact), said(facts[3])])
                client.end_session()
                if round_:
                    # In the middle of the work, at another place each time.
                    until(lambda before=round_: numbers(client)["windows"] >= min(before, 1), "work")  # type: ignore[misc]
            daemon.kill()
            daemon.start()
        with daemon.client("after") as client:
            contents = sorted(one.content for one in looked_at(client))
            assert contents == sorted(f'The user said: "{fact}"' for fact in facts)


def test_a_session_that_was_purged_begins_anew(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        client.append(talk())
        client.end_session()
        assert len(looked_at(client)) == 2
        client.purge_session("s1")
        client.append([said("I met Eva in Lund on 9 May 2025.")])
        client.end_session()
        newest = max(looked_at(client), key=lambda one: one.created_at)
        assert (newest.content, newest.source_messages) == ('The user said: "I met Eva in Lund on 9 May 2025."', (1, 1))


@pytest.mark.slow
def test_nothing_is_taken_where_memory_is_off_until_it_is_on_again(short_home: Path, models: Path) -> None:
    with RunningDaemon(short_home, models) as daemon, daemon.client("s1") as client:
        client.append(talk())
        client.switch(on=False)
        client.end_session()
        assert extracted(client) == []
        daemon.kill()
        daemon.start()
        assert numbers(client)["windows"] == 0
        client.switch(on=True)
        client.end_session()
        assert len(looked_at(client)) == 2


def test_what_was_recalled_private_or_the_systems_is_not_taken(served: RunningDaemon) -> None:
    hidden = [
        said(f"<{TAG}>{FACT}</{TAG}>\nand now?"),
        said(f"<private>{FACT}</private>"),
        said(f"{FACT} #skip"),
        said(FACT, "system"),
        Entry(kind="tool_result", content=FACT),
    ]
    with served.client("s1") as client:
        client.append(hidden)
        client.end_session()
        assert looked_at(client) == []


def test_an_agent_captures_nothing_that_it_may_not_write(short_home: Path, models: Path) -> None:
    short_home.mkdir(parents=True, exist_ok=True)
    with RunningDaemon(short_home, models) as daemon:
        daemon.kill()
        daemon.paths.config.parent.mkdir(parents=True, exist_ok=True)
        daemon.paths.config.write_text('[allowlists]\nscript = ["lesson"]\n')
        daemon.start()
        with daemon.client("s1") as client:
            client.append(talk())
            client.end_session()
            assert [one.category for one in looked_at(client)] == ["lesson"]
            assert numbers(client)["extracted_refused"] == 1


def test_the_daily_cap_makes_the_rest_wait(short_home: Path, models: Path) -> None:
    cap = {"MEMORYD_CAPTURE_DAILY_MEMORIES": "1"}
    with RunningDaemon(short_home, models, **cap) as daemon:
        for session in ("s1", "s2"):
            with daemon.client(session) as client:
                client.append([said(f"I met {session} in Berlin on 3 May 2025.")])
                client.end_session()
        with daemon.client("s3") as client:
            until(lambda: bool(extracted(client)), "the first one")
            until(lambda: numbers(client)["sessions_waiting"] == 1, "the second to wait")
            assert len(extracted(client)) == 1


def test_turned_off_nothing_is_looked_at(short_home: Path, models: Path) -> None:
    with RunningDaemon(short_home, models, MEMORYD_CAPTURE_EXTRACT="false") as daemon, daemon.client("s1") as client:
        client.append(talk())
        client.end_session()
        assert numbers(client)["sessions_waiting"] == 0
        assert extracted(client) == []


def test_a_change_of_topic_brings_what_was_before_it(served: RunningDaemon) -> None:
    before = [
        "Why does the staging database refuse connections?",
        FACT,
        "Why does the staging database in Frankfurt refuse connections?",
        "Which connections does the staging database in Frankfurt refuse?",
        "Does the staging database in Frankfurt refuse all connections?",
    ]
    with served.client("s1") as client:
        messages: list[Message] = []
        for turn, said_now in enumerate(before, 1):
            messages.append(Message("user", said_now))
            client.push_acknowledged(messages, turn=turn)
            until(partial(decided, client, turn), "the turn to be decided")
            messages.append(Message("assistant", f"About the staging database and its connections: {said_now}"))
        assert not any(trace.topic_changed for trace in client.why(len(before)))
        assert extracted(client) == []
        messages.append(Message("user", "Now to my birthday cake: how long do I bake a chocolate cake with cherries?"))
        client.push_acknowledged(messages, turn=len(before) + 1)
        until(lambda: bool(extracted(client)), "what was said about the database")
        until(partial(decided, client, len(before) + 1), "the trace of the change")
        assert client.why(1)[0].topic_changed
        client.end_session()  # what was said since would wait for silence, and other tests wait for all that waits


def decided(client: Client, turn: int) -> bool:
    return [one.turn for one in client.why(1)] == [turn]


@pytest.mark.slow
def test_a_talkative_session_leaves_room_for_others_and_status_says_who_waits(short_home: Path, models: Path) -> None:
    caps = {"MEMORYD_CAPTURE_DAILY_MEMORIES": "2", "MEMORYD_CAPTURE_SESSION_MEMORIES": "1"}

    def told(client: Client, state: str, setting: str) -> bool:
        capture = client.status().components["capture"]
        return capture.state == state and bool(capture.message) and setting in capture.hint

    def bring(client: Client, *contents: str) -> None:
        client.append([said(one) for one in contents])
        client.end_session()

    with RunningDaemon(short_home, models, **caps) as daemon:
        with daemon.client("s1") as client:
            bring(client, FACT, "I met Eva in Lund on 9 May 2025.")
            assert [one.session for one in looked_at(client)] == ["s1"]
            bring(client, "I met Ana in Berlin on 8 May 2025.")
            until(lambda: told(client, "ok", "capture.session_memories"), "the session to wait")
        with daemon.client("s2") as client:
            bring(client, "I met Bo in Berlin on 7 May 2025.")
            until(lambda: len(extracted(client)) == 2, "the other session to have room")
        daemon.stop()
        daemon.start()
        with daemon.client("s3") as client:
            bring(client, "I met Cleo in Berlin on 6 May 2025.")
            until(lambda: told(client, "degraded", "capture.daily_memories"), "the day to be used up")
            capture = client.status().components["capture"]
            assert "2 memories of today" in capture.message
            assert "00:00 UTC" in capture.hint
            assert any(warning.startswith("capture:") for warning in client.status().warnings)
            assert {one.session for one in extracted(client)} == {"s1", "s2"}
