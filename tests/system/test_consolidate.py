"""The daily consolidation in a real daemon: asked for, planned, due, broken off, told of."""

import json
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

from memoryd_client import Client, Memory, RequestFailed, State
from memoryd_client.wire.consolidation import Consolidation
from messages_api import MessagesApi, Reply, held, message
from running import RunningDaemon, until

TITLE = "Notes from the gardening club about tulips, roses and the spring market"
FACTS = (
    "Ana parks the van behind the bakery",
    "Invoices are numbered by year",
    "The printer stands in the cellar",
    "Lukas feeds the hens",
    "Our landlord keeps the spare key",
    "Mira swims across the lake",
    "The choir practises in the old mill",
    "Grandmother's clock strikes early",
    "The beehives face the orchard",
    "Jonas mends bicycles",
    "The ferry sails from the northern pier",
    "Carla paints the fence",
)
ONLY_ASKED = {"MEMORYD_CONSOLIDATION_HOURS": "0"}


def unseen(client: Client, facts: tuple[str, ...] = FACTS[:1]) -> list[tuple[Memory, Memory]]:
    """Store pairs that say the same and were never held against each other: one of them was forgotten meanwhile."""
    # With model and index each is compared as it is written, and not later, beside the other one.
    until(lambda: all(client.status().components[part].state == "ok" for part in ("model", "index")), "model and index")
    older = [client.remember(f"{fact}.", title=TITLE) for fact in facts]
    for one in older:
        client.forget(one.id)
    newer = [client.remember(f"{fact}!") for fact in facts]
    for one in older:
        client.restore(one.id)
    return list(zip(older, newer, strict=True))


def finished(client: Client, number: int) -> Consolidation:
    def found() -> Consolidation | None:
        return next((one for one in client.consolidations() if one.number == number and one.finished_at), None)

    return until(found, "the run to finish")


def consolidated(client: Client) -> Consolidation:
    return finished(client, client.consolidate().number)


def everything(home: Path) -> list[str]:
    """Every row of every table of the ledger."""
    with closing(sqlite3.connect(home / "ledger.db")) as connection:
        return list(connection.iterdump())


def merges(client: Client) -> Counter[str]:
    return Counter(
        one.meta["into"] for one in client.history(limit=1000) if one.event == "MERGE" and "into" in one.meta
    )


def said(relation: str, confidence: float = 0.95) -> Reply:
    pairs = [{"index": n, "relation": relation, "confidence": confidence, "reason": "so it is"} for n in range(10)]
    return message(json.dumps({"pairs": pairs}), input_tokens=900, output_tokens=100)


def keyed(api: MessagesApi, **more: str) -> dict[str, str]:
    return {
        "ANTHROPIC_API_KEY": "test-key",
        "MEMORYD_SIDECAR_BASE_URL": api.url,
        "MEMORYD_SIDECAR_DEADLINE_S": "60",
        **ONLY_ASKED,
        **more,
    }


@pytest.fixture
def daemon(short_home: Path, models: Path) -> Iterator[RunningDaemon]:
    """A daemon with a model that takes all for the same."""
    with MessagesApi(said("same")) as api, RunningDaemon(short_home, models, **keyed(api)) as running:
        yield running


def test_a_plan_changes_no_byte_of_the_ledger_and_the_run_after_it_does_what_it_shows(daemon: RunningDaemon) -> None:
    with daemon.client("s1") as client:
        unseen(client, FACTS[:6])
        client.remember("Lukas waters the tulips.")
        daemon.indexed(client)
        before = everything(daemon.home)
        plan = client.consolidation_plan()
        assert everything(daemon.home) == before
        planned = {(one.older, one.newer) for one in plan.pairs if one.action == "merge"}
        assert len(planned) == 6
        assert all(0.4 <= one.similarity < 0.9 for one in plan.pairs)
        run = consolidated(client)
        assert run.counts["compared"] == len(plan.pairs)
        assert run.counts["merged"] == len(planned)
        done = {(one.meta["into"], one.memory_id) for one in client.history(limit=1000) if "into" in one.meta}
        assert done == planned
        assert client.consolidation_plan().pairs == ()


@pytest.mark.slow
def test_without_a_key_nothing_is_compared_once_more(short_home: Path, models: Path) -> None:
    with RunningDaemon(short_home, models, **ONLY_ASKED) as daemon, daemon.client("s1") as client:
        ((older, newer),) = unseen(client)
        daemon.indexed(client)
        assert client.consolidation_plan().pairs == ()
        assert "compared" not in consolidated(client).counts
        assert client.get(older.id).active
        assert client.get(newer.id).active


