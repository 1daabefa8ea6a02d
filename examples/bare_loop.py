"""An agent in one loop, with memory: what was found for it in its prompt, and the tools to search and to write.

    python examples/bare_loop.py "What do you know about the ferry?"

Needs ANTHROPIC_API_KEY, the package `anthropic`, and a memoryd that runs (`memoryd start`).
"""

import sys

from anthropic import Anthropic
from anthropic.types import MessageParam, ToolResultBlockParam

from memoryd_client import Client
from memoryd_client.tools import PROTOCOL, Tools

MODEL = "claude-haiku-5-5"


def reply(asked: str, memory: Client, model: Anthropic) -> str:
    """Return the answer to one message of the user."""
    tools = Tools(memory)
    pending = memory.take_pending(deadline_s=30)  # what earlier turns brought up
    said: list[MessageParam] = [{"role": "user", "content": f"{asked}\n\n{pending.text}" if pending else asked}]
    while True:
        answer = model.messages.create(
            model=MODEL,
            max_tokens=1_000,
            system=PROTOCOL,
            messages=said,
            tools=tools.for_anthropic(),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] - as JSON
        )
        said.append({"role": "assistant", "content": answer.content})
        calls = [block for block in answer.content if block.type == "tool_use"]
        if not calls:
            text = "".join(block.text for block in answer.content if block.type == "text")
            memory.push_context([{"role": "user", "content": asked}, {"role": "assistant", "content": text}])
            return text
        results: list[ToolResultBlockParam] = []
        for call in calls:
            text, failed = tools.run(call.name, call.input)
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": text, "is_error": failed})
        said.append({"role": "user", "content": results})


if __name__ == "__main__":
    with Client(session="example", project=".", agent="example") as client:
        sys.stdout.write(reply(" ".join(sys.argv[1:]), client, Anthropic()) + "\n")
