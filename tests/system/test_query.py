"""`memory.query` and allowlists, through a real daemon."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from memoryd_client import Client, Entry, NewMemory, RequestFailed
from memoryd_client.wire.importing import MemoryRecord
from running import PROJECT, RunningDaemon

CONFIG = """
[allowlists]
planner = ["task", "goal", "procedural"]
[categories.noise]
context = "asked"
"""
PLANS = [f"The deployment plan, part {n}: the blue servers go before the green ones." for n in range(6)]


@pytest.fixture(scope="module")
def daemon(models: Path) -> Iterator[RunningDaemon]:
    import shutil
    import tempfile

    home = Path(tempfile.mkdtemp(prefix="md-"))
    (home / "config.toml").write_text(CONFIG, encoding="utf-8")
    with RunningDaemon(home, models) as running:
        with running.client("earlier") as client:
            for n, content in enumerate(PLANS):
                client.remember(content, category="task", importance=1 + n % 5, title=f"plan {n}")
            client.remember("The deployment plan is secret.", category="fact", speaker="Ana")
            client.remember("1. Run the tests\n2. Deploy the plan", category="procedural")
            client.remember("the deployment plan in German: Einsatzplan", category="noise")
            running.indexed(client)
        yield running
    shutil.rmtree(home, ignore_errors=True)


def planner(daemon: RunningDaemon) -> Client:
    return Client(session="p", project=PROJECT, agent="planner", paths=daemon.paths, deadline_s=30)


def test_bullets_stay_within_a_budget_that_is_really_counted(daemon: RunningDaemon) -> None:
    tokenizer = Tokenizer.from_file(str(next(daemon.paths.models.resolve().rglob("tokenizer.json"))))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    with daemon.client() as client:
        for budget in (16, 40, 70, 512):
            found = client.query("the deployment plan of the servers", top_k=6, budget_tokens=budget)
            counted = sum(len(tokenizer.encode(one.text, add_special_tokens=False)) for one in found.bullets)
            assert found.counted
            assert found.tokens == counted <= budget
            assert len(found.bullets) + found.left_out == 6
            assert found.bullets[0].text.startswith(f"[{found.bullets[0].category}] ")
        assert found.left_out == 0


def test_whole_memories_come_back_where_they_are_asked_for(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        found = client.query("deployment plan", returns="full", category="task", top_k=6, budget_tokens=60)
    assert found.bullets == ()
    assert {memory.content for memory in found.memories} < set(PLANS)
    assert found.left_out == 6 - len(found.memories) > 0


def test_every_filter_narrows_and_a_threshold_drops(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        assert len(client.query("plan", top_k=20, importance_min=3, importance_max=4, category="task").bullets) == 2
        assert [one.text for one in client.query("plan", top_k=20, speaker="Ana").bullets] == [
            "[fact] The deployment plan is secret."
        ]
        assert client.query("plan", top_k=20, stored_by="nobody").bullets == ()
        assert client.query("plan", top_k=20, role="user").bullets == ()
        assert client.query("plan", top_k=20, updated_after="2999-01-01").bullets == ()
        assert client.query("plan", top_k=20, updated_before="2000-01-01").bullets == ()
        hits = client.search("the deployment plan", limit=20, categories=("task", "fact"), everything=True)
        cosines = sorted(hit.vector_score for hit in hits)
        # Between two of them, which are rounded.
        between = (cosines[2] + cosines[3]) / 2
        some = client.query("the deployment plan", top_k=20, threshold=between)
        assert {one.id for one in some.bullets} == {hit.id for hit in hits if hit.vector_score >= between}
        assert 0 < len(some.bullets) < len(hits)
        assert client.query("zebra crossings", top_k=20, threshold=0.99).bullets == ()


def test_what_has_to_be_asked_for_is_fetched_by_category(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        found = client.query("deploy the plan", top_k=50)
        assert {one.category for one in found.bullets} - {"goal"} == {"task", "fact", "procedural"}
        asked = client.query(category="procedural", returns="full")
        assert [memory.content for memory in asked.memories] == ["1. Run the tests\n2. Deploy the plan"]
        assert len(client.query("deployment", category="noise").bullets) == 1


def test_an_allowlist_holds_on_every_path(daemon: RunningDaemon) -> None:
    with daemon.client("s") as everybody, planner(daemon) as client:
        (secret,) = everybody.list(category="fact")
        found = client.query("deployment plan", top_k=50)
        assert {one.category for one in found.bullets} == {"task", "procedural"}
        assert {hit.category for hit in client.search("deployment plan", limit=50)} == {"task", "procedural"}
        assert {memory.category for memory in client.list()} == {"task", "procedural"}
        assert "The deployment plan is secret." not in {entry.new for entry in client.history()}
        for refused in (
            lambda: client.query("plan", category="fact"),
            lambda: client.search("plan", category="fact"),
            lambda: client.list(category="fact"),
            lambda: client.remember("The plan is on the wiki.", category="fact"),
        ):
            with pytest.raises(RequestFailed, match="allowed: `goal`, `procedural`, `task`") as caught:
                refused()
            assert caught.value.code == "refused"
        for unknown in (
            lambda: client.get(secret.id),
            lambda: client.read(secret.id),
            lambda: client.forget(secret.id),
            lambda: client.restore(secret.id),
            lambda: client.history(secret.id),
        ):
            with pytest.raises(RequestFailed) as caught:
                unknown()
            assert caught.value.code == "not_found"
        assert everybody.get(secret.id).active
        taken = NewMemory(content="The wiki has the plan.", category="task", id=secret.id)
        beside = NewMemory(content="The plan is stored beside it.", category="task")
        with pytest.raises(RequestFailed, match="may not see"):
            client.remember_many([beside, taken])
        with pytest.raises(RequestFailed, match="memory 2 of 2: the agent `planner` may not use the category `fact`"):
            client.remember_many([beside, NewMemory(content="The plan has three steps.", category="fact")])
        assert beside.id not in {memory.id for memory in everybody.list(limit=100)}
        brought = client.import_records(
            [
                MemoryRecord(content="The goal of the plan is a wiki that everybody reads.", category="goal"),
                MemoryRecord(content="The wiki of the plan has forty pages."),
            ]
        )
        assert len(brought.added) == 1
        assert "may not use the category `fact`" in brought.left_out[0].reason
        own = client.remember(secret.content, category="task")
        assert (own.category, own.speaker) == ("task", "")
        assert own.id != secret.id
        client.forget(own.id)


def test_an_allowlist_holds_for_core_memory_and_checkpoints(daemon: RunningDaemon) -> None:
    with daemon.client("s") as everybody, planner(daemon) as client:
        everybody.core_append("human", "Works in Graz.")
        everybody.core_append("context", "The deployment is secret.", thread="p")
        everybody.save_checkpoint("p", b"the state of somebody")
        for refused in (
            lambda: client.core_view(thread="p"),
            lambda: client.core_history("human"),
            lambda: client.core_append("human", "Works in Linz."),
            lambda: client.core_purge("human"),
        ):
            with pytest.raises(RequestFailed, match="may not use the category `core`"):
                refused()
        for unsaved in (
            lambda: client.load_checkpoint("p"),
            client.list_checkpoints,
            lambda: client.save_checkpoint("p", b"x"),
            lambda: client.delete_checkpoint("p"),
        ):
            with pytest.raises(RequestFailed, match="may not use the category `checkpoint`"):
                unsaved()
        assert not [one for one in client.build_context().sections if one.kind == "core"]


def test_an_agent_with_an_allowlist_looks_into_no_conversation_of_another(daemon: RunningDaemon) -> None:
    with daemon.client("elsewhere") as everybody:
        everybody.append([Entry(role="user", content="Our ferry is called Undine.")])
        daemon.turn(everybody, "where does the ferry Undine land?")
        assert everybody.why()
    for session in ("elsewhere", ""):
        claims = Client(session=session, project=PROJECT, agent="planner", paths=daemon.paths, deadline_s=30)
        with claims:
            for refused in (claims.why, claims.messages, partial(claims.messages, "elsewhere")):
                with pytest.raises(RequestFailed, match="that of its own session"):
                    refused()
            assert claims.sessions() == []
    with planner(daemon) as client:
        client.append([Entry(role="user", content="Which tasks are there?")])
        assert client.messages().entries
        client.why()


def test_an_allowlist_holds_for_what_is_pushed_and_taken(daemon: RunningDaemon) -> None:
    with planner(daemon) as client:
        trace = daemon.turn(client, "is the deployment plan secret?")
        assert trace.candidates
        assert {client.get(one.id).category for one in trace.candidates} <= {"task", "procedural"}
        pending = client.take_pending(deadline_s=10)
        assert pending is None or {memory.category for memory in pending.memories} <= {"task", "procedural"}


def test_status_says_how_often_memory_was_asked_for(daemon: RunningDaemon) -> None:
    with daemon.client("valve") as client:
        before = client.status().components["sessions"].numbers
        daemon.turn(client, "what is the first part of the deployment plan?")
        client.query("deployment plan")
        client.query("deployment plan, again")
        daemon.turn(client, "and what is the second part of the deployment plan?")
        after = client.status().components["sessions"].numbers
    grown = {name: after[name] - before[name] for name in ("turns", "query_calls", "query_turns")}
    assert grown == {"turns": 2, "query_calls": 2, "query_turns": 1}
    assert after["query_share"] == pytest.approx(after["query_turns"] / after["turns"], abs=1e-3)


def test_what_has_nothing_to_do_with_the_query_comes_only_where_everything_is_asked_for(
    daemon: RunningDaemon,
) -> None:
    unrelated = "Recipes for a soup of lentils and carrots?"
    with daemon.client() as client:
        assert client.search(unrelated) == []
        assert client.query(unrelated, top_k=20).bullets == ()
        assert len(client.search(unrelated, limit=20, everything=True)) > len(PLANS)
        assert len(client.query(unrelated, top_k=20, everything=True).bullets) > len(PLANS)
        assert client.query(unrelated, threshold=-1.0).bullets  # who names a threshold means that one
        assert client.search("Einsatzplan")[0].summary.startswith("the deployment plan in German")


def test_what_contradicts_each_other_is_told_as_such(daemon: RunningDaemon) -> None:
    texts = [f"The ferry to the island leaves at {time}." for time in ("8 am", "8 pm")]
    with Client(session="ferry", project="/ferry", paths=daemon.paths, deadline_s=30) as client:
        older, newer = (client.remember(text).id for text in texts)
        for returns in ("bullets", "full"):
            for top_k in (1, 2):
                found = client.query("When does the ferry leave?", returns=returns, top_k=top_k)
                assert found.contradictions == ((newer, older),)
