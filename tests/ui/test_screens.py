"""The five screens before a real daemon."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from memoryd_cli.ui.page import TABS
from memoryd_client import Message, NewMemory, State
from memoryd_client.client import Client
from memoryd_client.wire.transcripts import Entry
from running import RunningDaemon, until

from .seen import SMALL, WIDE, opened

FERRY = "The ferry to Aran sails at nine from Rossaveel harbour."
OLD = "The deploy job takes 20 minutes."
TERMINAL = "c5c8c6"
"""What a picture has around the text, whatever is in it."""
NEW = "The deploy job takes 40 minutes."


def said(client: Client, *texts: str) -> None:
    client.append([Entry(role="user", content=text) for text in texts])


async def test_live_shows_a_turn_with_what_it_brought_up_and_what_was_written(served: RunningDaemon) -> None:
    with served.client("writer") as writer, served.client("s1") as client:
        writer.remember(FERRY)
        writer.remember("The shop closes at six on Sundays.")
        served.indexed(writer)
        async with opened(served) as seen:
            assert client.push_context([Message("user", "When does the ferry to Aran sail?")])
            await seen.sees("s1, turn 1, script", "Brought up 1", "The ferry to Aran sails at nine", "Passed over")
            client.remember("Ana takes the ferry on Friday.", source_session="s1")
            await seen.sees("Written 1", "Ana takes the ferry on Friday.")
            client.take_pending()
            await seen.sees("(given)")

            await seen.press("space")
            assert client.push_context(
                [Message("user", "When does the ferry to Aran sail?"), Message("user", "And in winter?")]
            )
            await seen.sees("PAUSED, ")
            assert "And in winter?" not in seen.text()
            await seen.press("space")
            await seen.sees("And in winter?")


async def test_live_shows_the_same_where_an_agent_has_an_allowlist(models: Path, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[allowlists]\nplanner = ["@planner"]\n', encoding="utf-8")
    with RunningDaemon(tmp_path, models, MEMORYD_RUNTIME_DIR=str(tmp_path)) as daemon, daemon.client("s1") as client:
        with daemon.client("writer") as writer:
            writer.remember(FERRY)
        daemon.indexed(client)
        async with opened(daemon) as seen:
            assert client.push_context([Message("user", "When does the ferry to Aran sail?")])
            await seen.sees("s1, turn 1, script", "The ferry to Aran sails at nine")
            client.take_pending()
            await seen.sees("(given)")


async def test_live_is_narrowed_to_a_session_and_begins_with_what_was(served: RunningDaemon) -> None:
    with served.client("first") as first, served.client("second") as second:
        served.turn(first, "Where is the harbour?")
        served.turn(second, "Who won the match?")
        second.remember("Galway won the match.", source_session="second")
        async with opened(served) as seen:
            await seen.sees("Where is the harbour?", "Who won the match?", "Written 1", "Galway won the match.")
            await seen.press("f")
            await seen.sees("Show only", "second")
            await seen.press("down", "down", "enter")  # everything, first, second
            await seen.misses("Where is the harbour?")
            await seen.press("c")
            await seen.sees("Where is the harbour?", "Who won the match?")


async def test_a_memory_is_found_while_one_types_with_the_words_that_it_comes_from(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        said(client, "Good morning!", "Ana says that the ferry leaves at nine.")
        client.remember(FERRY, source_session="s1", source_messages=(2, 2))
        client.remember("The bakery is closed on Mondays.")
        served.indexed(client)
    async with opened(served) as seen:
        await seen.press("2")
        await seen.sees("2 shown", "bakery")
        await seen.press("slash", *"ferry")
        await seen.sees(
            "1 shown", "session s1, messages 2 to 2", "Ana says that the ferry leaves at nine.", "History 1"
        )
        assert "Good morning!" not in seen.text()
        await seen.press("escape", "escape")
        await seen.sees("2 shown")


async def test_a_memory_is_edited_pinned_forgotten_and_all_of_it_undone(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        memory = client.remember(FERRY)
        async with opened(served) as seen:
            await seen.press("2")
            await seen.sees(FERRY, "Pin")
            await seen.press("p")
            await seen.until(lambda: client.get(memory.id).pinned, "the pin")
            await seen.press("e")
            await seen.sees("Edit a memory")
            await seen.press(*"On Sundays: ", "ctrl+s")
            await seen.until(lambda: client.get(memory.id).content == f"On Sundays: {FERRY}", "it to be so")
            await seen.sees(f"On Sundays: {FERRY}")
            await seen.press("d")
            await seen.sees("0 shown")
            assert client.get(memory.id).state is State.FORGOTTEN
            for so in ("active", FERRY, False):
                await seen.press("u")
                if so == "active":
                    await seen.until(lambda: client.get(memory.id).active, "it to be so")
                elif so == FERRY:
                    await seen.until(lambda: client.get(memory.id).content == FERRY, "it to be so")
                else:
                    await seen.until(lambda: not client.get(memory.id).pinned, "the pin")
            await seen.press("p", "u")  # waits for the pin
            await seen.sees("undone: change of")
            assert not client.get(memory.id).pinned
            await seen.press("u")
            await seen.sees("Nothing was changed here")
            await seen.misses("undone: change of")  # one notice at a time


async def test_what_is_written_in_the_editor_is_not_lost_by_one_key(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        memory = client.remember(FERRY)
        async with opened(served, size=SMALL) as seen:
            await seen.press("2")
            await seen.sees("The ferry")
            await seen.press("e")
            await seen.sees("Edit a memory")
            await seen.press("X", "escape")
            await seen.sees("is not saved")
            client.update(memory.id, content="Somebody else was quicker.")
            await seen.press("ctrl+s")
            await seen.sees("revision")  # refused, and the text stays
            await seen.press("escape", "escape")
            await seen.misses("Edit a memory")
            assert client.get(memory.id).content == "Somebody else was quicker."


async def test_a_purge_shows_what_goes_with_it_and_asks(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        said(client, FERRY)
        memory = client.remember(FERRY, source_session="s1", source_messages=(1, 1))
        async with opened(served) as seen:
            await seen.press("2")
            await seen.sees("The ferry")
            await seen.press("x")
            await seen.sees("Destroy for good?", "Told in transcripts 1")
            await seen.press("enter")  # no has the focus
            await seen.misses("Destroy for good?")
            assert client.get(memory.id).active
            await seen.press("x")
            await seen.sees("Destroy for good?")
            await seen.pilot.click("#words")
            await seen.sees("0 shown")
            assert FERRY not in [one.content for one in client.messages("s1").entries]


async def test_many_memories_are_fetched_by_the_page(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        texts = [f"Locker {number} belongs to a person with the number {number * 7919}." for number in range(130)]
        client.remember_many([NewMemory(content=text) for text in texts])
    async with opened(served, size=SMALL) as seen:
        await seen.press("2")
        await seen.sees("100+ shown")
        await seen.press("end")
        await seen.sees("130 shown")


async def test_pairs_are_settled_and_captures_accepted_with_one_key(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        old, new = client.remember(OLD), client.remember(NEW)
        until(lambda: client.review().pairs, "the pair to wait")
        client.push_acknowledged([Message("user", "Remember that the standup is at half past nine.")])
        captured = until(lambda: [one for one in client.list() if "standup" in one.content], "the capture")[0]
        async with opened(served) as seen:
            await seen.press("3")
            await seen.sees("near pair 1", "captured 1", NEW, OLD, "Newer")
            await seen.press("n")
            await seen.sees("near pair 0")
            assert client.get(old.id).superseded_by == new.id
            assert seen.rows.chosen.startswith("captured")
            await seen.press("u")
            await seen.until(lambda: seen.rows.chosen.startswith("pair"), "the pair that is there again")
            assert client.get(old.id).active
            await seen.press("down", "a")
            await seen.sees("captured 0")
            assert client.get(captured.id).metadata["accepted"]


async def test_a_consent_is_given(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        proposed = client.remember("Vienna", category="profile", title="home city")
        assert proposed.state is State.PROPOSED
        async with opened(served) as seen:
            await seen.press("3")
            await seen.sees("consent 1", "would say Vienna", "Accept")
            await seen.press("a")
            await seen.sees("consent 0")
            assert client.get(proposed.id).active


async def test_a_session_is_read_searched_and_seen_as_it_would_be_sent(served: RunningDaemon) -> None:
    with served.client("alpha") as alpha, served.client("beta") as beta:
        said(alpha, *(f"Step {number} of the recipe." for number in range(1, 101)))
        said(beta, "The lighthouse keeper is called Una.")
        async with opened(served) as seen:
            await seen.press("4")
            await seen.sees("2 sessions", "The lighthouse keeper is called Una.")
            await seen.press("down")
            await seen.sees("Step 100 of the recipe.")
            await seen.press("left_square_bracket")
            await seen.sees("entries 1 to 40 of 100", "Step 1 of the recipe.")
            await seen.press("c")
            await seen.sees("of 8,000 tokens", "messages", "free")
            await seen.press("minus")
            await seen.sees("of 4,000 tokens")
            await seen.press("e")
            await seen.sees("An episode is written when the session is over.")
            await seen.press("m", "slash", *"lighthouse")
            await seen.sees("1 message, the nearest first", "> user: The lighthouse keeper")


async def test_health_shows_what_is_ready_and_how_memory_grows(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        client.remember(FERRY)
    async with opened(served) as seen:
        await seen.press("5")
        await seen.sees("ready, up", "0 memories, 0 messages", "all-MiniLM-L6-v2", "1, today 1", "nothing was spent")


async def test_the_mouse_chooses_screens_and_rows(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        client.remember("The first of two.")
        client.remember("The second of two.")
    async with opened(served, size=SMALL) as seen:
        await seen.pilot.click("#top", offset=(12, 0))
        await seen.sees("2 shown", "The second of two.")
        await seen.pilot.click(seen.rows, offset=(10, 1))
        await seen.until(lambda: seen.rows.highlighted == 1, "the second row")


@pytest.mark.slow
async def test_every_screen_stands_in_every_size_and_light(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        client.remember("[bold]not markup[/bold] \x1b[31mnor an escape")
        served.turn(client, "[red]What[/] about [/wrong] markup?")
    async with opened(served, bright=True) as seen:
        for key, name in enumerate(TABS, start=1):
            await seen.press(str(key))
            for size in ((30, 10), WIDE, SMALL):
                await seen.pilot.resize_terminal(*size)
                assert "\x1b" not in seen.text()
            await seen.sees("? Keys", "q Quit")
            await seen.press("question_mark")
            await seen.sees(f"Keys of {name.capitalize()}", "1 to 5", "Esc goes back")  # the last line, too
            await seen.press("question_mark", "t")
        await seen.press("2")
        await seen.sees("[bold]not markup[/bold]")


async def test_without_colours_there_are_only_greys(served: RunningDaemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    with served.client("s1") as client:
        client.remember(FERRY)
    async with opened(served, size=SMALL) as seen:
        await seen.press("2")
        await seen.sees("The ferry")
        drawn = re.sub(r"<circle[^>]*>", "", seen.picture())  # the window's own buttons
        colours = {colour.lower() for colour in re.findall(r"#([0-9a-fA-F]{6})\b", drawn)}
        assert not [
            colour for colour in colours if len({colour[:2], colour[2:4], colour[4:]}) > 1 and colour != TERMINAL
        ]


@pytest.mark.slow
async def test_it_waits_for_a_daemon_and_follows_its_restart(shared: RunningDaemon) -> None:
    served = shared.seen_by("restarted")
    with served.client("s1") as client:
        client.remember(FERRY)
    async with opened(served) as seen:
        await seen.press("2")
        await seen.sees("The ferry")
        shared.stop()
        await seen.sees("not running")
        await seen.press("p")
        await seen.sees("memoryd start")  # what helps is said
        shared.start()
        await seen.misses("not running")
        with served.client("s1") as client:
            await seen.press("1")
            client.remember("Stored after the restart.")
            await seen.sees("Stored after the restart.")


def test_without_its_extra_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['textual'] = None; from memoryd_cli.edge import run; sys.exit(run(['ui']))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "memoryd: textual is missing; pip install 'memoryd[ui]'\n"
