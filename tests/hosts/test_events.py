"""What hosts report, recorded from the real ones where they could be had, and what a real daemon makes of it."""

import json
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memoryd.hosts.words import own_words, shortened
from memoryd_actors.texts.fence import CLOSING, OPENING
from memoryd_client.wire.memory import Memory
from running import until

from .host_daemon import HostedDaemon

RECORDED = Path(__file__).parent / "recorded"
FROM_REAL_HOSTS = sorted(path.stem for path in RECORDED.glob("*.json"))


@pytest.fixture(scope="module")
def shared(models: Path) -> Iterator[HostedDaemon]:

    home = Path(tempfile.mkdtemp(prefix="md-"))
    with HostedDaemon(home, models) as daemon:
        yield daemon
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def daemon(shared: HostedDaemon, request: pytest.FixtureRequest) -> HostedDaemon:
    """The shared daemon for an owner without memories."""
    return shared.seen_by(str(request.node.name)[:60])  # pyright: ignore[reportUnknownMemberType] - pytest types nodes loosely


def claude(event: str, session: str, daemon: HostedDaemon, **fields: object) -> dict[str, object]:
    return {"session_id": session, "cwd": str(daemon.shop), "hook_event_name": event, **fields}


def context(answer: str) -> str:
    """Return what an answer in Claude Code's form adds to the conversation."""
    return str(json.loads(answer)["hookSpecificOutput"]["additionalContext"]) if answer else ""


def surfaced(answer: str, memory_id: str) -> int:
    return answer.count(memory_id[:12])


@pytest.mark.parametrize("host", FROM_REAL_HOSTS)
def test_a_recorded_session_is_heard_once_and_told_in_the_same_turn(
    daemon: HostedDaemon, host: str, tmp_path: Path
) -> None:
    recording: dict[str, Any] = json.loads((RECORDED / f"{host}.json").read_text())
    memory_id = daemon.told("We deploy on Tuesdays in the release window at ten.")
    session, answers, heard = "", dict[str, list[str]](), 0
    for event in recording["events"]:
        text = json.dumps(event["stdin"]).replace("@PROJECT@", str(daemon.shop)).replace("@HOME@", str(tmp_path))
        given = json.loads(text)
        session = given.get("session_id") or given["sessionId"]
        if path := given.get("transcriptPath"):
            heard += 2
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text("".join(json.dumps(line) + "\n" for line in recording["transcript"][:heard]))
        answers.setdefault(event["event"], []).append(daemon.fire(host, text, event["event"]))
    prompts = [event for event in answers if event in ("UserPromptSubmit", "BeforeAgent", "userPromptSubmitted")]
    told = [answer for event in prompts for answer in answers[event]]
    # In the answer to a prompt, not a turn later, and once in the whole session.
    assert sum(surfaced(answer, memory_id) for every in answers.values() for answer in every) == 1
    assert sum(surfaced(answer, memory_id) for answer in told) == 1
    found = next(json.loads(answer) for answer in told if answer)
    if host == "copilot":
        assert set(found) == {"additionalContext"}
    else:
        assert found == {
            "hookSpecificOutput": {"hookEventName": prompts[0], "additionalContext": context(json.dumps(found))}
        }
    silent = {"Stop", "SessionEnd", "AfterAgent", "agentStop", "sessionEnd"}
    assert not any(answer for event in silent & answers.keys() for answer in answers[event])
    said = daemon.said(session)
    assert [role for role, _ in said] == ["user", "assistant"] * 2
    assert said[0][1].startswith("We deploy on Fridays.")
    assert [text for _, text in said[1:]][1:] == ["When do we deploy?", said[3][1]]


