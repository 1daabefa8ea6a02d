"""Episodes are gathered when somebody asks, and archived after it where that is wanted."""

from memoryd_actors.consolidating.rollup_writer import RollupWriter
from memoryd_actors.consolidating.settings import ConsolidationSettings
from memoryd_actors.keeping.orders import SetState, Store, TakeBack
from memoryd_actors.summarising import LocalSummariser
from memoryd_client import Memory, NewMemory, State
from memoryd_client.wire.caller import Caller
from recall_system import Place, System, running

CALLER = Caller(agent="cli", session="s1", project="/projects/demo")


async def episode(system: System, title: str, point: str, tags: tuple[str, ...] = ()) -> Memory:
    new = NewMemory(content=f"# Episode: {title}\n\nSummary:\n- {point}", category="episode", title=title, tags=tags)
    return (await system.keeper.ask(Store((new,), CALLER), deadline_s=20))[0]


def writer(system: System, *, off: bool = False, prune: bool = False) -> RollupWriter:
    return RollupWriter(
        ledger=system.ledger.memories,
        repository=system.ledger.consolidation,
        keeper=system.keeper,
        summariser=LocalSummariser(system.embedder, system.embedder),
        clock=system.clock,
        settings=ConsolidationSettings(prune_episodes=prune),
        gate=system.gate,
        off=lambda owner, project: project if off else None,
    )


async def test_what_waits_is_gathered_when_somebody_asks_and_a_reason_is_given_where_nothing_is(place: Place) -> None:
    async with running(place) as system:
        rollups = writer(system)
        assert await rollups.force("local", "") == []
        (nothing,) = await rollups.force("local", CALLER.project)
        assert nothing.reason == "no episode is of a project with this folder or name"
        first = await episode(system, "Moving the deploy job", "The deploy job moved to Frankfurt.")
        assert await rollups.due("local") == []
        (off,) = await writer(system, off=True).force("local", "")
        assert off.reason == "memory is off there"
        (done,) = await rollups.force("local", "")
        assert (done.project, done.episodes, done.by, done.reason) == (CALLER.project, 1, "extracted", "")
        summary = (await system.ledger.memories.get("local", [done.memory]))[done.memory]
        assert "The deploy job moved to Frankfurt." in summary.content
        assert (await system.ledger.memories.get("local", [first.id]))[first.id].active
        (again,) = await rollups.force("local", CALLER.project)
        assert again.reason == f"there are no new episodes since {system.clock.now():%Y-%m-%d}"
        assert again.memory == done.memory
        await system.keeper.ask(SetState(done.memory, State.FORGOTTEN, CALLER), deadline_s=10)
        await episode(system, "Mending the login test", "The login test failed at midnight.")
        (refused,) = await rollups.force("local", "")
        assert refused.reason == f"its summary was forgotten: `memoryd restore {done.memory}` brings it back"


async def test_episodes_are_archived_once_their_summary_tells_them_and_one_undo_takes_all_of_it_back(
    place: Place,
) -> None:
    async with running(place) as system:
        rollups = writer(system, prune=True)
        told = [await episode(system, f"Day {n}", f"The deploy job moved to city {n}.") for n in range(2)]
        (done,) = await rollups.force("local", "")
        known = await system.ledger.memories.get("local", [one.id for one in told])
        assert {one.state for one in known.values()} == {State.ARCHIVED}
        (entry, *_) = await system.ledger.memories.history("local", memory_id=told[0].id)
        assert (entry.event, entry.meta["reason"]) == ("TTL", f"told by {done.path}")
        await system.keeper.ask(TakeBack(entry.operation, CALLER), deadline_s=10)
        known = await system.ledger.memories.get("local", [done.memory, *(one.id for one in told)])
        assert [known[one.id].state for one in told] == [State.ACTIVE, State.ACTIVE]
        assert known[done.memory].state is State.FORGOTTEN


async def test_what_the_user_named_as_a_project_has_a_summary_of_its_own(place: Place) -> None:
    async with running(place) as system:
        rollups = writer(system)
        await episode(system, "Moving the deploy job", "The deploy job moved to Frankfurt.")
        await episode(system, "Buying ads", "The ads were bought in May.", ("project:hdrpop",))
        await episode(system, "Naming the folder", "The folder was named.", ("project:demo",))
        done = await rollups.force("local", CALLER.project)
        # A name that is the folder's is no other project.
        assert [(one.path, one.episodes) for one in done] == [
            ("projects/demo/summary.md", 2),
            ("projects/hdrpop/summary.md", 1),
        ]
        known = await system.ledger.memories.get("local", [one.memory for one in done])
        ads = known[done[1].memory]
        assert ads.content.startswith("# Project: hdrpop\n")
        assert "bought in May" in ads.content
        assert ads.tags == ("project:hdrpop",)
        assert "May" not in known[done[0].memory].content
        await episode(system, "Ending the ads", "The ads ended in June.", ("project:hdrpop",))
        (unknown,) = await rollups.force("local", "ferry")
        assert unknown.reason == "no episode is of a project with this folder or name; those that wait: hdrpop"
        (again,) = await rollups.force("local", "project:HDRpop")
        assert (again.memory, again.episodes) == (ads.id, 1)
        (nothing,) = await rollups.force("local", "hdrpop")
        assert (nothing.memory, nothing.path) == (ads.id, "projects/hdrpop/summary.md")
        assert nothing.reason.startswith("there are no new episodes since 2")
        (folder,) = await rollups.force("local", "demo")
        assert folder.memory == done[0].memory
        await episode(system, "Selling the ads", "The ads were sold in July.", ("project:hdrpop",))
        # Of all projects: also where nothing waits, and why.
        gathered, idle = await rollups.force("local", "")
        assert (gathered.memory, gathered.episodes) == (ads.id, 1)
        assert (idle.memory, idle.episodes) == (folder.memory, 0)
        assert idle.reason.startswith("there are no new episodes since 2")
