"""Tools for agents of one's own: schemas for a model's API, one call for all of them, words for the system prompt.

memory = Tools(Client(session="s1", project="."))
answer = anthropic.messages.create(..., system=PROTOCOL, tools=memory.for_anthropic())
result = memory.call(block.name, block.input)
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memoryd_client.tools.schemas import PROTOCOL as PROTOCOL
    from memoryd_client.tools.tool import Outcome as Outcome
    from memoryd_client.tools.toolbox import AsyncTools as AsyncTools
    from memoryd_client.tools.toolbox import Tools as Tools

__all__ = ["PROTOCOL", "AsyncTools", "Outcome", "Tools"]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = {"PROTOCOL": "schemas", "Outcome": "tool"}.get(name, "toolbox")
    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    return value
