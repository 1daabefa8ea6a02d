"""The checkpointer for LangGraph: the framework's own conformance tests, and graphs that go on after a crash."""

import runpy
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from memoryd_client import AsyncClient
from memoryd_client.base.errors import InvalidArgument
from memoryd_client.langgraph import MemorydSaver
from running import RunningDaemon

EXAMPLE = Path(__file__).parents[2] / "examples" / "langgraph_agent.py"


def settings(thread: str) -> Any:
    return {"configurable": {"thread_id": thread}}


@pytest.mark.parametrize("kind", ["async", pytest.param("blocking", marks=pytest.mark.slow)])
async def test_it_passes_the_conformance_tests_of_the_framework(served: RunningDaemon, kind: str) -> None:
    number = 0

    @checkpointer_test(name=f"memoryd, {kind}")
    async def saver() -> AsyncGenerator[BaseCheckpointSaver[Any]]:
        nonlocal number
        number += 1
        owner = f"{served.owner}-{number}"
        if kind == "blocking":
            with served.client(owner=owner) as client:
                yield MemorydSaver(client)
        else:
            async with AsyncClient(owner=owner, paths=served.paths, deadline_s=30) as client:
                yield MemorydSaver(client)

    report = await validate(saver)
    failures = {name: result.failures for name, result in report.results.items() if not result.passed}
    assert not failures
    assert len(report.results) == 8


class Story(TypedDict):
    told: list[str]


def graph(saver: MemorydSaver) -> Any:
    def begin(state: Story) -> Story:
        return {"told": [*state["told"], "once"]}

    def ask(state: Story) -> Story:
        return {"told": [*state["told"], interrupt("who?")]}

    builder = StateGraph(Story)
    builder.add_node("begin", begin)
    builder.add_node("ask", ask)
    builder.add_edge(START, "begin")
    builder.add_edge("begin", "ask")
    builder.add_edge("ask", END)
    return builder.compile(checkpointer=saver)


def test_a_graph_that_waits_for_a_person_goes_on_in_another_process_and_back_in_time(served: RunningDaemon) -> None:
    thread = settings("a/b 'ü' " + "x" * 300)
    with served.client() as client:
        stopped = graph(MemorydSaver(client)).invoke({"told": []}, thread)
        assert stopped["__interrupt__"][0].value == "who?"
    with served.client() as client:
        saver = MemorydSaver(client)
        again = graph(saver)
        assert again.invoke(Command(resume="a wombat"), thread)["told"] == ["once", "a wombat"]
        steps = [snapshot.values.get("told") for snapshot in again.get_state_history(thread)]
        assert steps[:2] == [["once", "a wombat"], ["once"]]
        saver.delete_thread(thread["configurable"]["thread_id"])
        assert saver.get_tuple(thread) is None
        assert client.list_checkpoints() == []


async def test_a_graph_runs_with_an_asynchronous_client(served: RunningDaemon) -> None:
    async with AsyncClient(owner=served.owner, paths=served.paths, deadline_s=30) as client:
        saver = MemorydSaver(client)
        await graph(saver).ainvoke({"told": []}, settings("t"))
        done = await graph(saver).ainvoke(Command(resume="a fox"), settings("t"))
        assert done["told"] == ["once", "a fox"]
        with pytest.raises(InvalidArgument, match="await its methods"):
            saver.get_tuple(settings("t"))
        with pytest.raises(InvalidArgument, match="thread_id"):
            await saver.aget_tuple({"configurable": {}})
        with pytest.raises(InvalidArgument, match="keep_latest"):
            await saver.aprune(["t"], strategy="sometimes")


def test_many_checkpoints_are_listed_page_by_page_and_none_begins_another(served: RunningDaemon) -> None:
    with served.client() as client:
        saver = MemorydSaver(client)
        for number in range(12):
            checkpoint = empty_checkpoint()
            checkpoint["id"] = f"{number:04}"
            saver.put(settings("t" * (1 + number % 2)), checkpoint, {"step": number}, {})
        assert [found.checkpoint["id"] for found in saver.list(settings("t"), limit=3)] == ["0010", "0008", "0006"]
        assert [found.metadata.get("step") for found in saver.list(None, filter={"step": 7})] == [7]
        saver.delete_thread("t")
        assert len(list(saver.list(None))) == 6


def test_the_example_runs(served: RunningDaemon) -> None:
    example = runpy.run_path(str(EXAMPLE))
    with served.client() as client:
        assert example["ask"]("Ada", client, "night") == "1. Ada"
        assert example["ask"]("Grace", client, "night") == "2. Ada, Grace"
