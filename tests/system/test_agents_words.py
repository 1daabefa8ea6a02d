"""What an agent writes passes rules that what the user and programs write does not, whichever way it takes."""

from typing import Literal

import pytest

from memoryd_actors.memory.described import voice
from memoryd_client import NewMemory, RequestFailed, State
from memoryd_client.tools.memories import confirmation
from memoryd_client.tools.tool import provenance
from memoryd_client.wire.importing import MemoryRecord
from memoryd_client.wire.memory import Source
from running import RunningDaemon

PASSING = "The user just asked about the weather."


def test_an_agents_client_stores_what_its_tools_would_and_is_trusted_no_more(served: RunningDaemon) -> None:
    with served.client("s1", agent="tui") as agent, served.client("s2") as program:
        with pytest.raises(RequestFailed, match="true for a moment only"):
            agent.remember(PASSING)
        with pytest.raises(RequestFailed, match="memory 2 of 2: this is true for a moment only"):
            agent.remember_many([NewMemory(content="The build takes 9 minutes."), NewMemory(content=PASSING)])
        with pytest.raises(RequestFailed, match="only the user pins"):
            agent.remember("The build takes 9 minutes.", pinned=True)
        claimed = agent.remember("Never push to main.", category="correction", source="user", trust=1.0)
        assert (claimed.trust, claimed.source, voice(claimed)) == (0.5, "agent", "an agent")
        quoted = agent.remember("Staging is shared with QA.", category="correction", speaker="The user")
        assert voice(quoted) == "The user, told by an agent"
        assert "from The user as told by an agent" in provenance(quoted)
        assert program.remember(PASSING).content == PASSING
        assert program.remember("Releases are tagged.", source="user").trust == 0.8


def test_what_an_agent_imports_is_trusted_as_its_word(served: RunningDaemon) -> None:
    record = MemoryRecord(
        content="Never push to main.",
        category="correction",
        trust=1.0,
        pinned=True,
        source=Source.USER,
        agent="cli",
        role="user",
    )
    with served.client("s1", agent="tui") as agent:
        (added,) = agent.import_records([record]).added
        brought = agent.get(added)
    assert (brought.trust, brought.pinned) == (0.5, False)
    assert (brought.agent, brought.role, voice(brought)) == ("tui", "assistant", "an agent")


def test_what_an_agent_imports_passes_what_its_words_pass(served: RunningDaemon) -> None:
    records = [MemoryRecord(id="passing", content=PASSING), MemoryRecord(id="long", content="The build is slow. " * 20)]
    beside = MemoryRecord(id="lasting", content="The build takes 9 minutes.")
    with served.client("s1", agent="tui") as agent, served.client("s2", agent="cli") as person:
        done = agent.import_records([*records, beside])
        assert (done.added, [one.id for one in done.left_out]) == (("lasting",), ["passing", "long"])
        assert "true for a moment only" in done.left_out[0].reason
        assert person.import_records(records).added == ("passing", "long")
        assert agent.import_records(records).unchanged == ("passing", "long")


def test_what_an_agent_tells_of_a_persons_health_in_few_words_is_asked_about(served: RunningDaemon) -> None:
    with served.client("s1", agent="tui") as agent:
        assert agent.remember("The user has asthma.").state is State.PROPOSED
        with pytest.raises(RequestFailed, match="too trivial"):
            agent.remember("The user has it.")


def test_an_agents_edit_passes_the_same_rules(served: RunningDaemon) -> None:
    with served.client("s1", agent="tui") as agent:
        own = agent.remember("The build takes 9 minutes.")
        assert agent.update(own.id, content="The build takes 8 minutes.", trust=1.0).trust == 0.5
        with pytest.raises(RequestFailed, match="true for a moment only"):
            agent.update(own.id, content=PASSING)
        with pytest.raises(RequestFailed, match="only the user pins"):
            agent.update(own.id, pinned=True)


@pytest.mark.parametrize(("source", "pinned"), [("user", False), ("agent", True)])
def test_no_agent_changes_or_forgets_what_the_user_said_or_pinned(
    served: RunningDaemon, source: Literal["user", "agent"], *, pinned: bool
) -> None:
    with served.client("s1", agent="tui") as agent, served.client("s2") as program:
        old = program.remember("Releases are tagged by hand.", source=source, pinned=pinned)
        with pytest.raises(RequestFailed, match="only the user changes it"):
            agent.update(old.id, content="Releases are tagged by CI.")
        with pytest.raises(RequestFailed, match="only the user changes it"):
            agent.update(old.id, pinned=False, trust=0.1)
        with pytest.raises(RequestFailed, match="only the user forgets it"):
            agent.forget(old.id)
        with pytest.raises(RequestFailed, match="only the user destroys it"):
            agent.purge([old.id])
        with pytest.raises(RequestFailed, match="only the user takes that back"):
            agent.undo(agent.history(old.id)[0].operation)
        assert program.get(old.id) == old
        assert program.forget(old.id).state is State.FORGOTTEN


NEVER, WHEN_MESSY = "Never force-push to main.", "Force-push to main when the history is messy."


@pytest.mark.parametrize("pinned", [False, True])
@pytest.mark.parametrize("category", ["rule", "procedural", "procedure", "workflow"])
def test_no_agents_rule_takes_the_place_of_the_users_by_its_title(
    served: RunningDaemon, category: str, *, pinned: bool
) -> None:
    def named(content: str, title: str = "force pushes") -> NewMemory:
        return NewMemory(content=content, category=category, title=title)

    with served.client("s1", agent="tui") as agent, served.client("s2", agent="cli") as user:
        (before,) = agent.remember_many([named("Force-push to main on Fridays.")])
        rule = user.remember(NEVER, category=category, title="force pushes", source="user", pinned=pinned)
        assert user.get(before.id).superseded_by == rule.id
        stood = State.SUPERSEDED, rule.id
        claimed, *_ = agent.remember_many([named(WHEN_MESSY), named("Force-push when asked.", "Force Pushes")])
        restored = agent.restore(before.id)
        other = agent.remember("Force-push to branches of your own.", category=category, title="own branches")
        renamed = agent.update(other.id, title="force pushes")
        for one in (claimed, restored, renamed):
            assert (one.state, one.superseded_by) == stood
            assert (user.get(one.id).state, user.get(one.id).superseded_by) == stood
        record = MemoryRecord(content="Force-push at night.", category=category, title="force pushes")
        (brought,) = agent.import_records([record]).added
        assert user.get(brought).superseded_by == rule.id
        assert [one.id for one in user.list(categories=(category,))] == [rule.id]
        # What the user brings back is their word, whoever wrote it.
        assert user.restore(claimed.id).active
        assert user.get(rule.id).superseded_by == claimed.id
        # And nothing that they retired comes back by an agent in the place of what they said since.
        newer = user.remember("Ask before each force-push.", category=category, title="force pushes", source="user")
        assert agent.restore(rule.id).superseded_by == newer.id
        assert user.get(newer.id).active


def test_an_agent_is_told_which_rule_of_the_user_stands_against_its_own(served: RunningDaemon) -> None:
    with served.client("s2", agent="cli") as user:
        rule = user.remember(NEVER, category="rule", title="force pushes", source="user")
    with served.client("s1", agent="tui") as agent:
        claimed = agent.remember(WHEN_MESSY, category="rule", title="force pushes")
    said = confirmation(claimed, claimed.id)
    assert said.startswith("Kept, but not in force: the user's word stands against it")
    assert rule.id[:8] in said