def test_what_was_merged_is_taken_back_by_an_undo_and_not_merged_again(daemon: RunningDaemon) -> None:
    with daemon.client("s1") as client:
        ((older, newer),) = unseen(client)
        daemon.indexed(client)
        consolidated(client)
        assert client.get(newer.id).state is State.SUPERSEDED
        (entry,) = [one for one in client.history(newer.id) if one.event == "MERGE"]
        client.undo(entry.operation)
        assert client.get(newer.id).active
        daemon.indexed(client)
        assert client.consolidation_plan().pairs == ()
        consolidated(client)
        assert client.get(newer.id).active
        assert client.get(older.id).active


def test_nothing_is_compared_across_owners_projects_or_where_memory_is_off(daemon: RunningDaemon) -> None:
    with daemon.client("s1") as mine, daemon.client("s1", owner="them") as theirs:
        unseen(mine, FACTS[:1])
        unseen(theirs, FACTS[1:2])
        with daemon.client("s1", project="/projects/elsewhere") as elsewhere:
            unseen(elsewhere, FACTS[2:3])
            elsewhere.switch(on=False)
        daemon.indexed(mine)
        shown = "".join(one.older_content + one.newer_content for one in mine.consolidation_plan().pairs)
        assert FACTS[0] in shown
        assert FACTS[1] not in shown
        assert FACTS[2] not in shown
        assert consolidated(mine).counts["merged"] == 1
        # The other owner's stand as they were, and their own run sees nothing of mine.
        assert theirs.consolidations() == []
        assert consolidated(theirs).counts["merged"] == 1
        mine.switch(on=False, everywhere=True)
        with pytest.raises(RequestFailed, match="memory is off"):
            mine.consolidate()


def test_an_agent_that_may_see_some_categories_neither_plans_nor_runs_nor_reads(short_home: Path, models: Path) -> None:
    (short_home / "config.toml").write_text('[allowlists]\nscript = ["task"]\n', encoding="utf-8")
    with RunningDaemon(short_home, models, **ONLY_ASKED) as daemon, daemon.client("s1") as client:
        for ask in (client.consolidate, client.consolidation_plan, client.consolidations):
            with pytest.raises(RequestFailed, match="some categories only"):
                ask()


@pytest.mark.slow
def test_a_run_is_due_once_a_day_also_after_restarts(short_home: Path, models: Path) -> None:
    settings = {"MEMORYD_CONSOLIDATION_START_AFTER_S": "0", "MEMORYD_CONSOLIDATION_QUIET_S": "0"}
    with RunningDaemon(short_home, models, **settings) as daemon:
        with daemon.client("s1") as client:
            client.remember("Lukas waters the tulips.")
        daemon.stop()
        # Nobody asks for it: the memory is there, no run is, so one is due.
        daemon.start()
        with daemon.client("s1") as client:
            (first,) = until(
                lambda: [one for one in client.consolidations() if one.finished_at] or None, "the run that is due"
            )
            assert not first.asked
            assert "last_run" in client.status().components["consolidation"].facts
        daemon.kill()
        daemon.start()
        with daemon.client("s1") as client:
            asked = consolidated(client)
            # Whatever was due would have come first.
            assert [one.number for one in client.consolidations()] == [asked.number, first.number]


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_where_it_stopped_and_asks_about_no_pair_twice(
    short_home: Path, models: Path
) -> None:
    never = Event()
    with MessagesApi(said("same")) as api:
        api.queue(said("same"), held(said("same"), never))
        settings = keyed(api, MEMORYD_CONSOLIDATION_PAIRS_IN_A_PROMPT="5")
        with RunningDaemon(short_home, models, **settings) as daemon:
            with daemon.client("s1") as client:
                pairs = unseen(client, FACTS)
                daemon.indexed(client)
                number = client.consolidate().number
                api.wait_for_requests(2)
                (run,) = client.consolidations()
                assert (run.number, run.stage, run.doing) == (number, "", "pairs")
                assert run.counts["merged"] == 5
                daemon.kill()
            never.set()
            daemon.environment["MEMORYD_CONSOLIDATION_START_AFTER_S"] = "0"
            daemon.environment["MEMORYD_CONSOLIDATION_QUIET_S"] = "0"
            daemon.start()
            with daemon.client("s1") as client:
                # Nobody asks again, and none is scheduled.
                run = finished(client, number)
                assert run.starts == 2
                assert run.counts["merged"] == len(pairs)
                assert merges(client) == Counter(older.id for older, _ in pairs)
                asked = [fact for request in api.requests for fact in FACTS if fact in request.prompt]
                # The second prompt was never answered; its pairs alone are asked about again.
                assert max(Counter(asked).values()) == 2
                assert sum(count == 2 for count in Counter(asked).values()) == 5


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 3, 6])
def test_killed_at_any_moment_nothing_is_merged_twice_and_nothing_is_left_out(
    short_home: Path, models: Path, after: int
) -> None:
    with (
        MessagesApi(said("same")) as api,
        RunningDaemon(short_home, models, **keyed(api, MEMORYD_CONSOLIDATION_PAIRS_IN_A_PROMPT="5")) as daemon,
    ):
        with daemon.client("s1") as client:
            pairs = unseen(client, FACTS)
            daemon.indexed(client)
            number = client.consolidate().number
            until(lambda: sum(merges(client).values()) >= after, "some pairs to be merged")
        daemon.kill()
        daemon.environment["MEMORYD_CONSOLIDATION_START_AFTER_S"] = "0"
        daemon.environment["MEMORYD_CONSOLIDATION_QUIET_S"] = "0"
        daemon.start()
        with daemon.client("s1") as client:
            run = finished(client, number)
            assert run.counts["merged"] == len(pairs)
            assert merges(client) == Counter(older.id for older, _ in pairs)
            assert all(client.get(older.id).strength == 2 for older, _ in pairs)


