"""What is gathered about the person waits for a yes: the Keeper, with the real ledger, index and model."""

import pytest

from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.orders import DecideProposal, EditMemory, LinkMemories, SetState, Store, TakeBack
from memoryd_actors.memory.visibility import Visibility
from memoryd_client import Memory, NewMemory, Scope, Source, State
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.consent import Consent
from memoryd_client.wire.editing import Changes
from recall_system import Place, System, running

AGENT = Caller(agent="coder", session="s1", project="/p")
OTHER = Caller(agent="reviewer", session="s2", project="/p")
USER = Caller(agent="cli", project="/p")
HERE = Visibility(owner="local", project="/p")


def field(title: str, content: str, source: Source = Source.AGENT) -> NewMemory:
    return NewMemory(content=content, title=title, category="profile", source=source)


async def store(system: System, *new: NewMemory, caller: Caller = AGENT) -> Memory:
    return (await system.keeper.ask(Store(new, caller), deadline_s=20))[0]


async def answer(system: System, memory: Memory, *, approve: bool) -> Memory:
    return (await system.keeper.ask(DecideProposal(memory.id, approve, USER), deadline_s=20))[0]


async def state(system: System, memory: Memory) -> State:
    return (await system.ledger.memories.get(memory.owner, [memory.id]))[memory.id].state


async def waiting(system: System) -> list[Consent]:
    return await system.ledger.consents.waiting(HERE, limit=50)


async def decisions(system: System, memory: Memory) -> list[str]:
    """Every decision in the history of a memory, oldest first."""
    entries = await system.ledger.memories.history("local", memory_id=memory.id)
    return [entry.meta["decision"] for entry in reversed(entries) if entry.event == "CONSENT"]


async def test_what_an_agent_says_of_the_user_applies_with_a_yes_and_retires_the_old_value(place: Place) -> None:
    async with running(place) as system:
        old = await store(system, field("preferred_name", "Anna", Source.USER), caller=USER)
        new = await store(system, field("Preferred name", "Ana"))
        assert (old.state, new.state) == (State.ACTIVE, State.PROPOSED)
        (one,) = await waiting(system)
        assert (one.id, one.field, one.proposed, one.current, one.needs) == (new.id, "preferred_name", "Ana", "Anna", 0)
        assert (await answer(system, new, approve=True)).state is State.ACTIVE
        assert await state(system, old) is State.SUPERSEDED
        assert await waiting(system) == []
        assert await decisions(system, new) == ["proposed", "approved"]
        (entry, *_) = await system.ledger.memories.history("local", memory_id=new.id)
        assert entry.actor == "cli"


async def test_the_users_new_value_of_any_field_retires_the_old_one_and_one_of_many_does_not(place: Place) -> None:
    async with running(place) as system:
        old, new, one, other = [
            await store(system, field(title, said, Source.USER), caller=USER)
            for title, said in (
                ("employer", "I work at Acme."),
                ("Employer", "I now work at Initech."),
                ("hobbies", "chess"),
                ("hobbies", "hiking"),
            )
        ]
        assert await state(system, old) is State.SUPERSEDED
        assert [await state(system, kept) for kept in (new, one, other)] == [State.ACTIVE] * 3


async def test_a_rule_that_becomes_active_with_a_yes_meets_the_others_of_its_name(place: Place) -> None:
    def rule(content: str, category: str = "rule") -> NewMemory:
        return NewMemory(content=content, title="greeting", category=category)

    async with running(place) as system:
        old = await store(system, rule("Greet the user in English, and be short."), caller=USER)
        new = await store(system, rule("The user wants to be called Ada in every greeting."))
        assert (old.state, new.state) == (State.ACTIVE, State.PROPOSED)
        assert (await answer(system, new, approve=True)).state is State.ACTIVE
        assert await state(system, old) is State.SUPERSEDED

        steps = "1. Say hello to Ada, who has asthma.\n2. Ask for the ticket."
        former = await store(system, rule("Greeting:\n1. Say hello.\n2. Go on.", "procedural"), caller=USER)
        waits = await store(system, rule(f"Greeting:\n{steps}", "procedural"))
        assert (former.metadata["version"], waits.state) == ("1", State.PROPOSED)
        approved = await answer(system, waits, approve=True)
        assert (approved.state, approved.metadata["version"]) == (State.ACTIVE, "2")
        assert await state(system, former) is State.SUPERSEDED

        same = await store(system, rule(f"How we greet:\n{steps.replace('.', '')}", "procedural"))
        assert same.state is State.PROPOSED
        await answer(system, same, approve=True)
        assert {await state(system, one) for one in (same, approved)} == {State.ACTIVE, State.SUPERSEDED}


