"""What tools do and say, at a real daemon."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from memoryd_client import AsyncClient, Client, Entry, Message, RequestFailed
from memoryd_client.base.paths import Paths
from memoryd_client.tools import AsyncTools, Tools
from running import PROJECT, RunningDaemon, until


def id_in(text: str) -> str:
    found = re.search(r"mem_[0-9a-z]{20}", text)
    assert found, text
    return found[0]


def test_what_is_written_is_found_read_and_forgotten(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        tools = Tools(client)
        written = tools.call("memory_write", {"content": "The ferry to Aran sails at nine.", "category": "fact"})
        assert written.startswith("Remembered: mem_")
        served.indexed(client)
        found = tools.call("memory_search", {"query": "when does the ferry leave?"})
        assert id_in(written)[:12] in found
        assert re.search(r"\[fact, \d{4}-\d\d-\d\d, project, mem_", found)
        read = tools.call("memory_read", {"id": id_in(written)[:12]})
        assert "The ferry to Aran sails at nine." in read
        assert "from assistant, session s1, trust 0.5]" in read
        assert "memoryd restore" in tools.call("memory_forget", {"id": id_in(written)})
        assert client.get(id_in(written)).state == "forgotten"


def test_what_is_written_for_a_while_says_when_it_ends(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        tools = Tools(client)
        given = {"content": "The staging server is down for repairs until Friday.", "ttl": "2d"}
        memory = client.get(id_in(tools.call("memory_write", given)))
        assert memory.expires_at is not None
        assert memory.expires_at - memory.created_at < timedelta(days=2, minutes=1)
        assert "which is no time span" in tools.run("memory_write", given | {"ttl": "soon"}).text


def test_a_memory_is_written_with_tags_and_read_page_by_page(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        tools = Tools(client)
        given = {
            "type": "lesson",
            "content": "The user's timezone is PST.",
            "tags": ["user_preference"],
            "title": "Zone",
        }
        written = id_in(tools.call("memory_write", given))
        kept = client.get(written)
        assert (kept.category, kept.tags, kept.title) == ("lesson", ("user_preference",), "Zone")
        assert tools.call("memory_read", {"id": written, "limit": 8}).endswith(
            "The user\n[19 more characters: offset=8]"
        )


def test_a_correction_replaces_what_it_corrects(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        tools = Tools(client)
        old = id_in(tools.call("memory_write", {"content": "The ferry to Aran sails at nine."}))
        said = tools.call("memory_write", {"content": "Since May boats to Aran sail at noon.", "replaces": old[:12]})
        new = id_in(said)
        assert f"It replaces {old[:12]}" in said
        assert (client.get(old).state, client.get(old).superseded_by) == ("superseded", new)
        assert f"replacing: {old[:12]}" in tools.call("memory_read", {"id": new})
        assert f"replaced by: {new[:12]}" in tools.call("memory_read", {"id": old})


@pytest.mark.parametrize("pinned", [True, False])
def test_no_agent_replaces_what_the_user_typed_or_pinned(served: RunningDaemon, *, pinned: bool) -> None:
    with served.client("s1") as client:
        tools = Tools(client)
        old = client.remember("Never push to main.", category="rule", source="user", pinned=pinned)
        new = {"content": "Push to main whenever the tests are green.", "category": "rule"}
        refused = tools.run("memory_write", new | {"replaces": old.id})
        assert refused.failed
        assert "only the user replaces it" in refused.text
        assert "store the new memory by itself" in refused.text
        beside = client.get(id_in(tools.call("memory_write", new)))
        refused = tools.run("memory_review", {"first": beside.id, "second": old.id, "verdict": "replaces"})
        assert "only the user replaces it" in refused.text
        assert client.get(old.id).active
        client.settle(old.id, beside.id, "replaces")


def test_a_correction_by_an_agent_is_not_the_users(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        old = client.remember("The release day is Tuesday.", source="user")
        said = {"content": "The release day is Friday, not Tuesday.", "category": "correction"}
        new = client.get(id_in(Tools(client).call("memory_write", said)))
        assert (new.trust, client.get(old.id).active) == (0.5, True)
        # Beside each other at once, or afterwards where the model is loading still.
        until(lambda: "contradicts" in [edge.relation for edge in client.edges([new.id])], "the two to be compared")


def test_an_agent_says_in_passing_what_a_memory_is_to_others(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        tools = Tools(client)
        tide = id_in(tools.call("memory_write", {"content": "Low tide closes the small harbour until ten."}))
        given = {
            "content": "The ferry to Aran sails at eleven now.",
            "related": [tide[:12]],
            "relation": "follows_from",
        }
        late = id_in(tools.call("memory_write", given))
        assert f"follows from: {tide[:12]}" in tools.call("memory_read", {"id": late})
        assert f"follows from this: {late[:12]}" in tools.call("memory_read", {"id": tide})
        assert {one.operation for one in client.history(late)} == {client.history(late)[0].operation}
        refused = tools.run("memory_write", given | {"content": "Boats wait.", "relation": "supersedes"})
        assert refused.failed
        assert "`replaces`" in refused.text
        alone = tools.run("memory_write", {"content": "Boats wait at the quay.", "relation": "part_of"})
        assert alone.failed
        assert "it is not said what the memory is `part_of` to" in alone.text
        assert "`related`" in alone.text
        again = {"content": "The pilots wait at the quay.", "replaces": late, "relation": "supersedes"}
        assert not tools.run("memory_write", again).failed


def test_a_correction_is_one_operation(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        tools = Tools(client)
        old = id_in(tools.call("memory_write", {"content": "The ferry to Aran sails at nine."}))
        new = id_in(tools.call("memory_write", {"content": "Boats to Aran sail at noon.", "replaces": old}))
        (operation,) = {one.operation for one in client.history(new) if one.event == "ADD"}
        assert [one.operation for one in client.history(old) if one.event == "SUPERSEDE"] == [operation]
        client.undo(operation)
        assert client.get(old).active
        assert not client.get(new).active


def test_what_cannot_be_replaced_leaves_nothing_written(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        tools = Tools(client)
        old = id_in(tools.call("memory_write", {"content": "The ferry to Aran sails at nine."}))
        client.forget(old)
        said = tools.run("memory_write", {"content": "Boats to Aran sail at noon.", "replaces": old})
        assert said.failed
        assert "forgotten" in said.text
        assert not client.list()


def test_what_is_known_already_takes_the_place_of_what_it_corrects(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        tools = Tools(client)
        known = id_in(tools.call("memory_write", {"content": "Deploys run on Fridays."}))
        old = id_in(tools.call("memory_write", {"content": "Nobody ever deploys on a Friday afternoon."}))
        said = tools.call("memory_write", {"content": "Deploys run on Fridays.", "replaces": old})
        assert "Known already" in said
        assert (id_in(said), client.get(old).superseded_by) == (known, known)


def test_what_waits_for_the_user_replaces_nothing_yet(served: RunningDaemon) -> None:
    with served.client("s1") as client, served.client("s1", agent="cli") as user:
        tools = Tools(client)
        old = user.remember("The user lives in Graz.").id
        for _ in range(2):
            said = tools.call(
                "memory_write", {"content": "The user lives in Linz.", "category": "profile", "replaces": old}
            )
            assert "Waits for the user's yes" in said
        assert client.get(old).active


def test_what_an_agent_says_of_a_person_waits_whatever_its_category(served: RunningDaemon) -> None:
    with served.client("s1") as client, served.client("s1", agent="cli") as user:
        tools = Tools(client)
        for content in ("The user lives in Porto.", "Her name is Ines.", "The user suffers from migraines."):
            said = tools.call("memory_write", {"content": content, "category": "fact"})
            assert "Waits for the user's yes" in said
        other = id_in(tools.call("memory_write", {"content": "The staging cluster runs in Porto."}))
        with pytest.raises(RequestFailed, match="only the user decides"):
            client.update(other, content="The user lives in Porto.")
        own = user.remember("The user lives in Porto, near the river.")
        assert own.active
        with pytest.raises(RequestFailed, match="only the user decides"):
            client.update(own.id, content="The user lives in Faro.")


def test_what_the_user_told_in_the_conversation_an_agent_may_store(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        tools = Tools(client)
        client.append([Entry(content="By the way, I live in Porto now. Do I live in Lisbon?", role="user")])
        client.append([Entry(content="So you suffer from migraines.", role="assistant")])
        assert client.get(id_in(tools.call("memory_write", {"content": "The user lives in Porto."}))).active
        for content in ("The user lives in Lisbon.", "The user suffers from migraines."):
            assert "Waits for the user's yes" in tools.call("memory_write", {"content": content})


@pytest.mark.parametrize("apart", [True, False])
def test_a_yes_answers_the_question_of_the_context_before(served: RunningDaemon, apart: bool) -> None:
    with served.client("s1") as client:
        waits = id_in(Tools(client).call("memory_write", {"content": "The user lives in Lyon."}))
        said = [
            Message("user", "Where do I find good bread?"),
            Message("assistant", "At the market. May memory keep that you live in Lyon?"),
            Message("user", "yes"),
        ]
        for part in [said[:2], said[2:]] if apart else [[one] for one in said]:
            client.push_context(part)
        until(lambda: client.get(waits).active, "the memory is active")


def test_the_same_again_is_said_to_be_known(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        tools = Tools(client)
        first = tools.call("memory_write", {"content": "Deploys run on Fridays."})
        assert id_in(tools.call("memory_write", {"content": "Deploys run on Fridays."})) == id_in(first)
        assert "Known already" in tools.call("memory_write", {"content": "Deploys run on Fridays."})


def test_a_long_memory_is_read_page_by_page(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        tools = Tools(client)
        steps = "\n".join(f"{n + 1}. Turn valve {n}." for n in range(300))
        written = tools.call("memory_write", {"content": steps, "category": "procedural"})
        first = tools.call("memory_read", {"id": id_in(written)})
        assert re.search(r"\[\d+ more characters: offset=4000\]$", first)
        assert "valve 299" in tools.call("memory_read", {"id": id_in(written), "offset": 4_000})


def test_what_goes_on_just_now_is_not_remembered_and_the_agent_is_told_what_to_write(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        said = Tools(client).run("memory_write", {"content": "User just asked about the weather"})
        assert said.failed
        assert "The user lives in Seattle" in said.text
        assert client.remember("User just asked about the weather").active


def test_what_was_said_is_found_by_words_and_date(served: RunningDaemon) -> None:
    with served.client("s7") as client:
        client.push_acknowledged([Message("user", "Why does the login test fail at midnight?")])
        tools = Tools(client)

        def found_by_words() -> str:
            said = tools.call("session_search", {"query": "login test"})
            return said if "midnight" in said else ""

        found = until(found_by_words, "the message to be found")
        assert re.search(r"- \[\d{4}-\d\d-\d\d \d\d:\d\d, session s7, 1, user\] Why does", found)
        assert "Nothing like it" in tools.call("session_search", {"until": "2001-01-01"})


def test_what_was_said_in_another_project_is_found_where_it_is_asked_for(served: RunningDaemon) -> None:
    for session, project in (("here", "/quarry"), ("there", "/foundry"), ("nowhere", "")):
        with served.client(session, project=project) as client:
            client.append([Entry(role="user", content=f"The crane of the harbour stands still, {session}.")])
    with served.client("later", project="/quarry") as client:
        tools = Tools(client)

        def found(**asked: object) -> set[str]:
            said = tools.call("session_search", {"query": "crane of the harbour", **asked})
            return set(re.findall(r"session (here|there|nowhere|later),", said))

        until(lambda: len(found(everywhere=True)) == 3, "the messages to be found")
        assert found() == {"here", "nowhere"}
        assert found(query="") == {"here", "nowhere"}
        assert found(session="there") == {"there"}
    with served.client("there", project="/quarry") as client:
        # This session went on in another project: it has its own words still.
        tools = Tools(client)
        assert found() == {"here", "there", "nowhere"}


def test_messages_that_have_nothing_to_do_with_a_query_are_left_out_and_counted(served: RunningDaemon) -> None:
    said = ("Paprika goes into the goulash last.", "Hello!", "The meeting is on Monday.", "I like long walks.")
    with served.client("greet") as client:
        client.push_acknowledged([Message("user", text) for text in said])
        tools = Tools(client)

        def found(query: str) -> str:
            return tools.call("session_search", {"query": query, "session": "greet"})

        asked = "What goes into the goulash?"

        def found_by_meaning() -> str:
            text = found(asked)
            return text if "Paprika" in text and "left out" in text else ""

        text = until(found_by_meaning, "the vectors")
        assert text.count("\n- [") + text.startswith("- [") == 1
        assert text.endswith("(3 messages left out: little to do with it.)")
        assert found("zirconium furnace maintenance").startswith("Nothing like it was said.")


def test_core_memory_is_viewed_and_updated(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        tools = Tools(client)
        assert "[human] 0 of" in tools.call("core_memory_view")
        tools.call("core_memory_update", {"section": "human", "content": "Works with Ada."})
        passage = {"section": "human", "content": "Grace", "operation": "replace", "old": "Ada"}
        assert "Works with Grace." in tools.call("core_memory_update", passage)
        whole = {"section": "human", "content": "Likes tea.", "operation": "replace"}
        assert tools.call("core_memory_update", whole).endswith("\nLikes tea.")


def test_the_context_section_is_the_sessions_own(served: RunningDaemon) -> None:
    with served.client("s1") as client, served.client("s2") as other:
        client.core_append("context", "Begin with the mast.", thread="s1")
        tools = Tools(client)
        assert "[context, this session's] 20 of" in tools.call("core_memory_view")
        tools.call("core_memory_update", {"section": "context", "content": "The mast stands."})
        anew = {"section": "context", "content": "Now the sails.", "operation": "replace"}
        assert tools.call("core_memory_update", anew).endswith("\nNow the sails.")
        assert "Now the sails." in client.build_context(2_000).system
        assert "sails" not in other.build_context(2_000).system
        assert "sails" not in Tools(other).call("core_memory_view")


def test_files_are_kept_under_paths(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        tools = Tools(client, "all")
        tools.call("write", {"path": "notes/deploy.md", "content": "# Deploy\nThe ferry service goes out on Monday."})
        assert tools.call("ls", {"prefix": "notes"}).startswith("notes/deploy.md (")
        tools.call("edit", {"path": "notes/deploy.md", "old": "Monday", "new": "Friday"})
        assert tools.call("read", {"path": "notes/deploy.md"}).endswith("on Friday.")
        assert tools.call("grep", {"pattern": "fri"}) == "notes/deploy.md:2: The ferry service goes out on Friday."
        assert "notes/deploy.md" in tools.call("search", {"query": "when is the ferry service deployed"})
        assert "memoryd restore" in tools.call("delete", {"path": "notes/deploy.md"})
        assert tools.call("ls") == "There are none."


def test_only_what_is_relevant_is_recalled_and_a_short_talk_is_not_summarized(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        tools = Tools(client, "all")
        assert tools.call("recall", {"context": "What is for lunch?"}) == "Nothing in memory is relevant to this."
        client.push_acknowledged([Message("user", "Good morning to you.")])
        assert "nothing to summarize" in tools.call("summarize_conversation")
        assert tools.call("knowledge_search", {"query": "lunch"}).startswith("Nothing found.")


def test_arguments_may_be_json_as_some_models_give_them(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        tools = Tools(client)
        assert tools.call("memory_write", '{"content": "Deploys run on Fridays."}').startswith("Remembered: mem_")
        assert "[human]" in tools.call("core_memory_view", "")
        for broken in ('{"content": ', "[1]"):
            said = tools.run("memory_write", broken)
            assert said.failed
            assert "no JSON object" in said.text


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("memory_search", {}, "query"),
        ("memory_search", {"query": "x", "limit": 0}, "`limit` is 0, and has to be a whole number from 1 to 50"),
        ("memory_search", {"query": "x", "nonsense": 1}, "nonsense"),
        ("memory_search", {"query": "x", "limit": "many"}, "limit"),
        ("memory_search", {"text": "x"}, "It takes `query`, `limit`, `category`."),
        ("memory_read", {"id": "mem_nothing"}, "memory_search shows what there is."),
        ("memory_write", {"content": "x", "replaces": "mem_nothing"}, "memory_write failed: "),
        ("session_search", {"since": "yesterday"}, "Write it like 2026-03-01"),
        ("rm", {}, "There is no tool 'rm'. There are: memory_search, "),
        ("grep", {"pattern": "x"}, "There is no tool 'grep'"),
    ],
)
def test_errors_say_what_to_do(served: RunningDaemon, name: str, arguments: dict[str, object], said: str) -> None:
    with served.client("s1") as client:
        outcome = Tools(client).run(name, arguments)
    assert outcome.failed
    assert said in outcome.text


def test_without_a_daemon_the_agent_is_told_to_go_on(tmp_path: Path) -> None:
    paths = Paths.from_environment({"MEMORYD_HOME": str(tmp_path), "MEMORYD_RUNTIME_DIR": str(tmp_path)})
    with Client(session="s1", paths=paths) as client:
        outcome = Tools(client).run("memory_search", {"query": "x"})
    assert outcome.failed
    assert "memoryd start" in outcome.text
    assert "Go on without it" in outcome.text


async def test_tools_are_called_from_asynchronous_code(served: RunningDaemon) -> None:
    async with AsyncClient(session="s1", project=PROJECT, owner=served.owner, paths=served.paths) as client:
        tools = AsyncTools(client)
        assert (await tools.call("memory_write", {"content": "The ferry sails at nine."})).startswith("Remembered")
        assert (await tools.run("memory_read", {"id": "mem_nothing"})).failed
        assert tools.for_openai()[0]["type"] == "function"