SHAPES: dict[str, list[dict[str, object]]] = {
    "opencode": [{"event": "prompt", "prompt": '"when do we deploy?"'}, {"event": "answer", "text": "On Tuesday."}],
    "pi": [{"event": "prompt", "prompt": "when do we deploy?"}, {"event": "answer", "text": "On Tuesday."}],
    "cursor": [
        {"hook_event_name": "beforeSubmitPrompt", "prompt": "when do we deploy?", "generation_id": "g1"},
        {"hook_event_name": "afterAgentResponse", "text": "On Tuesday.", "generation_id": "g1"},
    ],
    "windsurf": [
        {"agent_action_name": "pre_user_prompt", "tool_info": {"user_prompt": "when do we deploy?"}},
        {"agent_action_name": "post_cascade_response", "tool_info": {"response": "On Tuesday."}},
    ],
    "goose": [
        {"event": "UserPromptSubmit", "message": "when do we deploy?"},
        {"event": "Stop", "last_assistant_message": "On Tuesday."},
    ],
}
"""By the documentation of hosts that cannot be driven here, and by what our own plugins send."""


@pytest.mark.parametrize("host", SHAPES)
def test_other_hosts_are_heard_by_the_shapes_that_they_document(daemon: HostedDaemon, host: str) -> None:
    memory_id = daemon.told("We deploy on Tuesdays in the release window at ten.")
    ids: dict[str, object] = {"session_id": host, "conversation_id": host, "trajectory_id": host}
    place: dict[str, object] = {"cwd": str(daemon.shop), "workspace_roots": [str(daemon.shop)]}
    prompt, answer = SHAPES[host]
    told = daemon.fire(host, {**ids, **place, **prompt})
    assert daemon.fire(host, {**ids, **place, **answer}) == ""
    assert daemon.said(host) == [("user", "when do we deploy?"), ("assistant", "On Tuesday.")]
    match host:
        case "opencode" | "pi":
            assert told.startswith(OPENING)
        case "cursor":
            assert json.loads(told)["continue"] is True
            assert str(json.loads(told)["additional_context"]).startswith(OPENING)
        case _:
            assert told == ""
    assert surfaced(told, memory_id) == (host not in ("windsurf", "goose"))


def test_a_prompt_counts_as_said_once_it_has_an_answer(daemon: HostedDaemon) -> None:
    memory_id = daemon.told("The build server is called Zebra.")
    ask = claude("UserPromptSubmit", "s1", daemon, prompt="what is the build server called?", prompt_id="p1")
    first = daemon.fire("claude", ask)
    assert surfaced(first, memory_id) == 1
    assert daemon.said("s1") == []
    # Taken back with Esc and sent again: it is one prompt, and what was said to it is said again.
    assert daemon.fire("claude", {**ask, "prompt_id": "p2"}) == first
    other = claude("UserPromptSubmit", "s1", daemon, prompt="and where does it stand?", prompt_id="p3")
    daemon.fire("claude", other)
    daemon.fire("claude", claude("Stop", "s1", daemon, last_assistant_message="In Graz.", prompt_id="p3"))
    assert daemon.said("s1") == [("user", "and where does it stand?"), ("assistant", "In Graz.")]
    # An event that comes twice is heard once.
    daemon.fire("claude", claude("Stop", "s1", daemon, last_assistant_message="In Graz.", prompt_id="p3"))
    assert daemon.fire("claude", other) == ""
    assert len(daemon.said("s1")) <= 3


def test_a_turn_that_cannot_be_written_down_is_written_down_with_the_next(daemon: HostedDaemon) -> None:
    transcripts = daemon.paths.transcripts
    aside = transcripts.with_name("aside")
    daemon.fire("claude", claude("UserPromptSubmit", "s1", daemon, prompt="where is the key?", prompt_id="p1"))
    transcripts.mkdir(exist_ok=True)
    transcripts.rename(aside)
    transcripts.write_text("a file stands where the folder was")
    try:
        daemon.fire("claude", claude("Stop", "s1", daemon, last_assistant_message="Behind the door.", prompt_id="p1"))
    finally:
        transcripts.unlink()
        aside.rename(transcripts)
    assert daemon.said("s1") == []
    daemon.fire("claude", claude("UserPromptSubmit", "s1", daemon, prompt="which door?", prompt_id="p2"))
    daemon.fire("claude", claude("Stop", "s1", daemon, last_assistant_message="The blue one.", prompt_id="p2"))
    first = [("user", "where is the key?"), ("assistant", "Behind the door.")]
    assert daemon.said("s1") == [*first, ("user", "which door?"), ("assistant", "The blue one.")]


