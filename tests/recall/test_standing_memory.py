"""Standing memory in a running system: it comes with the first take, once, and what becomes of it with the next."""

from memoryd_actors.keeping.orders import EditMemory, SetState, Store
from memoryd_actors.memory.render import CHARACTERS_PER_TOKEN
from memoryd_actors.memory.standing import MOST_STANDING
from memoryd_client import NewMemory, PendingMemory, Scope, Source, State
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.editing import Changes
from recall_system import Place, System, running

EXPIRY = "Token expiry is computed in UTC, so the login test fails at midnight."
ASKED = "why does the login test with the token expiry fail at midnight?"


async def take(system: System, take_id: str, *, session: str = "s", project: str = "") -> PendingMemory | None:
    """Take as a client does: at once where that is possible."""
    caller = Caller(session=session, project=project)
    answer = system.recall.take_now(caller, take_id) or await system.recall.take(caller, take_id)
    return answer.pending


def standing(pending: PendingMemory | None) -> set[str]:
    return {memory.content for memory in pending.always} if pending else set()


async def test_it_comes_with_the_first_take_once_also_where_nothing_else_is_pending(place: Place) -> None:
    async with running(place) as system:
        await system.remember("four spaces", category="rule", title="indentation")
        await system.remember("Ana likes short answers.", category="preference")
        await system.remember("Never push to main.", category="correction", source=Source.USER)
        await system.remember("plain words", category="profile", title="tone", source=Source.USER)
        await system.remember(EXPIRY)
        first = await take(system, "1")
        assert first is not None
        assert first.memories == ()
        everything = {
            "indentation: four spaces",
            "Ana likes short answers.",
            "Never push to main.",
            "tone: plain words",
        }
        assert standing(first) == everything
        assert all(content in first.text for content in everything)
        assert await take(system, "1") == first
        assert await take(system, "2") is None
    async with running(place) as system:
        assert await take(system, "3") is None
        assert standing(await take(system, "4", session="another")) == everything


async def test_an_agents_correction_stands_nowhere_until_the_user_says_so_and_comes_up_where_it_fits(
    place: Place,
) -> None:
    async with running(place) as system:
        of_agent = await system.remember(EXPIRY, category="correction")
        assert await take(system, "1") is None
        assert system.push("s", ASKED)
        await system.decided("s", ASKED)
        found = await take(system, "2")
        assert found is not None
        assert ([memory.id for memory in found.memories], found.always) == ([of_agent], ())
        await system.keeper.ask(EditMemory(of_agent, Changes(pinned=True), None, Caller()), deadline_s=10)
        assert standing(await take(system, "3", session="another")) == {EXPIRY}


async def test_a_claim_against_what_the_user_corrected_comes_with_the_correction_although_that_stands_there(
    place: Place,
) -> None:
    asked = "when does the deploy job run, in UTC?"
    async with running(place) as system:
        corrected = await system.remember(
            "The deploy job runs at 04:00 UTC.", category="correction", source=Source.USER
        )
        claimed = await system.remember("The deploy job runs at 02:00 UTC.", source=Source.USER)
        assert standing(await take(system, "1")) == {"The deploy job runs at 04:00 UTC."}
        assert system.push("s", asked)
        await system.decided("s", asked)
        found = await take(system, "2")
        assert found is not None
        assert [(one.id, [near.id for near in one.related]) for one in found.memories] == [(claimed, [corrected])]
        assert [near.relation for one in found.memories for near in one.related] == ["contradicts"]


