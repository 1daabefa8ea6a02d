"""A graph of LangGraph whose state memoryd keeps: run it twice, and it goes on where it was.

    python examples/langgraph_agent.py Ada
    python examples/langgraph_agent.py Grace

Needs `pip install "memoryd[langgraph]" langgraph`, and a memoryd that runs (`memoryd start`).
"""

import sys
from operator import add
from typing import Annotated, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph

from memoryd_client import Client
from memoryd_client.langgraph import MemorydSaver


class Guests(TypedDict):
    """Who came, in this run and before."""

    names: Annotated[list[str], add]
    said: str


def greet(state: Guests) -> dict[str, str]:
    """Say who is here."""
    return {"said": f"{len(state['names'])}. {', '.join(state['names'])}"}


def ask(name: str, client: Client, thread: str) -> str:
    """Let somebody in, and return who is here."""
    builder = StateGraph(Guests)
    builder.add_node("greet", greet)
    builder.add_edge(START, "greet")
    builder.add_edge("greet", END)
    graph = builder.compile(checkpointer=MemorydSaver(client))
    settings = RunnableConfig(configurable={"thread_id": thread})
    return str(graph.invoke(Guests(names=[name], said=""), settings)["said"])


if __name__ == "__main__":
    with Client() as memory:
        sys.stdout.write(ask(" ".join(sys.argv[1:]), memory, "guests") + "\n")
