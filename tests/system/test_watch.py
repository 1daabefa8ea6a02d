"""What `memoryd watch` prints of each event: texts, not ids."""

from memoryd_cli.watching import LONGEST, EventTeller
from memoryd_client.wire.events import IndexProgress, PipelineRan, Surfaced, Warned, Wrote
from running import RunningDaemon

FACT = "The deploy job of the shop runs at 02:00 UTC on Saturdays."


def test_events_are_told_with_the_texts_that_they_are_about(served: RunningDaemon) -> None:
    with served.client("writer") as writer, served.client("s1") as client:
        memory = writer.remember(FACT)
        long = writer.remember("word " * 200)
        served.indexed(client)
        trace = served.turn(client, "When does the deploy job of the shop run?")
        teller = EventTeller(client)

        told = "\n".join(teller.lines(PipelineRan(trace)))
        assert "s1 turn 1: When does the deploy job of the shop run?" in told
        assert f"brings up {FACT}" in told
        assert memory.id not in told

        (_, line) = teller.lines(Surfaced(session="s1", turn=1, memories=(memory.id,)))
        assert line.strip() == FACT
        (line,) = teller.lines(Wrote(event="ADD", memory_id=memory.id, owner=""))
        assert line == f"wrote     ADD {FACT}"
        (line,) = teller.lines(Wrote(event="ADD", memory_id=long.id, owner=""))
        assert line.endswith("…")
        assert len(line) < LONGEST + 20

        client.purge([memory.id])
        (line,) = teller.lines(Wrote(event="PURGE", memory_id=memory.id, owner=""))
        assert line == f"wrote     PURGE {memory.id}"  # nobody knows what it said
        assert list(teller.lines(Warned(component="index", message="behind", hint=""))) == ["warning   index: behind"]
        assert list(teller.lines(IndexProgress(applied=1, target=2))) == ["index     1 of 2"]
