"""What an agent with an allowlist gets to see, whatever it asks for: one daemon, every request there is."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
import zmq

from memoryd.publisher import wordless
from memoryd_cli.watching import EventTeller
from memoryd_client import Client, Entry, RequestFailed
from memoryd_client.base.errors import DeadlineExceeded
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate, Message
from memoryd_client.wire.events import ContextFilled, Event, PipelineRan, Surfaced, Wrote
from memoryd_client.wire.protocol import AnyRequest, decode_event, encode
from running import PROJECT, RunningDaemon, until

LISTS = """
[allowlists]
mine = ["@planner", "idea"]
researcher = ["core", "checkpoint"]
writer = ["core", "checkpoint"]
boss = ["core", "checkpoint", "agent:researcher"]
idle = ["core"]
narrow = ["core", "agent:writer"]
reader = ["see:core", "see:checkpoint", "see:file", "see:rule", "fact"]
"""
MARKER = "Xanadu"
OWNER = "swept"
NOT_TRIED = {"Switch", "Reindex", "Reembed", "Purge", "PurgeSession"}
"""They answer with no text of a memory, and would take away what is looked for."""


@pytest.fixture(scope="module")
def daemon(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    home = tmp_path_factory.mktemp("md")
    (home / "config.toml").write_text(LISTS, encoding="utf-8")
    with RunningDaemon(home, models, MEMORYD_RUNTIME_DIR=str(home)) as running:
        yield running


def client_of(daemon: RunningDaemon, session: str, agent: str) -> Client:
    return Client(session=session, project=PROJECT, agent=agent, owner=OWNER, paths=daemon.paths, deadline_s=30)


def filled(kind: msgspec.inspect.Type, name: str, known: dict[str, Any], *, full: bool) -> Any:  # noqa: PLR0911, PLR0912 - one case a type
    """Return a value of a type on the wire that points at what is hidden wherever it can."""
    match kind:
        case msgspec.inspect.StructType(cls=cls, fields=fields):
            if cls in (ContextUpdate, Message, Caller):
                return known[cls.__name__]
            return cls(
                **{one.name: filled(one.type, one.name, known, full=full) for one in fields if full or one.required}
            )
        case msgspec.inspect.UnionType(types=types):
            return filled(
                next(one for one in types if not isinstance(one, msgspec.inspect.NoneType)), name, known, full=full
            )
        case msgspec.inspect.VarTupleType(item_type=item):
            return (filled(item, name, known, full=full),)
        case msgspec.inspect.TupleType(item_types=items):
            return tuple(filled(one, name, known, full=full) for one in items)
        case msgspec.inspect.DictType():
            return {}
        case msgspec.inspect.LiteralType(values=literals):
            return list(literals)[-1]
        case msgspec.inspect.EnumType(cls=cls):
            return next(iter(cls))
        case msgspec.inspect.IntType(ge=least):
            return known.get(name, max(least or 0, 1))
        case msgspec.inspect.FloatType():
            return 0.5
        case msgspec.inspect.StrType():
            return known.get(name, "harbour")
        case msgspec.inspect.BytesType():
            return b"{}"
        case msgspec.inspect.BoolType():
            return True
        case msgspec.inspect.DateTimeType():
            return datetime(2026, 3, 1, tzinfo=UTC)
        case _:
            raise TypeError(kind)


def answers(client: Client, known: dict[str, Any]) -> Iterator[tuple[object, object]]:
    """Ask everything that can be asked, plainly and with all that a request can name; yield each with its answer."""
    for kind in get_args(AnyRequest):
        if kind.__name__ in NOT_TRIED:
            continue
        for full in (False, True):
            request = filled(msgspec.inspect.type_info(kind), kind.__name__, known, full=full)
            try:
                yield request, client.call(request)
            except (RequestFailed, DeadlineExceeded) as failure:
                yield request, str(failure)


def test_no_request_shows_an_agent_what_is_not_on_its_list(daemon: RunningDaemon) -> None:
    with client_of(daemon, "elsewhere", "script") as everybody:
        secret = everybody.remember(f"The harbour of {MARKER} opens at nine.", files=["harbour.md"])
        other = everybody.remember(f"The harbour of {MARKER} opens at ten.")
        everybody.relate(secret.id, other.id, relation="contradicts")
        everybody.write_file("harbour.md", f"# The harbour\n{MARKER} has three piers.")
        everybody.core_append("human", f"Works in {MARKER}.")
        everybody.core_append("context", f"The harbour of {MARKER}.", thread="elsewhere")
        everybody.save_checkpoint("elsewhere", MARKER.encode(), meta={"about": MARKER})
        everybody.remember(f"{MARKER}", category="profile", title="city", source="agent")
        everybody.append([Entry(role="user", content=f"How deep is the harbour of {MARKER}?")])
        daemon.turn(everybody, f"When does the harbour of {MARKER} open?")
        operation = everybody.history(secret.id)[0].operation
        daemon.indexed(everybody)
        shown = everybody.list(scope="everywhere", limit=100)
        assert len(shown) >= 3
    asked = 0
    for session in ("elsewhere", "mine"):
        caller = Caller(owner=OWNER, project=PROJECT, agent="mine", session=session)
        said = Message(role="user", content="When does the harbour open?")
        known = {
            "id": secret.id,
            "ids": secret.id,
            "first": secret.id,
            "second": other.id,
            "memory": secret.id,
            "from_id": secret.id,
            "to_id": other.id,
            "replaces": secret.id,
            "operation": operation,
            "session": "elsewhere",
            "thread": "elsewhere",
            "section": "human",
            "path": "harbour.md",
            "prefix": "harbour",
            "category": "fact",
            "categories": "fact",
            "project": PROJECT,
            "Message": said,
            "Caller": caller,
            "ContextUpdate": ContextUpdate(caller=caller, messages=(said,)),
        }
        with client_of(daemon, session, "mine") as client:
            for request, reply in answers(client, known):
                assert MARKER.encode() not in encode(reply), request
                asked += 1
            with pytest.raises(RequestFailed, match="a backup has all of them"):
                client.backup(daemon.home / f"{session}.db")
            # Also not once it has tried to speak there itself.
            for look in (client.messages, client.why, client.build_context):
                if session == "elsewhere":
                    with pytest.raises(RequestFailed, match="that of its own session"):
                        look()
                else:
                    assert MARKER.encode() not in encode(look())
    assert asked > 200
    with client_of(daemon, "elsewhere", "script") as everybody:
        assert {memory.id for memory in shown} <= {
            memory.id for memory in everybody.list(scope="everywhere", limit=200)
        }


def test_no_request_shows_an_agent_the_name_of_a_session_that_it_may_not_look_into(daemon: RunningDaemon) -> None:
    told = "The ferry to Ghent leaves at seven from the northern pier."
    with client_of(daemon, "Timbuktu", "script") as first, client_of(daemon, "Timbuktu two", "script") as second:
        first.append([Entry(role="user", content="When does the ferry leave?")])
        fact = first.remember(told)
        assert second.remember(told).sources == ("Timbuktu two",)
        other = first.remember("The ferry to Ghent leaves at eight from the southern pier.")
        first.relate(fact.id, other.id, relation="contradicts")
        first.remember("Ask before the ferry is booked.", category="rule")
        first.write_file("ferry.md", "# The ferry\nIt leaves at seven.")
        daemon.turn(first, "When does the ferry to Ghent leave?")
        first.build_context(1_000)
        operation = first.history(fact.id)[0].operation
        daemon.indexed(first)
    said = Message(role="user", content="When does the ferry to Ghent leave, and from which pier?")
    caller = Caller(owner=OWNER, project=PROJECT, agent="reader", session="lookout")
    known = {
        **dict.fromkeys(("id", "ids", "first", "memory", "from_id"), fact.id),
        **dict.fromkeys(("second", "to_id"), other.id),
        "operation": operation,
        "session": "lookout",
        "thread": "lookout",
        "path": "ferry.md",
        "prefix": "ferry",
        "query": said.content,
        "category": "fact",
        "categories": "fact",
        "project": PROJECT,
        "Message": said,
        "Caller": caller,
        "ContextUpdate": ContextUpdate(caller=caller, messages=(said,)),
    }
    with client_of(daemon, "lookout", "reader") as reader:
        origin = reader.origin(fact.id)
        assert (origin.memory.content, origin.memory.session, origin.memory.sources) == (told, "", ())
        taken = reader.turn([said], wait_s=20)
        assert taken is not None
        assert {fact.id, other.id} & {one.id for one in taken.memories}
        assert f"an agent, {other.id[:12]}] {other.content}" in taken.text
        own = reader.remember("The southern pier is closed in winter.")
        assert own.session == "lookout"
        for request, reply in answers(reader, known):
            assert b"Timbuktu" not in encode(reply), request
    with client_of(daemon, "Timbuktu", "script") as first:
        taken = first.recall([said])
        assert taken is not None
        assert ", session Timbuktu, mem_" in taken.text


def test_no_event_shows_whoever_listens_what_was_said_and_found_or_in_which_session(daemon: RunningDaemon) -> None:
    heard: list[bytes] = []
    kinds: set[type[Event]] = set()
    context = zmq.Context[zmq.Socket[bytes]]()
    with (
        context.socket(zmq.SUB) as everything,
        client_of(daemon, "Lagos", "navigator") as other,
        client_of(daemon, "Timbuktu", "navigator") as first,
    ):
        everything.set(zmq.SUBSCRIBE, b"")
        everything.connect(f"ipc://{daemon.paths.events_socket}")
        number = 0
        while not {Wrote, PipelineRan, Surfaced, ContextFilled} <= kinds:  # a subscription takes a while to arrive
            number += 1
            other.remember(f"The lighthouse {number} of {MARKER} is {MARKER[::-1]}.", category="deadline")
            first.append([Entry(role="user", content=f"Where is lighthouse {n} of {MARKER}?") for n in range(90)])
            daemon.indexed(other)
            daemon.turn(first, f"What colour is the lighthouse {number} of {MARKER}?")
            assert first.take_pending(deadline_s=10)
            first.build_context(int(first.build_context(400_000).uncompacted / 0.8))
            while everything.poll(100):
                _, frame = everything.recv_multipart()
                heard.append(frame)
                kinds.add(type(decode_event(frame)))
    context.term()
    for word in (MARKER, MARKER[::-1], "Timbuktu", "navigator", "lighthouse", "deadline"):
        assert not [frame for frame in heard if word.encode() in frame]


def test_whoever_shows_events_asks_for_what_they_leave_out(daemon: RunningDaemon) -> None:
    with client_of(daemon, "Accra", "script") as first, client_of(daemon, "", "cli") as watching:
        trace = daemon.turn(first, "Who keeps the light of the ferry?")
        told = wordless(PipelineRan(trace, OWNER))
        (line, *_) = EventTeller(watching).lines(EventTeller(watching).whole(told))
        assert line == "pipeline  Accra turn 1: Who keeps the light of the ferry?"
        with client_of(daemon, "", "reader") as reader:
            (line, *_) = EventTeller(reader).lines(EventTeller(reader).whole(told))
            assert line == "pipeline  a session turn 1: "


def test_what_an_agent_may_only_see_it_neither_writes_nor_takes_away(daemon: RunningDaemon) -> None:
    with client_of(daemon, "r", "script") as everybody, client_of(daemon, "r", "reader") as reader:
        rule = everybody.remember("Never push to main.", category="rule", title="pushes")
        fact = reader.remember("Pushes to main are rejected.")
        everybody.write_file("plan.md", "Dig at noon.")
        everybody.core_append("digging", "At noon.")
        everybody.save_checkpoint("r", b"one")
        changes: tuple[Callable[[], object], ...] = (
            lambda: reader.update(rule.id, content="Push to main."),
            lambda: reader.forget(rule.id),
            lambda: reader.purge([rule.id]),
            lambda: reader.remember("Push to main, always.", replaces=rule.id),
            lambda: reader.relate(fact.id, rule.id, relation=" supersedes "),
            lambda: reader.settle(fact.id, rule.id, "replaces"),
            lambda: reader.write_file("plan.md", "Dig at dusk."),
            lambda: reader.edit_file("plan.md", "noon", "dusk"),
            lambda: reader.delete_file("plan.md"),
            lambda: reader.core_append("digging", "At dusk."),
            lambda: reader.core_undo("digging"),
            lambda: reader.core_purge("digging"),
            lambda: reader.save_checkpoint("r", b"two"),
            lambda: reader.delete_checkpoint("r"),
        )
        for change in changes:
            with pytest.raises(RequestFailed, match="and does not write it"):
                change()
        assert reader.get(rule.id) == rule
        assert reader.read_file("plan.md").content == "Dig at noon."
        assert "At noon." in str(reader.core_view())
        assert [one.version for one in everybody.list_checkpoints("r")] == [1]


def test_categories_are_listed_with_their_memories_and_lists(daemon: RunningDaemon) -> None:
    with client_of(daemon, "s", "script") as everybody, client_of(daemon, "s", "mine") as client:
        everybody.remember("Ship the release on Friday.", category="tasks")
        everybody.remember("The build takes four minutes.")
        whole = {one.name: one for one in everybody.categories().categories}
        assert whole["tasks"].memories == 1
        assert whole["tasks"].agents == ("mine",)
        assert (whole["rule"].context, whole["event"].rag_length, whole["activity"].rag_length) == ("all", 30, 50)
        assert whole["fact"].memories >= 1
        own = client.categories()
        assert own.allowed is not None
        assert own.allowlists["mine"] == tuple(sorted({*own.presets["planner"], "idea"}))
        assert own.allowed == tuple(sorted(name.removeprefix("see:") for name in own.allowlists["mine"]))
        assert {one.name for one in own.categories} == set(own.allowed)
        assert set(own.presets) == {"supervisor", "planner", "stylist", "researcher", "executor"}


@pytest.mark.parametrize("spoken", [True, False])
def test_core_memory_and_checkpoints_of_another_agents_thread_are_closed_unless_it_is_managed(
    daemon: RunningDaemon, *, spoken: bool
) -> None:
    thread = "dig" if spoken else "notes"
    with client_of(daemon, thread, "researcher") as researcher:
        if spoken:
            researcher.append([Entry(role="user", content="Dig here.")])
        researcher.core_append("context", "At the third layer.", thread=thread)
        researcher.save_checkpoint(thread, b"layer 3")
        researcher.save_checkpoint(f"{thread}:sub", b"part")
    with client_of(daemon, "another session", "researcher") as again:
        assert again.core_view(thread=thread)[-1].text == "At the third layer."
        assert [one.agent for one in again.list_checkpoints(thread)] == ["researcher"]
    with client_of(daemon, "own", "writer") as writer:
        with pytest.raises(RequestFailed, match="'novel' has not begun"):
            writer.core_append("persona", "You are a poet.", thread="novel")
        writer.core_append("context", "Chapter one.", thread="own")
        writer.save_checkpoint("novel", b"1")
        attempts: list[Callable[[], object]] = [
            lambda: writer.core_view(thread=thread),
            lambda: writer.core_history(thread=thread),
            lambda: writer.core_append("context", "mine", thread=thread),
            lambda: writer.core_undo("context", thread=thread),
            lambda: writer.core_purge("context", thread=thread),
            lambda: writer.load_checkpoint(thread),
            lambda: writer.resume(thread),
            lambda: writer.save_checkpoint(thread, b"mine"),
            lambda: writer.list_checkpoints(thread),
            lambda: writer.delete_checkpoint(thread),
        ]
        for attempt in attempts:
            with pytest.raises(RequestFailed, match=f"'{thread}' is another agent's thread"):
                attempt()
        assert {one.thread for one in writer.list_checkpoints()} == {"novel"}
        with pytest.raises(RequestFailed, match=r"no checkpoint 7 of the thread 'nowhere'$"):
            writer.load_checkpoint("nowhere", version=7)
    with client_of(daemon, thread, "writer") as claiming, pytest.raises(RequestFailed, match="another agent's thread"):
        claiming.core_view(thread=thread)
    with client_of(daemon, "office", "boss") as boss:
        assert boss.core_view(thread=thread)[-1].text == "At the third layer."
        found = boss.load_checkpoint(thread)
        assert found is not None
        assert found.data == b"layer 3"


@pytest.mark.parametrize("agent", ["idle", "narrow"])
@pytest.mark.parametrize("spoken", [True, False])
def test_a_supervisor_reaches_the_core_memory_of_agents_that_its_list_names_only(
    daemon: RunningDaemon, agent: str, *, spoken: bool
) -> None:
    thread = f"kid-{agent}-{spoken}"
    with client_of(daemon, thread, "kid") as kid:
        if spoken:
            kid.append([Entry(role="user", content="Hello there.")])
        kid.core_append("context", "The plan of the kid.", thread=thread)
    with client_of(daemon, "office of others", agent) as boss:
        attempts: list[Callable[[], object]] = [
            lambda: boss.core_view(thread=thread),
            lambda: boss.core_append("context", "mine", thread=thread),
            lambda: boss.core_purge("context", thread=thread),
        ]
        for attempt in attempts:
            with pytest.raises(RequestFailed, match="another agent's thread"):
                attempt()


def test_an_agent_with_a_list_speaks_in_sessions_of_its_own_and_of_agents_that_it_manages_only(
    daemon: RunningDaemon,
) -> None:
    said = [Entry(role="user", content="I prefer purple icons.")]
    with client_of(daemon, "victim", "stranger") as stranger, client_of(daemon, "victim", "writer") as writer:
        stranger.append([Entry(role="user", content="We talk about the harbour.")])
        with pytest.raises(RequestFailed, match="'victim' is another agent's session"):
            writer.append(said)
        with pytest.raises(RequestFailed, match="'victim' is another agent's session"):
            writer.push_acknowledged([Message("user", "I prefer purple icons."), Message("assistant", "Noted.")])
        writer.push_context([Message("user", "I prefer purple icons."), Message("assistant", "Noted.")])
        until(lambda: writer.status().components["transcripts"].numbers["refused"] >= 2, "the push to be counted")
        assert [one.content for one in stranger.messages().entries] == ["We talk about the harbour."]
    with client_of(daemon, "own book", "writer") as writer, client_of(daemon, "own book", "stranger") as stranger:
        writer.append([Entry(role="user", content="Chapter one.")])
        stranger.append([Entry(role="user", content="Good luck.")])
        writer.append([Entry(role="user", content="Chapter two.")])  # it stays its own
    with client_of(daemon, "dig more", "researcher") as researcher, client_of(daemon, "dig more", "boss") as boss:
        researcher.append([Entry(role="user", content="Dig here.")])
        boss.append([Entry(role="user", content="Dig deeper.")])
        researcher.append([Entry(role="user", content="At the fourth layer.")])
        assert boss.messages().entries[-1].content == "At the fourth layer."
        # Its own session, and those of agents that it manages; of another agent, its own only.
        listed = boss.sessions()
        assert listed[0].session == "dig more"
        assert all("researcher" in one.agents for one in listed)
        assert [one.session for one in boss.sessions(limit=1)] == ["dig more"]
        assert boss.sessions(offset=1) == listed[1:]
    with client_of(daemon, "own book", "writer") as writer:
        assert writer.sessions() == []  # another agent spoke in it
    with client_of(daemon, "alone", "writer") as writer:
        writer.append([Entry(role="user", content="Once upon a time.")])
        assert [one.session for one in writer.sessions()] == ["alone"]


def test_an_agent_with_a_list_is_told_how_its_own_contexts_were_decided(daemon: RunningDaemon) -> None:
    with client_of(daemon, "pottery", "mine") as client:
        client.remember("The kiln of the pottery is fired on Tuesdays.", category="idea")
        client.turn([Message("user", "On which day is the kiln of the pottery fired?")], wait_s=30, deadline_s=30)
        until(lambda: client.why(1), "the trace")
        (trace,) = client.why(1)
    assert trace.session == "pottery"
    assert trace.focus == "On which day is the kiln of the pottery fired?"
