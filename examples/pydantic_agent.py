"""An agent of Pydantic AI, with memory: the tools to search and to write, and what was found for it in its prompt.

    python examples/pydantic_agent.py "What do you know about the ferry?"

Needs ANTHROPIC_API_KEY, the packages `pydantic-ai-slim` and `anthropic`, and a memoryd that runs (`memoryd start`).
"""

import asyncio
import sys
from functools import partial

from pydantic_ai import Agent, Tool
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel

from memoryd_client import AsyncClient
from memoryd_client.tools import PROTOCOL, AsyncTools

MODEL = "claude-haiku-5-5"


def tools_of(memory: AsyncClient) -> list[Tool]:
    """Return the tools of memory as the framework takes them."""
    tools = AsyncTools(memory)

    async def call(name: str, /, **arguments: object) -> str:
        return await tools.call(name, arguments)

    return [
        Tool.from_schema(
            partial(call, str(schema["name"])),
            name=str(schema["name"]),
            description=str(schema["description"]),
            json_schema=schema["input_schema"],  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] - as JSON
        )
        for schema in tools.for_anthropic()
    ]


async def reply(asked: str, memory: AsyncClient, model: Model) -> str:
    """Return the answer to one message of the user."""
    agent = Agent(model, instructions=PROTOCOL, tools=tools_of(memory), model_settings={"max_tokens": 1_000})
    pending = await memory.turn([{"role": "user", "content": asked}], wait_s=5)  # what it brings up
    answer = (await agent.run(f"{asked}\n\n{pending.text}" if pending else asked)).output
    await memory.push_context([{"role": "user", "content": asked}, {"role": "assistant", "content": answer}])
    return answer


async def main(asked: str) -> None:
    """Ask once."""
    async with AsyncClient(session="example", project=".", agent="example") as memory:
        sys.stdout.write(await reply(asked, memory, AnthropicModel(MODEL)) + "\n")


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:])))