def test_a_prompt_is_not_lost_where_the_daemon_dies_before_its_answer(short_home: Path, models: Path) -> None:
    with HostedDaemon(short_home, models) as daemon:
        memory_id = daemon.told("The build server is called Zebra.")
        asked = "what is the build server called? <private>for Ada</private> The password is hunter2secret"
        ask = claude("UserPromptSubmit", "s1", daemon, prompt=asked, prompt_id="p1")
        assert surfaced(daemon.fire("claude", ask), memory_id) == 1
        (waiting,) = daemon.paths.prompts.iterdir()
        assert "Ada" not in waiting.read_text()
        daemon.restart()
        daemon.fire("claude", claude("Stop", "s1", daemon, last_assistant_message="Zebra.", prompt_id="p1"))
        (user, question), assistant = daemon.said("s1")
        assert (user, assistant) == ("user", ("assistant", "Zebra."))
        assert question.startswith("what is the build server called?")
        assert not list(daemon.paths.prompts.iterdir())


@pytest.mark.slow
def test_a_prompt_that_is_sent_once_more_after_a_restart_is_told_the_same(short_home: Path, models: Path) -> None:
    with HostedDaemon(short_home, models) as daemon:
        daemon.told("The build server is called Zebra.")
        ask = claude("UserPromptSubmit", "s1", daemon, prompt="what is the build server called?", prompt_id="p1")
        first = daemon.fire("claude", ask)
        daemon.restart()
        assert daemon.fire("claude", {**ask, "prompt_id": "p2"}) == first


def test_a_prompt_that_nobody_answers_goes_with_its_session(daemon: HostedDaemon) -> None:
    ask = claude("UserPromptSubmit", "gone", daemon, prompt="what is the build server called?")
    before = set(daemon.paths.prompts.iterdir()) if daemon.paths.prompts.exists() else set()
    for forgotten in (claude("SessionEnd", "gone", daemon), None):
        daemon.fire("claude", ask)
        assert set(daemon.paths.prompts.iterdir()) - before
        if forgotten:
            daemon.fire("claude", forgotten)
        else:
            with daemon.client("gone", project=str(daemon.shop)) as client:
                client.purge_session("gone")
        assert set(daemon.paths.prompts.iterdir()) == before
        assert daemon.said("gone") == []


def test_what_nobody_waited_for_is_told_with_the_next_prompt(daemon: HostedDaemon) -> None:
    memory_id = daemon.told("The build server is called Zebra.")
    ask = claude("UserPromptSubmit", "late", daemon, prompt="what is the build server called?")
    event = json.dumps(ask).encode()
    head = f"memoryd-hook 1\nhost claude\nowner {daemon.owner}\nlength {len(event)}\n\n".encode()
    with socket.socket(socket.AF_UNIX) as hook:
        hook.connect(str(daemon.paths.hooks_socket))
        hook.sendall(head + event)  # and gives up at once
    with daemon.client("late", project=str(daemon.shop)) as client:
        until(lambda: client.why(1), "the prompt to be decided")
    told = [
        daemon.fire("claude", {**ask, "prompt": said})
        for said in ("please look at the tests instead", "and what else do they need?")
    ]
    assert [surfaced(answer, memory_id) for answer in told] == [1, 0]