async def test_what_is_new_or_changed_is_told_with_the_next_take_and_what_is_withdrawn_too(place: Place) -> None:
    async with running(place) as system:
        spaces = await system.remember("four spaces", category="rule", title="indentation")
        await take(system, "1")
        # A fact is news only: it comes where it is relevant.
        await system.remember(EXPIRY)
        news = await take(system, "2")
        assert news is not None
        assert (news.always, news.memories, len(news.changes)) == ((), (), 2)
        await system.remember("Never push to main.", category="correction", source=Source.USER)
        new = await take(system, "3")
        assert standing(new) == {"Never push to main."}
        assert new is not None
        assert "In force from now on:" in new.text
        edit = EditMemory(spaces, Changes(content="tabs"), None, Caller())
        await system.keeper.ask(edit, deadline_s=10)
        changed = await take(system, "4")
        assert standing(changed) == {"indentation: tabs"}
        assert changed is not None
        assert changed.changes == ()
        assert "Changed, in force now:" in changed.text
        await system.keeper.ask(SetState(spaces, State.FORGOTTEN, Caller()), deadline_s=10)
        gone = await take(system, "5")
        assert gone is not None
        assert (gone.always, gone.memories) == ((), ())
        assert gone.changes[1:] == ("- ✗deleted: [rule] indentation",)
        assert await take(system, "6") is None


async def test_what_becomes_of_a_fact_that_was_handed_over_is_told_with_the_next_take(place: Place) -> None:
    async with running(place) as system:
        fact = await system.remember(EXPIRY)
        assert system.push("s", ASKED)
        await system.decided("s", ASKED)
        assert await system.taken("s", "1") == [fact]
        await system.keeper.ask(SetState(fact, State.FORGOTTEN, Caller()), deadline_s=10)
        told = await take(system, "2")
        assert told is not None
        assert told.changes[1:] == (f"- ✗deleted: [fact] {EXPIRY}",)
        assert await take(system, "3") is None


async def test_what_a_session_stores_itself_is_no_news_to_it(place: Place) -> None:
    async with running(place) as system:
        await take(system, "1")
        new = NewMemory(content="Never push to main.", scope=Scope.GLOBAL, category="rule")
        await system.recall.note_written(Caller(session="s"), [new.id])
        await system.keeper.ask(Store((new,), Caller(session="s")), deadline_s=10)
        assert await take(system, "2") is None
        assert standing(await take(system, "1", session="another")) == {"Never push to main."}


async def test_what_others_do_to_what_a_session_stored_is_news_to_it_and_what_it_does_itself_is_not(
    place: Place,
) -> None:
    async with running(place) as system:
        await take(system, "1")
        own = Caller(session="s")
        rule = NewMemory(content="Never run the tests with xdist.", scope=Scope.GLOBAL, category="rule", title="xdist")
        await system.recall.note_written(own, [rule.id])
        await system.keeper.ask(Store((rule,), own), deadline_s=10)
        await system.keeper.ask(EditMemory(rule.id, Changes(content="With two processes."), None, own), deadline_s=10)
        await system.recall.note_changed(own, [rule.id])
        assert await take(system, "2") is None
        await system.keeper.ask(SetState(rule.id, State.FORGOTTEN, Caller()), deadline_s=10)
        gone = await take(system, "3")
        assert gone is not None
        assert gone.changes[1:] == ("- ✗deleted: [rule] xdist",)
        assert await take(system, "4") is None


async def test_the_projects_and_what_is_pinned_stand_however_many_younger_rules_there_are(place: Place) -> None:
    async with running(place) as system:
        pinned = NewMemory(content="The release key stays in the vault.", category="rule", pinned=True)
        ours = NewMemory(content="In this project tabs are four wide.", category="rule", scope=Scope.PROJECT)
        many = tuple(
            NewMemory(content=f"Rule {n} of many: mind step {n * 7}.", category="rule", scope=Scope.GLOBAL)
            for n in range(MOST_STANDING + 50)
        )
        for some in ((pinned, ours), many):
            await system.keeper.ask(Store(some, Caller(session="earlier", project="/p")), deadline_s=60)
        pending = await take(system, "1", project="/p")
        assert pending is not None
        told = [memory.id for memory in pending.always]
        assert told[:2] == [pinned.id, ours.id] or told[:2] == [ours.id, pinned.id]
        total = MOST_STANDING + 52
        more = f"- {total - len(told)} more come up where they fit; all: `memoryd list -c rule -n {total}`"
        assert more in pending.text


