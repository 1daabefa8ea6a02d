"""Core memory in the ledger: edits that arrive at once, history, who sees what."""

import anyio
import pytest

from memoryd.ledger import SqlLedger
from memoryd_actors.access.categories import Categories
from memoryd_actors.admission.project_rules import ProjectRules
from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.authorship import Authorship
from memoryd_actors.keeping.core_memory import CoreMemory, CoreSettings
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.core_memory import (
    CoreAppend,
    CoreEdit,
    CorePurge,
    CoreSections,
    CoreSet,
    CoreUndo,
    CoreView,
    CoreWrites,
    GetCoreHistory,
    Section,
    new_write_id,
)

ME = Caller(owner="local", agent="tui")
THEM = Caller(owner="them")


async def nothing(caller: Caller, text: str = "") -> list[str]:
    return []


def core(ledger: SqlLedger) -> CoreMemory:
    told = Authorship(nothing, nothing)
    return CoreMemory(ledger.core, ProjectRules(DEFAULT), CoreSettings(), Categories(), authorship=told)


def append(text: str, *, thread: str = "", write_id: str = "") -> CoreAppend:
    return CoreAppend(id=write_id or new_write_id(), section="human", text=text, thread=thread)


async def edit(ledger: SqlLedger, request: CoreEdit, caller: Caller = ME) -> Section:
    answer = await core(ledger).answer(request, caller)
    assert isinstance(answer, CoreSections)
    return answer.sections[0]


async def texts(ledger: SqlLedger, caller: Caller = ME, thread: str = "") -> dict[tuple[str, str], str]:
    answer = await core(ledger).answer(CoreView(thread=thread), caller)
    assert isinstance(answer, CoreSections)
    return {(one.thread, one.name): one.text for one in answer.sections if one.text}


async def test_agents_that_append_at_once_all_find_their_words(ledger: SqlLedger) -> None:
    async with anyio.create_task_group() as tasks:
        for number in range(40):
            tasks.start_soon(edit, ledger, append(f"fact {number}"))
    (text,) = (await texts(ledger)).values()
    assert sorted(text.splitlines()) == sorted(f"fact {number}" for number in range(40))


async def test_of_two_who_rewrite_what_they_read_one_is_refused(ledger: SqlLedger) -> None:
    read = await edit(ledger, append("one"))
    await edit(ledger, append("two"))
    with pytest.raises(Refused, match="written since"):
        await edit(ledger, CoreSet(id=new_write_id(), section="human", text="mine", revision=read.revision))
    assert await texts(ledger) == {("", "human"): "one\ntwo"}


async def test_what_an_agent_adds_has_to_last_and_what_a_person_types_is_taken(ledger: SqlLedger) -> None:
    passing = "The user just asked about the weather."
    with pytest.raises(Refused, match="moment only"):
        await edit(ledger, append(passing))
    assert (await edit(ledger, append(passing), Caller(owner="local", agent="cli"))).text == passing


async def test_the_same_request_sent_again_is_done_once(ledger: SqlLedger) -> None:
    await edit(ledger, append("tea", write_id="the-same-write"))
    again = await edit(ledger, append("tea", write_id="the-same-write"))
    assert (again.text, again.revision) == ("tea", 1)


async def test_an_id_names_one_write_and_is_refused_for_another(ledger: SqlLedger) -> None:
    await edit(ledger, append("tea", write_id="the-same-write"))
    others = (
        append("tea", write_id="the-same-write", thread="another"),
        CoreSet(id="the-same-write", section="context", text="tea"),
        CoreUndo(id="the-same-write", section="human"),
        CorePurge(id="the-same-write", section="human"),
    )
    memory = core(ledger)
    for other in others:
        with pytest.raises(Refused, match="used for another write"):
            await memory.answer(other, ME)
    assert await texts(ledger) == {("", "human"): "tea"}
    await memory.answer(CorePurge(id="the-purge", section="human"), ME)
    await memory.answer(CorePurge(id="the-purge", section="human"), ME)
    with pytest.raises(Refused, match="used for another write"):
        await edit(ledger, append("tea", write_id="the-purge"))


async def test_threads_and_owners_have_sections_of_their_own(ledger: SqlLedger) -> None:
    await edit(ledger, append("shared"))
    await edit(ledger, append("ours", thread="a"))
    await edit(ledger, append("theirs"), THEM)
    assert await texts(ledger, thread="a") == {("", "human"): "shared", ("a", "human"): "ours"}
    assert await texts(ledger, thread="b") == {("", "human"): "shared"}
    assert await texts(ledger, THEM, "a") == {("", "human"): "theirs"}


async def test_history_says_who_wrote_when_and_what_was_before_and_an_undo_is_undone(ledger: SqlLedger) -> None:
    await edit(ledger, append("tea"))
    await edit(ledger, append("gin"))
    undo = CoreUndo(id=new_write_id(), section="human")
    assert (await edit(ledger, undo)).text == "tea"
    answer = await core(ledger).answer(GetCoreHistory(section="human"), ME)
    assert isinstance(answer, CoreWrites)
    assert [(one.event, one.revision, one.before, one.actor) for one in answer.writes] == [
        ("UNDO", 3, "tea\ngin", "tui"),
        ("APPEND", 2, "tea", "tui"),
        ("APPEND", 1, "", "tui"),
    ]
    assert answer.writes[0].at > answer.writes[2].at
    assert (await edit(ledger, CoreUndo(id=new_write_id(), section="human"))).text == "tea\ngin"