def test_after_clear_and_compaction_what_stands_is_said_again_and_what_was_shown_may_come_back(
    daemon: HostedDaemon,
) -> None:
    with daemon.client("elsewhere", project=str(daemon.shop)) as client:
        rule: Memory = client.remember("Always answer in British English.", category="rule", scope="project")
    memory_id = daemon.told("The build server is called Zebra.")
    ask = claude("UserPromptSubmit", "s2", daemon, prompt="what is the build server called?")
    begun = daemon.fire("claude", claude("SessionStart", "s2", daemon, source="startup"))
    assert "British" in context(begun)
    assert surfaced(daemon.fire("claude", ask), memory_id) == 1
    daemon.fire("claude", claude("Stop", "s2", daemon, last_assistant_message="Zebra."))
    assert daemon.fire("claude", claude("SessionStart", "s2", daemon, source="resume")) == ""
    again = daemon.fire("claude", claude("SessionStart", "s2", daemon, source="compact"))
    assert rule.content in context(again)
    asked = daemon.fire("claude", {**ask, "prompt": "tell me what the build server is called"})
    assert surfaced(asked, memory_id) == 1


def test_a_host_that_misuses_what_is_said_at_the_beginning_gets_it_with_the_prompt(daemon: HostedDaemon) -> None:
    with daemon.client("elsewhere", project=str(daemon.shop)) as client:
        client.remember("Always answer in British English.", category="rule", scope="project")
    assert daemon.fire("gemini", claude("SessionStart", "s3", daemon, source="startup")) == ""
    assert "British" in context(
        daemon.fire("gemini", claude("BeforeAgent", "s3", daemon, prompt="good morning to you"))
    )


def test_what_hooks_put_in_is_never_taken_for_what_was_said(daemon: HostedDaemon) -> None:
    block = f"{OPENING}\nNotes\n- [fact] The code is 4711.\n{CLOSING}"
    escaped = block.replace("<", "&lt;").replace(">", "&gt;")
    for number, put in enumerate((block, escaped, f"<hook_context>{escaped}</hook_context>", f"<hook_context>{block}")):
        session = f"s4-{number}"
        prompt = f"{put}\n\nhow do we test?" if put.endswith((">", ";")) else f"how do we test?\n\n{put}"
        if number == 3:
            prompt = f"how do we test?\n\n{put}"
        daemon.fire("gemini", claude("BeforeAgent", session, daemon, prompt=prompt))
        daemon.fire(
            "gemini", claude("AfterAgent", session, daemon, prompt=prompt, prompt_response=f"With pytest.{block}")
        )
        # A hook does not wait for as long as a busy machine may take.
        said = until(partial(daemon.said, session), "what was said")
        assert [role for role, _ in said] == ["user", "assistant"]
        assert "4711" not in str(said)
        assert said[0][1].startswith("how do we test?")
        assert said[1][1] == "With pytest."


@pytest.mark.parametrize(
    "event",
    [
        {"prompt": ""},
        {"prompt": " \n"},
        {"prompt": "from a subagent", "agent_id": "a1", "agent_type": "Explore"},
        {"prompt": "not to be kept #skip"},
        {"prompt": "<private>not to be kept</private>"},
        {"prompt": None},
        {"prompt": ["a"]},
    ],
)
def test_what_is_empty_internal_or_not_to_be_kept_brings_nothing(
    daemon: HostedDaemon, event: dict[str, object]
) -> None:
    session = "s5-" + str(abs(hash(str(event))))
    assert daemon.fire("claude", claude("UserPromptSubmit", session, daemon, **event)) == ""
    daemon.fire("claude", claude("Stop", session, daemon, last_assistant_message=""))
    assert daemon.said(session) == []


