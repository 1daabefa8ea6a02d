"""The tools as a model sees them."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from memoryd_client.tools.schemas import PROTOCOL, for_anthropic, for_openai, schemas
from memoryd_client.tools.toolbox import ALL

MOST_TOKENS = 1_600


def test_the_default_tools_cost_little_context(models: Path) -> None:
    tokenizer = Tokenizer.from_file(str(next(models.rglob("tokenizer.json"))))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    assert len(tokenizer.encode(json.dumps(for_anthropic(schemas()))).ids) <= MOST_TOKENS


def test_the_default_tools_are_these() -> None:
    assert [tool["name"] for tool in schemas()] == [
        "memory_search",
        "memory_read",
        "memory_write",
        "memory_forget",
        "memory_review",
        "session_search",
        "core_memory_view",
        "core_memory_update",
    ]


def test_behind_all_there_are_the_files_and_the_rest_of_the_tools() -> None:
    names = {str(tool["name"]) for tool in schemas("all")}
    assert names >= {"ls", "read", "write", "edit", "grep", "search", "delete", "summarize_conversation", "recall"}
    assert len(names) == len(ALL)


@pytest.mark.parametrize("tool", schemas("all"), ids=lambda tool: str(tool["name"]))
def test_a_tool_is_what_every_host_takes(tool: dict[str, object]) -> None:
    assert re.fullmatch(r"[a-z_]{2,64}", str(tool["name"]))
    parameters = tool["parameters"]
    assert isinstance(parameters, dict)
    assert parameters["type"] == "object"
    assert parameters["additionalProperties"] is False
    annotations = tool["annotations"]
    assert isinstance(annotations, dict)
    assert annotations["openWorldHint"] is False
    assert annotations["readOnlyHint"] or isinstance(annotations["destructiveHint"], bool)


def test_tools_may_be_chosen_by_name() -> None:
    assert [tool["name"] for tool in schemas(["grep", "ls"])] == ["ls", "grep"]
    with pytest.raises(ValueError, match="no tool rm"):
        schemas(["rm"])


def test_both_apis_get_the_same_tools() -> None:
    anthropic, openai = for_anthropic(schemas("all")), for_openai(schemas("all"))
    assert [tool["name"] for tool in anthropic] == [tool["function"]["name"] for tool in openai]  # type: ignore[index] # pyright: ignore[reportIndexIssue] - JSON
    assert all(tool["type"] == "function" for tool in openai)


def test_the_protocol_names_only_tools_that_there_are() -> None:
    assert set(re.findall(r"memory_[a-z]+", PROTOCOL)) <= {str(tool["name"]) for tool in schemas()}


def test_listing_tools_loads_nothing_heavy() -> None:
    code = (
        "import sys; from memoryd_client.tools.schemas import schemas; schemas(); print(sorted(sys.modules), sep='\\n')"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"msgspec", "zmq", "anyio", "asyncio", "typer"} & set(re.findall(r"'([a-z]+)'", loaded))