@pytest.mark.parametrize("name", ["coder", "reviewer", ""])
async def test_no_agent_answers_for_the_user_and_the_one_that_proposed_may_take_it_back(
    place: Place, name: str
) -> None:
    caller = Caller(agent=name, session="s2", project="/p")
    async with running(place) as system:
        new = await store(system, field("city", "Lisbon"))
        with pytest.raises(Refused, match=r"user's own yes or no") as refused:
            await system.keeper.ask(DecideProposal(new.id, True, caller), deadline_s=20)
        assert "memoryd consent approve" in refused.value.hint
        for no in (DecideProposal(new.id, False, caller), SetState(new.id, State.FORGOTTEN, caller)):
            if name != "coder":
                with pytest.raises(Refused, match=r"user's own yes or no"):
                    await system.keeper.ask(no, deadline_s=20)
        assert await state(system, new) is State.PROPOSED
        if name == "coder":
            await system.keeper.ask(DecideProposal(new.id, False, caller), deadline_s=20)
            assert await state(system, new) is State.FORGOTTEN


async def test_what_the_user_said_yes_to_is_trusted_as_the_users_word(place: Place) -> None:
    async with running(place) as system:
        new = await store(system, field("city", "Lisbon"))
        assert new.trust == 0.5
        assert (await answer(system, new, approve=True)).trust == 0.8


async def test_a_yes_in_the_conversation_stands_in_the_history_as_the_users(place: Place) -> None:
    async with running(place) as system:
        new = await store(system, field("city", "Lisbon"))
        await system.keeper.ask(DecideProposal(new.id, True, AGENT, from_user=True), deadline_s=20)
        assert await decisions(system, new) == ["proposed", "approved by the user in the conversation"]


@pytest.mark.parametrize("approve", [True, False])
async def test_no_agent_takes_back_what_the_user_decided(place: Place, approve: bool) -> None:
    async with running(place) as system:
        new = await store(system, field("city", "Lisbon"))
        decided = await state(system, await answer(system, new, approve=approve))
        (entry, *_) = await system.ledger.memories.history("local", memory_id=new.id)
        with pytest.raises(Refused, match="only the user takes that back"):
            await system.keeper.ask(TakeBack(entry.operation, AGENT), deadline_s=20)
        assert await state(system, new) is decided
        await system.keeper.ask(TakeBack(entry.operation, USER), deadline_s=20)
        assert await state(system, new) is State.PROPOSED
        (entry, *_) = await system.ledger.memories.history("local", memory_id=new.id)
        with pytest.raises(Refused, match="only the user takes that back"):
            await system.keeper.ask(TakeBack(entry.operation, AGENT), deadline_s=20)


async def test_an_agent_puts_nothing_in_the_place_of_what_is_about_the_user(place: Place) -> None:
    async with running(place) as system:
        old = await store(system, field("city", "Porto", Source.USER), caller=USER)
        fact = NewMemory(content="The office of the user stands in Lisbon.")
        with pytest.raises(Refused, match="only the user replaces it"):
            await system.keeper.ask(Store((fact,), AGENT, old.id), deadline_s=20)
        beside = await store(system, fact)
        with pytest.raises(Refused, match="only the user replaces it"):
            await system.keeper.ask(LinkMemories(beside.id, old.id, "supersedes", 1.0, AGENT), deadline_s=20)
        assert await state(system, old) is State.ACTIVE
        await system.keeper.ask(LinkMemories(beside.id, old.id, "supersedes", 1.0, USER), deadline_s=20)
        assert await state(system, old) is State.SUPERSEDED


