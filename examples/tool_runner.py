"""The tool runner of the Anthropic SDK, with its memory tool kept by memoryd.

    python examples/tool_runner.py "Remember that I like coffee."

Needs ANTHROPIC_API_KEY, the package `anthropic`, and a memoryd that runs (`memoryd start`).
"""

import sys

from anthropic import Anthropic

from memoryd_client import Client
from memoryd_client.memory_tool import MemoryTool

MODEL = "claude-haiku-5-5"


def reply(asked: str, memory: Client, model: Anthropic) -> str:
    """Return the answer to one message of the user."""
    runner = model.beta.messages.tool_runner(
        model=MODEL,
        max_tokens=1_000,
        messages=[{"role": "user", "content": asked}],
        tools=[MemoryTool(memory)],
    )
    return "".join(block.text for block in runner.until_done().content if block.type == "text")


if __name__ == "__main__":
    with Client(session="example", project=".", agent="example") as client:
        sys.stdout.write(reply(" ".join(sys.argv[1:]), client, Anthropic()) + "\n")