def test_a_prompt_without_an_answer_goes_with_a_purge_of_what_it_tells(short_home: Path, models: Path) -> None:
    with HostedDaemon(short_home, models) as daemon:
        memory_id = daemon.told("The quokka printer stands in the cellar by the stairs.")
        for number, asked in enumerate(("So the quokka printer stands in the cellar?", "And what day is it?")):
            daemon.fire("claude", claude("UserPromptSubmit", f"s{number}", daemon, prompt=asked, prompt_id="p1"))
        with daemon.client("boss", project=str(daemon.shop)) as client:
            (entry,) = client.purge_plan([memory_id], every_session=True).entries
            assert (entry.session, entry.sequence, "quokka" in entry.excerpt) == ("s0", 0, True)
            assert "1 prompt without an answer yet" in client.purge([memory_id], transcripts=True, every_session=True)
        (left,) = daemon.paths.prompts.iterdir()
        assert "what day is it" in left.read_text()
        for session in ("s0", "s1"):
            daemon.fire("claude", claude("Stop", session, daemon, last_assistant_message="Yes.", prompt_id="p1"))
        assert daemon.said("s0") == [("assistant", "Yes.")]
        assert daemon.said("s1") == [("user", "And what day is it?"), ("assistant", "Yes.")]


def test_what_is_purged_without_its_transcripts_names_a_prompt_that_tells_it(short_home: Path, models: Path) -> None:
    with HostedDaemon(short_home, models) as daemon:
        with daemon.client("s0", project=str(daemon.shop)) as client:
            memory_id = client.remember("The quokka printer stands in the cellar by the stairs.").id
        asked = "So the quokka printer stands in the cellar?"
        daemon.fire("claude", claude("UserPromptSubmit", "s0", daemon, prompt=asked, prompt_id="p1"))
        with daemon.client("boss", project=str(daemon.shop)) as client:
            assert "prompts without an answer yet tell it" in client.purge([memory_id])
        assert "quokka" in "".join(file.read_text() for file in daemon.paths.prompts.iterdir())


def test_nothing_of_a_turn_is_kept_that_bears_the_tag(short_home: Path, models: Path) -> None:
    with HostedDaemon(short_home, models) as daemon:
        ask = claude("UserPromptSubmit", "s1", daemon, prompt="the code is Zebra #skip", prompt_id="p1")
        answer = claude("Stop", "s1", daemon, last_assistant_message="So the code is Zebra.", prompt_id="p1")
        daemon.fire("claude", ask)
        daemon.fire("claude", answer)
        daemon.fire("claude", answer)
        daemon.fire("claude", {**ask, "prompt_id": "p2"})
        assert all("Zebra" not in file.read_text() for file in daemon.paths.prompts.iterdir())
        daemon.restart()
        daemon.fire("claude", {**answer, "prompt_id": "p2"})
        daemon.fire("claude", {**ask, "prompt_id": "p3", "prompt": "and what day is it?"})
        daemon.fire("claude", {**answer, "prompt_id": "p3", "last_assistant_message": "Tuesday."})
        assert daemon.said("s1") == [("user", "and what day is it?"), ("assistant", "Tuesday.")]


@pytest.mark.parametrize("event", ["", "nonsense", "[1]", "{}", '{"session_id": 7}', '{"hook_event_name": "Stop"}'])
def test_an_event_that_nobody_understands_changes_nothing(daemon: HostedDaemon, event: str) -> None:
    for host in ("claude", "gemini", "copilot", "cursor", "opencode", "nobody"):
        assert daemon.fire(host, event, "Stop") == ""


def test_what_is_said_while_memory_is_off_is_not_kept_where_it_is_on_before_the_answer(daemon: HostedDaemon) -> None:
    ask = claude("UserPromptSubmit", "off", daemon, prompt="the code is Zebra", prompt_id="p1")
    answer = claude("Stop", "off", daemon, last_assistant_message="So the code is Zebra.", prompt_id="p1")
    with daemon.client("off", project=str(daemon.shop)) as client:
        client.switch(on=False)
        daemon.fire("claude", ask)
        client.switch(on=True)
        daemon.fire("claude", answer)
        assert daemon.said("off") == []
        # Sent once more it is a prompt like any other.
        daemon.fire("claude", ask)
        daemon.fire("claude", answer)
        assert len(daemon.said("off")) == 2


