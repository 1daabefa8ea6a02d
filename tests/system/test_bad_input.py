"""Whatever a caller gives, the daemon goes on, and the answer says what was wrong and what helps."""

import inspect
from pathlib import Path

import pytest

from memoryd_client import Client, Entry, Interrupted, InvalidArgument, MemorydError, Message, RequestFailed
from running import RunningDaemon

NOT_TRIED = {"call", "close", "events", "reembed", "reindex", "backup", "switch", "consolidate", "consolidation_plan"}
BAD: tuple[object, ...] = (-1, 0, 2**63, 10**30, "", "x" * 70_000, "\ud800", None, 1.5, float("nan"), ["x" * 5_000])


def attempts(memory_id: str) -> list[tuple[str, dict[str, object]]]:
    """Return every method of the client with each of its arguments gone wrong in turn."""
    ordinary: dict[str, object] = {
        "content": "The probe.", "query": "probe", "memory_id": memory_id, "from_id": memory_id, "to_id": memory_id,
        "operation": 1, "session": "s1", "path": "a/b.md", "old": "x", "new": "y", "pattern": "x", "prefix": "",
        "memory_ids": [memory_id], "thread": "t", "data": b"x", "section": "context", "text": "hi",
        "entries": [Entry(content="z")], "messages": [Message("user", "hi")], "run": Interrupted(position="p"),
        "records": (), "memories": (), "on": True, "first": memory_id, "second": memory_id, "verdict": "both",
        "before_turn": 2, "start_turn": 1, "end_turn": 1, "folder": "/nowhere/at/all",
    }  # fmt: skip
    extra = {
        "search": ["scope", "tags", "session", "importance_min", "updated_after"],
        "remember": ["id", "scope", "title", "tags", "importance", "occurred_at", "source_messages", "metadata"],
        "search_messages": ["by", "session", "since", "role", "limit", "offset"],
    }
    found: list[tuple[str, dict[str, object]]] = []
    for name, method in inspect.getmembers(Client, inspect.isfunction):
        if name.startswith("_") or name in NOT_TRIED:
            continue
        parameters = [
            one
            for one in inspect.signature(method).parameters.values()
            if one.name != "self" and one.kind != one.VAR_KEYWORD
        ]
        needed = {one.name: ordinary[one.name] for one in parameters if one.default is one.empty}
        for target in [one.name for one in parameters] + extra.get(name, []):
            found += [(name, {**needed, target: value}) for value in BAD if target not in {"records", "run", "edges"}]
    return found


@pytest.mark.slow
def test_no_argument_of_any_call_makes_a_bug(
    daemon: RunningDaemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some arguments are names of folders, which are made
    with daemon.client("s1") as client:
        client.append([Entry(content="hello")])
        memory_id = client.remember("The probe is here.").id
        unclear: list[str] = []
        for name, arguments in attempts(memory_id):
            try:
                getattr(client, name)(**arguments)
            except RequestFailed as exc:
                if exc.code in {"internal", "bad_request"} or not exc.hint:
                    unclear.append(f"{name} {arguments}: {exc.code} {exc}"[:300])
            except InvalidArgument as exc:
                if not exc.hint:
                    unclear.append(f"{name} {arguments}: {exc}"[:300])
            except (MemorydError, TypeError, AttributeError) as exc:
                unclear.append(f"{name} {arguments}: {type(exc).__name__} {exc}"[:300])
        assert unclear == []
        assert client.status().components["sockets"].numbers["bugs"] == 0


def test_a_name_of_a_file_that_no_disk_could_hold_loses_nothing(daemon: RunningDaemon, tmp_path: Path) -> None:
    said = f"In {'x' * 3000}.py we wrote that the launch is in June."
    with daemon.client("s1", project=str(tmp_path)) as client:
        client.append([Entry(role="user", content=said)])
        assert client.remember("The launch is in June.", files=["y" * 3000]).files == ("y" * 3000,)
        assert [one.content for one in client.messages().entries] == [said]
        client.append([Entry(kind="tool_call", name="read", content=f'{{"path": "{"z" * 3000}"}}')])
        assert client.messages().last == 2