async def test_a_no_changes_nothing_and_is_not_asked_again_for_a_while(place: Place) -> None:
    async with running(place) as system:
        new = await store(system, field("city", "Lisbon"))
        assert (await answer(system, new, approve=False)).state is State.FORGOTTEN
        again = await store(system, field("city", "Lisbon"), caller=OTHER)
        assert (again.id, again.state) == (new.id, State.FORGOTTEN)
        assert await waiting(system) == []
        system.clock.pass_by(days=31)
        assert (await store(system, field("city", "Lisbon"), caller=OTHER)).state is State.PROPOSED
        assert await decisions(system, new) == ["proposed", "rejected"]


async def test_the_same_proposal_again_is_one_proposal_with_another_signal(place: Place) -> None:
    async with running(place) as system:
        first = await store(system, field("pronouns", "she/her"))
        for caller in (AGENT, OTHER):
            assert (await store(system, field("pronouns", "she/her"), caller=caller)).id == first.id
        (one,) = await waiting(system)
        assert (one.signals, one.id) == (2, first.id)
        assert await decisions(system, first) == ["proposed", "signal"]


async def test_a_benign_field_applies_once_two_sessions_agree(place: Place) -> None:
    async with running(place) as system:
        old = await store(system, field("tone", "formal", Source.USER), caller=USER)
        tone = await store(system, field("tone", "terse"))
        assert (await store(system, field("tone", "terse"))).state is State.PROPOSED
        agreed = await store(system, field("tone", "terse"), caller=OTHER)
        assert (agreed.id, agreed.state) == (tone.id, State.ACTIVE)
        assert await state(system, old) is State.SUPERSEDED
        assert await decisions(system, tone) == ["proposed", "signal", "applied"]


async def test_two_signals_of_one_agent_are_one_and_what_conversations_bring_again_is_another(place: Place) -> None:
    async with running(place) as system:
        tone = await store(system, field("tone", "terse"))
        again = Caller(agent=AGENT.agent, session="s3", project="/p")
        assert (await store(system, field("tone", "terse"), caller=again)).state is State.PROPOSED
        (one,) = await waiting(system)
        assert one.signals == 1
        agreed = await store(system, field("tone", "terse", Source.EXTRACTED), caller=again)
        assert (agreed.id, agreed.state) == (tone.id, State.ACTIVE)


async def test_a_field_that_gathers_values_keeps_those_that_are_there(place: Place) -> None:
    async with running(place) as system:
        run = await store(system, field("goals_add", "Run a marathon", Source.USER), caller=USER)
        sail = await store(system, field("goals_add", "Learn to sail", Source.USER), caller=USER)
        assert [await state(system, one) for one in (run, sail)] == [State.ACTIVE, State.ACTIVE]


async def test_nobody_answered_for_seven_days_and_the_proposal_lapses(place: Place) -> None:
    async with running(place) as system:
        new = await store(system, field("language", "Portuguese"))
        system.clock.pass_by(days=6, hours=23)
        assert (await system.ageing.round("local")).lapsed == 0
        system.clock.pass_by(hours=1)
        assert await waiting(system) == []
        with pytest.raises(Refused, match="lapsed"):
            await answer(system, new, approve=True)
        assert (await system.ageing.round("local")).lapsed == 1
        assert await state(system, new) is State.FORGOTTEN
        assert await decisions(system, new) == ["proposed", "expired"]
        # A silence is no no.
        assert (await store(system, field("language", "Portuguese"))).state is State.PROPOSED


async def test_what_was_not_consented_to_is_destroyed_in_the_end(place: Place) -> None:
    async with running(place) as system:
        new = await store(system, field("city", "Lisbon"))
        await answer(system, new, approve=False)
        system.clock.pass_by(days=31)
        await system.ageing.round("local")
        assert await system.ledger.memories.get("local", [new.id]) == {}


async def test_there_is_no_way_around_the_yes(place: Place) -> None:
    async with running(place) as system:
        said = await store(system, field("city", "Porto", Source.USER), caller=USER)
        new = await store(system, field("city", "Lisbon"))
        with pytest.raises(Refused, match="waits for the user's consent"):
            await system.keeper.ask(SetState(new.id, State.ACTIVE, AGENT), deadline_s=20)
        for memory in (new, said):
            with pytest.raises(Refused, match="user"):
                await system.keeper.ask(EditMemory(memory.id, Changes(content="Faro"), None, AGENT), deadline_s=20)
        await answer(system, new, approve=False)
        with pytest.raises(Refused, match="did not consent"):
            await system.keeper.ask(SetState(new.id, State.ACTIVE, AGENT), deadline_s=20)
        correction = NewMemory(content="The user now lives in Lisbon, no longer in Porto.", category="correction")
        await store(system, correction)
        assert await state(system, said) is State.ACTIVE


