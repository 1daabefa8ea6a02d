"""What agents write of a person in memory files and core memory is asked about, as in any other memory."""

import pytest

from memoryd_client import Message, RequestFailed, State
from memoryd_client.wire.importing import MemoryRecord
from running import RunningDaemon

LIVES = "The user lives in Porto."
REFUSED = "only the user decides about that"


def test_a_file_that_tells_of_a_person_waits_for_the_users_yes(served: RunningDaemon) -> None:
    with served.client("s1") as agent, served.client("s2", agent="cli") as person:
        with pytest.raises(RequestFailed, match="waits for the user's yes"):
            agent.write_file("user.md", f"# About\n\n{LIVES} They like tea.")
        assert agent.list_files() == []
        (waiting,) = person.consents()
        assert (waiting.field, waiting.category) == ("home", "file")
        person.approve(waiting.id)
        assert LIVES in agent.read_file("user.md").content
        # What else stands there is edited; what it would tell beyond that is not.
        agent.edit_file("user.md", "like tea", "like coffee")
        with pytest.raises(RequestFailed, match=REFUSED):
            agent.edit_file("user.md", "They like", "The user has asthma. They like")
        with pytest.raises(RequestFailed, match=REFUSED):
            agent.write_file("user.md", f"{LIVES} The user has asthma.")
        person.edit_file("user.md", "They like", "The user has asthma. They like")


def test_a_section_that_tells_of_a_person_is_written_by_a_person_or_once_it_is_known(served: RunningDaemon) -> None:
    with served.client("s1") as agent, served.client("s2", agent="cli") as person:
        agent.core_append("human", "Prefers short answers.")
        for told in (LIVES, "Prefers to be called Ada.", "User based in Porto"):
            with pytest.raises(RequestFailed, match=REFUSED):
                agent.core_append("human", told)
        with pytest.raises(RequestFailed, match=REFUSED):
            agent.core_set("notes", f"Answers in French. {LIVES}")
        with pytest.raises(RequestFailed, match=REFUSED):
            agent.core_replace("human", "Prefers short answers.", LIVES)
        assert "Porto" not in str(agent.core_view())
        # Kept as a memory with the user's yes, it may be said in core memory, too.
        person.approve(agent.remember(LIVES).id)
        assert LIVES in agent.core_append("human", LIVES).text
        person.core_append("human", "The user has asthma.")
        person.core_replace("human", "The user has asthma.", "Ask in the morning.")
        with pytest.raises(RequestFailed, match=REFUSED):
            agent.core_undo("human")


def test_what_the_user_told_in_the_conversation_is_written(served: RunningDaemon) -> None:
    with served.client("s1") as agent:
        agent.push_acknowledged([Message("user", "By the way, I'm allergic to nuts. And I live in Porto.")])
        agent.write_file("user.md", f"# About\n\nThe user is allergic to nuts.\n{LIVES}")
        agent.write_file("home.md", "Nothing yet.")
        agent.write_file("home.md", f"# {LIVES}\n\nNothing else yet.")
        agent.write_file("notes.md", "The deploy is on Friday.")
        agent.edit_file("notes.md", "Friday.", "Friday. The user is allergic to nuts.")
        agent.core_append("human", LIVES)
        with pytest.raises(RequestFailed, match=REFUSED):
            agent.core_append("human", "The user lives in Lisbon.")


def test_what_an_agent_imports_of_a_person_waits_and_what_a_program_imports_does_not(served: RunningDaemon) -> None:
    records = [MemoryRecord(id="home", content=LIVES), MemoryRecord(id="tea", content="The build takes 9 minutes.")]
    with served.client("s1", agent="tui") as agent, served.client("s2", agent="cli") as person:
        done = agent.import_records(records)
        assert (done.proposed, done.added) == (("home",), ("tea",))
        (waiting,) = person.consents()
        assert (waiting.id, waiting.field) == ("home", "home")
    with served.client("s3", owner="another") as program:
        assert program.import_records([MemoryRecord(id="there", content=LIVES)]).added == ("there",)


@pytest.mark.parametrize("title", ["health", "religion", "salary", "goals"])
def test_an_agent_makes_no_field_of_the_person_in_force_without_a_yes(served: RunningDaemon, title: str) -> None:
    with served.client("s1", agent="tui") as agent, served.client("s2", agent="cli") as person:
        proposed = agent.remember("More than last year", category="profile", title=title)
        assert proposed.state is State.PROPOSED
        fact = agent.remember("Budgets grow by 3 percent a year.")
        if title != "goals":
            with pytest.raises(RequestFailed, match="only the user changes it"):
                agent.update(fact.id, category="profile", title=title)
        assert person.list(categories=("profile",)) == []
        assert person.remember("Less than last year", category="profile", title=title, source="user").active
