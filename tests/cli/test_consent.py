"""`memoryd consent`: the user's yes and no, at a real daemon."""

from pathlib import Path

import msgspec

from memoryd_client import Memory, State
from memoryd_client.wire.consent import Consent

from .memoryd_command import Command


def proposed(memoryd: Command, field: str, value: str) -> str:
    added = memoryd.ok("add", value, "--category", "profile", "--title", field, "--source", "agent", "--agent", "coder")
    return added.strip()


def test_what_an_agent_proposes_is_listed_approved_and_rejected(served: Command) -> None:
    name = proposed(served, "preferred_name", "Ana")
    city = proposed(served, "city", "Lisbon")
    assert served.ok("list") == ""
    found = msgspec.json.decode(served.ok("consent", "list", "--json"), type=list[Consent])
    assert [(one.id, one.field, one.proposed, one.proposed_by) for one in found] == [
        (city, "city", "Lisbon", "coder"),
        (name, "preferred_name", "Ana", "coder"),
    ]
    assert "Lisbon" in served.ok("consent", "list")

    refused = served("restore", name)
    assert refused.returncode == 1
    assert f"memoryd consent approve {name}" in refused.stderr

    # Whoever runs a command without a terminal is a program, and may be an agent.
    for nobody in (served("consent", "approve", name), served.typed("consent", "approve", name, "--agent", "other")):
        assert nobody.returncode == 1
        assert "waits for the user's own yes or no" in nobody.stderr
    (approved,) = msgspec.json.decode(served.typed("consent", "approve", name, "--json").stdout, type=list[Memory])
    assert approved.state is State.ACTIVE
    assert "rejected" in served.typed("consent", "reject", city).stderr
    assert [one.id for one in msgspec.json.decode(served.ok("list", "--json"), type=list[Memory])] == [name]
    assert served.ok("consent", "list") == ""
    assert "does not wait for consent" in served.typed("consent", "approve", city).stderr


def test_what_the_user_says_applies_at_once(served: Command) -> None:
    of_me = ("--category", "profile", "--title", "preferred_name")
    said = served("add", "Bob", *of_me)  # a program says so
    waiting = said.stdout.strip()
    assert said.stderr == f"it waits for your consent: memoryd consent approve {waiting}\n"
    assert waiting in served.ok("consent", "list", "--json")
    assert served.typed("add", "Ana", *of_me).returncode == 0
    assert served.ok("consent", "list") == ""
    assert "preferred_name: Ana" in served.ok("list")


def test_a_proposal_without_a_field_is_named_by_what_it_says(served: Command) -> None:
    unnamed = served.ok(
        "add", "Lives in Porto.", "--category", "profile", "--source", "agent", "--agent", "coder"
    ).strip()
    assert served.typed("consent", "approve", unnamed).stderr == f"approved {unnamed}: Lives in Porto.\n"


def test_what_waits_in_another_project_is_told(served: Command, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    in_other = ("--scope", "project", "--project", str(other))
    text = ("add", "Ada lives in Lagos.", "--category", "profile", "--source", "agent", "--agent", "coder")
    served.ok(*text, *in_other)
    assert served("consent", "list").stderr == (
        f"nothing waits for your consent here, but in {other}: `--project FOLDER` has it\n"
    )
    proposed(served, "city", "Lisbon")
    listed = served("consent", "list")
    assert "Lisbon" in listed.stdout
    assert listed.stderr == f"more waits in {other}: `--project FOLDER` has it\n"
    assert "Ada lives in Lagos." in served.ok("consent", "list", "--project", str(other))