def test_where_memory_is_off_nothing_is_heard_and_nothing_said(daemon: HostedDaemon) -> None:
    memory_id = daemon.told("The build server is called Zebra.")
    with daemon.client(project=str(daemon.shop)) as client:
        client.switch(on=False)
    ask = claude("UserPromptSubmit", "s6", daemon, prompt="what is the build server called?")
    assert daemon.fire("claude", claude("SessionStart", "s6", daemon, source="startup")) == ""
    assert daemon.fire("claude", ask) == ""
    daemon.fire("claude", claude("Stop", "s6", daemon, last_assistant_message="I do not know."))
    with daemon.client(project=str(daemon.shop)) as client:
        client.switch(on=True)
    assert daemon.said("s6") == []
    asked = daemon.fire("claude", {**ask, "prompt": "once more, what is the build server called?"})
    assert surfaced(asked, memory_id) == 1


def test_worktrees_share_a_project(daemon: HostedDaemon, tmp_path: Path) -> None:
    main, tree = tmp_path / "main", tmp_path / "tree"
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(main)]
    subprocess.run(["git", "init", "-q", str(main)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tree)], check=True, capture_output=True)
    with daemon.client("elsewhere", project=str(main)) as client:
        memory = client.remember("The build server is called Zebra.", category="fact", scope="project")
        daemon.indexed(client)
    ask = claude("UserPromptSubmit", "s7", daemon, prompt="what is the build server called?", cwd=str(tree))
    assert surfaced(daemon.fire("claude", ask), memory.id) == 1


def test_an_error_and_files_of_another_kind_make_the_daemon_look_within_a_turn(daemon: HostedDaemon) -> None:
    error_id = daemon.told("ConnectionResetError from the mailer means that the VPN is down.")
    style_id = daemon.told("In style sheets colours are written as hsl, working on any main.css.")

    def tool(path: str, response: object) -> str:
        given = claude(
            "PostToolUse", "s8", daemon, tool_name="Edit", tool_input={"file_path": path}, tool_response=response
        )
        return daemon.fire("claude", given)

    daemon.fire("claude", claude("UserPromptSubmit", "s8", daemon, prompt="please go on with the newsletter job"))
    assert tool("/p/mail.py", {"ok": True}) == ""
    assert tool("/p/send.py", {"ok": True}) == ""
    failed = tool("/p/send.py", {"stderr": "Traceback (most recent call last):\n  ConnectionResetError: mailer"})
    assert surfaced(failed, error_id) == 1
    assert surfaced(tool("/p/main.css", {"ok": True}), style_id) == 1
    with daemon.client("s8", project=str(daemon.shop)) as client:
        assert [trace.trigger for trace in client.why(10)] == ["file", "error", "turn"]
    daemon.fire("claude", claude("Stop", "s8", daemon, last_assistant_message="Done."))
    assert [role for role, _ in daemon.said("s8")] == ["user", "assistant"]


def test_memory_is_shortened_to_what_a_host_takes_and_stays_closed() -> None:
    text = "\n".join([OPENING, "Notes", *(f"- [fact] number {n}" for n in range(1_000)), CLOSING])
    short = shortened(text, 2_000)
    assert len(short) <= 2_000
    assert short.endswith(f"\n{CLOSING}")
    assert short.splitlines()[-2].startswith("- [fact] number ")
    assert shortened(text, 100_000) == text
    foreign = text.replace("number", "число")
    cut = shortened(foreign, 2_000, in_bytes=True)
    assert len(cut) < len(short) <= 2_000
    assert 1_900 < len(cut.encode()) <= 2_000
    assert cut.endswith(f"\n{CLOSING}")
    assert shortened(foreign, len(foreign)) == foreign


def test_words_that_only_look_like_a_hooks_stay() -> None:
    for text in ("why does <hook_context> arrive?", "a reminder: buy milk", "what is recalled-memories?"):
        assert own_words(text) == text
