"""Shows a played conversation turn by turn: coloured on a terminal, plain anywhere else."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, assert_never

from memoryd_cli.base.launch import Launched
from memoryd_cli.base.output import on_terminal, one_line, out, short_ids
from memoryd_cli.base.render import timings
from memoryd_cli.demo.steps import (
    ContextDecided,
    ContextPushed,
    DemoFigures,
    DemoStep,
    MemoryRemembered,
    SessionBegan,
    Took,
    TurnOutcome,
)
from memoryd_cli.demo.transcript import DemoTranscript
from memoryd_client.base.wording import counted
from memoryd_client.wire.traces import CandidateTrace

if TYPE_CHECKING:
    from rich.console import Console as RichConsole

Piece = tuple[str, str]
"""Text and its rich style."""
SHOWN_DROPPED = 3
_MARKS = {
    TurnOutcome.HIT: ("as expected", "green"),
    TurnOutcome.MISS: ("missed", "red"),
    TurnOutcome.QUIET: ("rightly quiet", "green"),
    TurnOutcome.FALSE_ALARM: ("uncalled for", "yellow"),
    TurnOutcome.UNJUDGED: ("", ""),
}


class Screen:
    """Prints steps as they happen. A turn is `<` what the turn before brought back, `>` the user, and why."""

    def __init__(self) -> None:
        self._console: RichConsole | None = None
        if on_terminal():
            from rich.console import Console

            self._console = Console(highlight=False)
        self._labels: dict[str, str] = {}

    def opening(self, transcript: DemoTranscript, launched: Launched) -> None:
        """Say what is going to happen."""
        turns, sessions = counted(transcript.turns, "turn"), counted(len(transcript.sessions), "session")
        self._line(
            (f"{turns} in {sessions}, played to a daemon of their own ", ""),
            (f"(pid {launched.pid}, ready after {launched.seconds:.1f} s, no key, local judge)", "dim"),
        )
        self._line(
            (">  what the user says   <  what the turn before brought back   why  the decision behind it", "dim")
        )

    def show(self, step: DemoStep) -> None:
        """Print one step."""
        match step:
            case SessionBegan():
                self._line()
                self._line((f"== {step.session} ", "bold cyan"), (step.date, "cyan"))
            case Took():
                self._took(step)
            case ContextPushed():
                self._line((f"{step.turn:3} > ", "bold"), (one_line(step.text), "bold"))
            case ContextDecided():
                self._decided(step)
            case MemoryRemembered():
                self._labels[step.memory.id] = step.label
                self._line(
                    ("    + ", "magenta"), (f"{step.label or 'remembered'}: ", "magenta"), (step.memory.content, "")
                )
            case _:
                assert_never(step)

    def _took(self, step: Took) -> None:
        mark, style = _MARKS[step.outcome]
        told = f"[{mark}{': ' + ', '.join(step.expects) if step.outcome is TurnOutcome.MISS else ''}]" if mark else ""
        stands = [expect for expect in step.expects if expect in step.standing]
        if not step.memories:
            brought = f"needs what stands in the context: {', '.join(stands)}" if stands else "brought nothing"
            self._line((f"    < turn {step.turn} {brought}  ", "dim"), (told, style))
        for memory, label in zip(step.memories, step.labels, strict=True):
            shown = f"{label}: " if label else ""
            self._line(
                (f"    < turn {step.turn}, {memory.score:.2f}  ", "green"),
                (
                    shown + one_line(memory.content),
                    "green" if step.outcome is not TurnOutcome.FALSE_ALARM else "yellow",
                ),
                (f"  {told}" if memory is step.memories[0] else "", style),
            )

    def _decided(self, step: ContextDecided) -> None:
        trace = step.trace
        topic = "" if trace.topic_similarity is None else f"topic {trace.topic_similarity:.2f}, "
        changed = "new topic, " if trace.topic_changed else topic
        self._line((f"    why {trace.outcome}, {changed}{timings(trace)}", "dim"))
        kept = [candidate for candidate in trace.candidates if candidate.kept]
        dropped = sorted((c for c in trace.candidates if not c.kept), key=lambda c: -c.score)
        self._candidates("kept", kept)
        self._candidates("drop", dropped[:SHOWN_DROPPED])
        if len(dropped) > SHOWN_DROPPED:
            self._line((f"        and {len(dropped) - SHOWN_DROPPED} more dropped", "dim"))

    def _candidates(self, verdict: str, found: Sequence[CandidateTrace]) -> None:
        ids = short_ids(candidate.id for candidate in found)
        for one in found:
            judge = "    " if one.judge_score is None else f"{one.judge_score:.2f}"
            self._line(
                (f"        {verdict} {self._labels.get(one.id) or ids[one.id]:<16} ", "green" if one.kept else "dim"),
                (f"vector {one.vector_score:5.2f}  words {one.word_score:.2f}  judge {judge}  ", "dim"),
                (one_line(one.reason), "dim"),
            )

    def closing(self, sums: DemoFigures) -> None:
        """Print the figures."""
        self._line()
        self._line(("== what came of it", "bold cyan"))
        judged = bool(sums.expected or sums.quiet)
        rows = [
            ("turns", f"{sums.turns} in {counted(sums.sessions, 'session')}, {counted(sums.pushes, 'context')} pushed"),
            ("memories", f"{sums.memories_stored} stored, {sums.memories_surfaced} came back"),
            ("turns with memories", f"{sums.turns_with_memories}, without {sums.turns_without}"),
        ]
        if judged:
            rows += [
                ("expected came back", f"{sums.hits} of {sums.expected}, missed {sums.misses}"),
                ("quiet turns quiet", f"{sums.kept_quiet} of {sums.quiet}, false alarms {sums.false_alarms}"),
            ]
        rows += [
            ("one push", _measured(sums.push_median_us, "us, median")),
            ("push to pending", _measured(sums.pending_median_ms, "ms, median")),
            ("one take", _measured(sums.take_median_ms, "ms, median")),
            ("daemon", f"ready after {sums.ready_s:.1f} s, {sums.rss_bytes / 2**20:.0f} MiB"),
        ]
        for name, value in rows:
            self._line((f"{name:<20}", "dim"), (value, "bold"))

    def _line(self, *pieces: Piece) -> None:
        if self._console is None:
            out("".join(text for text, _ in pieces).rstrip())
            return
        from rich.text import Text

        self._console.print(Text.assemble(*pieces), soft_wrap=False)


def _measured(value: float | None, unit: str) -> str:
    return "not measured" if value is None else f"{value:.1f} {unit}"