def test_a_purge_at_the_moment_of_an_answer_of_a_model_does_not_end_the_run(short_home: Path, models: Path) -> None:
    released = Event()
    with MessagesApi(said("same")) as api, RunningDaemon(short_home, models, **keyed(api)) as daemon:
        api.queue(held(said("same"), released))
        with daemon.client("s1") as client:
            unseen(client)
            unwanted = client.remember("The tax office asked for the receipts of 2019.")
            daemon.indexed(client)
            number = client.consolidate().number
            api.wait_for_requests(1)
            client.purge([unwanted.id])
            released.set()
            run = finished(client, number)
            assert (run.problem, run.counts["merged"]) == ("", 1)
            assert client.status().components["consolidation"].state == "ok"


@pytest.mark.slow
def test_a_model_decides_about_several_pairs_in_one_prompt_within_the_caps_of_a_day(
    short_home: Path, models: Path
) -> None:
    with MessagesApi(said("resembles")) as api:
        settings = keyed(api, MEMORYD_CONSOLIDATION_PAIRS_A_DAY="7", MEMORYD_CONSOLIDATION_PAIRS_IN_A_PROMPT="5")
        with RunningDaemon(short_home, models, **settings) as daemon, daemon.client("s1") as client:
            unseen(client, FACTS)
            daemon.indexed(client)
            run = consolidated(client)
            assert run.counts["compared"] == 7
            assert run.counts["tokens"] == 2_000
            assert len(api.requests) == 2
            assert client.consolidation_plan().pairs_left == 0
            # The day is over for this owner, not for another one.
            assert "compared" not in consolidated(client).counts
            assert len(api.requests) == 2


def test_no_more_tokens_are_used_for_an_owner_than_a_day_has(short_home: Path, models: Path) -> None:
    with MessagesApi(said("resembles")) as api:
        settings = keyed(api, MEMORYD_CONSOLIDATION_TOKENS_A_DAY="100")
        with RunningDaemon(short_home, models, **settings) as daemon, daemon.client("s1") as client:
            unseen(client)
            daemon.indexed(client)
            run = consolidated(client)
            assert "compared" not in run.counts
            said_so = subprocess.run(
                [Path(sys.executable).with_name("memoryd"), "consolidate"],
                env=daemon.environment,
                capture_output=True,
                text=True,
                check=True,
            )
            assert said_so.stdout == "nothing to do\n"
            assert "`consolidation.tokens_a_day` leaves no room today" in said_so.stderr
            assert api.requests == ()


@pytest.mark.slow
def test_of_an_answer_that_is_nonsense_nothing_comes_and_the_run_ends(short_home: Path, models: Path) -> None:
    with (
        MessagesApi(message("nonsense")) as api,
        RunningDaemon(short_home, models, **keyed(api)) as daemon,
        daemon.client("s1") as client,
    ):
        ((older, newer),) = unseen(client)
        daemon.indexed(client)
        run = consolidated(client)
        assert "merged" not in run.counts
        assert client.get(older.id).active
        assert client.get(newer.id).active