async def test_a_host_that_cleared_its_context_is_told_everything_again(place: Place) -> None:
    async with running(place) as system:
        rule = "Never push to main."
        await system.remember(rule, category="correction", source=Source.USER)
        fact = await system.remember(EXPIRY)
        for number in range(2):
            assert system.push("s", ASKED)
            system.events.clear()
            await system.decided("s", ASKED)
            pending = await take(system, f"{number}")
            assert pending is not None
            assert standing(pending) == {rule}
            assert [memory.id for memory in pending.memories] == [fact]
            assert await take(system, f"{number} again") is None
            await system.recall.clear(Caller(session="s"))


async def test_fifty_turns_are_no_reason_to_repeat_it(place: Place) -> None:
    async with running(place) as system:
        await system.remember("four spaces", category="rule")
        assert standing(await take(system, "first")) == {"four spaces"}
        for turn in range(50):
            assert system.push("s", f"turn number {turn} about nothing")
            await system.decided("s", f"turn number {turn} about nothing")
        assert await take(system, "again") is None
        assert system.recall.counts.turns == 50


async def test_it_is_no_candidate_before_the_first_take_nor_after(place: Place) -> None:
    async with running(place) as system:
        rule = await system.remember(f"{EXPIRY} Run it before noon.", category="rule")
        for number, asked in enumerate((ASKED, f"and once more: {ASKED}")):
            assert system.push("s", asked)
            trace = await system.decided("s", asked)
            assert {one.id: one.reason for one in trace.candidates} in ({}, {rule: "stands in the context"})
            assert (await take(system, str(number)) is None) == bool(number)


async def test_what_has_no_room_is_counted_and_recalled_like_facts(place: Place) -> None:
    async with running(place) as system:
        project = "/a/project"
        subjects = [f"room {number:02}" for number in range(60)]
        new = [
            NewMemory(content=f"In {subject} shoes come off. " + "Mind the step. " * 12, scope=scope, category="rule")
            for scope, some in ((Scope.GLOBAL, subjects[:55]), (Scope.PROJECT, subjects[55:]))
            for subject in some
        ]
        caller = Caller(session="earlier", project=project)
        await system.keeper.ask(Store(tuple(new), caller), deadline_s=60)
        kitchen = "In the kitchen the gas valve is closed before anybody leaves. " + "Mind the step. " * 12
        await system.keeper.ask(
            Store((NewMemory(content=kitchen, scope=Scope.GLOBAL, category="rule", trust=0.0),), caller), deadline_s=60
        )
        first = await take(system, "1", project=project)
        told = standing(first)
        assert first is not None
        assert len(first.text) < 1200 * CHARACTERS_PER_TOKEN + 200
        assert all(any(subject in content for content in told) for subject in subjects[55:])
        assert f"- {61 - len(told)} more come up where they fit; all: `memoryd list -c rule -n 61`" in first.text
        assert kitchen.strip() not in told
        assert system.push("s", "is the gas valve in the kitchen closed before anybody leaves?")
        await system.decided("s", "is the gas valve in the kitchen closed before anybody leaves?")
        second = await take(system, "2", project=project)
        assert second is not None
        assert [memory.content for memory in second.memories] == [kitchen.strip()]


async def test_where_there_is_too_much_what_the_session_is_about_comes_first(place: Place) -> None:
    async with running(place) as system:
        new = [
            NewMemory(content=f"In room {n:02} shoes come off. " + "Mind the step. " * 12, category="rule")
            for n in range(60)
        ]
        gas = NewMemory(content="The gas valve of the kitchen is closed at night. " + "Mind it. " * 20, category="rule")
        for some in ([gas], new):
            await system.keeper.ask(Store(tuple(some), Caller(session="earlier", project="/p")), deadline_s=60)
        said = "who closes the gas valve of the kitchen at night?"
        caller = Caller(session="s", project="/p")
        system.push("s", said, project="/p")
        await system.decided("s", said)
        taken = (await system.recall.take(caller, "1")).pending
        assert gas.content.strip() in standing(taken)
        assert taken is not None
        assert taken.memories == ()