async def test_a_proposal_among_many_memories_waits_while_the_others_are_stored(place: Place) -> None:
    async with running(place) as system:
        new = (NewMemory(content="The main branch is called trunk."), field("city", "Lisbon"), field("tone", "terse"))
        stored = await system.keeper.ask(Store(new, AGENT), deadline_s=20)
        assert [one.content for one in stored] == [one.content for one in new]
        assert [one.state for one in stored] == [State.ACTIVE, State.PROPOSED, State.PROPOSED]


async def test_a_yes_can_be_taken_back_and_the_proposal_waits_again(place: Place) -> None:
    async with running(place) as system:
        old = await store(system, field("city", "Porto", Source.USER), caller=USER)
        new = await store(system, field("city", "Lisbon"))
        await answer(system, new, approve=True)
        (entry, *_) = await system.ledger.memories.history("local", memory_id=new.id)
        await system.keeper.ask(TakeBack(entry.operation, USER), deadline_s=20)
        assert [await state(system, one) for one in (old, new)] == [State.ACTIVE, State.PROPOSED]
        assert [one.id for one in await waiting(system)] == [new.id]


async def test_what_the_user_says_overtakes_what_waits(place: Place) -> None:
    async with running(place) as system:
        new = await store(system, field("city", "Lisbon"))
        await store(system, field("city", "Porto", Source.USER), caller=USER)
        assert await state(system, new) is State.FORGOTTEN
        assert await decisions(system, new) == ["proposed", "overtaken"]


async def test_forgetting_a_proposal_is_a_no(place: Place) -> None:
    async with running(place) as system:
        new = await store(system, field("city", "Lisbon"))
        await system.keeper.ask(SetState(new.id, State.FORGOTTEN, USER), deadline_s=20)
        assert await decisions(system, new) == ["proposed", "rejected"]


async def test_a_decided_proposal_is_not_decided_again(place: Place) -> None:
    async with running(place) as system:
        new = await store(system, field("city", "Lisbon"))
        await answer(system, new, approve=True)
        with pytest.raises(Refused, match="does not wait"):
            await answer(system, new, approve=False)


async def test_a_proposal_of_one_project_is_none_of_anothers(place: Place) -> None:
    async with running(place) as system:
        await store(system, field("city", "Lisbon"))
        assert await system.ledger.consents.waiting(Visibility(owner="local", project="/q"), limit=50) == []
        assert await system.ledger.consents.waiting(Visibility(owner="them", project="/p"), limit=50) == []
        blind = Visibility(owner="local", project="/p", allowed=frozenset({"fact"}))
        assert await system.ledger.consents.waiting(blind, limit=50) == []
        new = NewMemory(content="Lisbon", title="city", category="profile", scope=Scope.GLOBAL)
        shared = await store(system, new)
        assert [one.id for one in await system.ledger.consents.waiting(Visibility(owner="local"), limit=50)] == [
            shared.id
        ]


@pytest.mark.parametrize("title", ["name", "Full name", "location", "home city", "preferred_language", "My pronouns"])
async def test_a_sensitive_field_is_one_in_whatever_words_and_whoever_claims_to_be_the_user(
    place: Place, title: str
) -> None:
    async with running(place) as system:
        assert (await store(system, field(title, "Lisbon", Source.USER))).state is State.PROPOSED
        assert (await store(system, field(title, "Porto", Source.AGENT), caller=USER)).state is State.PROPOSED
        assert (await store(system, field(title, "Faro", Source.USER), caller=USER)).state is State.ACTIVE


async def test_what_is_heard_in_the_users_own_messages_is_their_word(place: Place) -> None:
    async with running(place) as system:
        new = field("city", "Lisbon", Source.USER)
        (stored,) = await system.keeper.ask(Store((new,), AGENT, from_user=True), deadline_s=20)
        assert stored.state is State.ACTIVE
