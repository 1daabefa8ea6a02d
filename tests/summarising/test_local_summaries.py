import json
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoryd_cli.demo
from memoryd.embedding import EmbeddingService
from memoryd_actors.admission.writing import written
from memoryd_actors.core.errors import ModelUnavailable
from memoryd_actors.ports.embedder import Vectors
from memoryd_actors.summarising import EXTRACTED, KINDS_OF_FOCUS, LocalSummariser, Spoken
from memoryd_actors.summarising.local import MARK
from memoryd_actors.summarising.units import MOST_UNITS, units

Loaded = Callable[[], AbstractAsyncContextManager[EmbeddingService]]
CONVERSATION = Path(memoryd_cli.demo.__file__).with_name("conversation.jsonl")
TALK = [
    Spoken(one["content"], one["role"])
    for one in map(json.loads, CONVERSATION.read_text(encoding="utf-8").splitlines())
]
WHEELS = (
    "Which tyres should we put on the blue van?",
    "Winter tyres last four seasons on a van.",
    "Let's put the winter tyres on the blue van on Friday.",
)


class NoModel:
    """An embedder whose weights are missing, and with them the tokeniser."""

    identity = "none"
    dimensions = 384

    async def embed(
        self, texts: Sequence[str], *, max_tokens: int = 256, background: bool = False, query: bool = False
    ) -> Vectors:
        raise ModelUnavailable("there are no weights")

    async def count(self, texts: Sequence[str]) -> list[int] | None:
        return None


@pytest.mark.parametrize("budget", [60, 200, 1_000])
async def test_a_summary_quotes_the_conversation_within_its_budget_and_says_so(loaded: Loaded, budget: int) -> None:
    async with loaded() as embedder:
        summary = await LocalSummariser(embedder, embedder).summarise(TALK, budget_tokens=budget)
        counted = await embedder.count([summary.text])
        assert counted is not None
        assert 0 < counted[0] <= budget
        assert summary.by == EXTRACTED
        assert not summary.by_model
        assert summary.text.startswith(MARK)
        everything = " ".join(" ".join(one.text.replace('"', "'").split()) for one in TALK)
        for point in summary.points:
            quoted = point.split('"')[1].rstrip("…").rstrip()
            assert quoted in everything


async def test_a_decision_and_a_question_come_before_small_talk(loaded: Loaded) -> None:
    async with loaded() as embedder:
        said = [Spoken("It is a really lovely morning outside again, is all.", "assistant")] * 3
        said += [Spoken(WHEELS[0]), Spoken(WHEELS[1], "assistant"), Spoken(WHEELS[2])]
        summary = await LocalSummariser(embedder, embedder).summarise(said, budget_tokens=58)
        assert WHEELS[2] in summary.text
        assert "lovely morning" not in summary.text
        assert summary.title == WHEELS[0]
        assert WHEELS[2] in summary.outcome


COMPARED = (
    Spoken("We need a scheduler for the harbour office. Tidewise costs 12 euros a month, Quayplan has no export."),
    Spoken("Tidewise exports to CSV and has an API with 3 endpoints; Anchorage is for 40 users at most.", "assistant"),
    Spoken("The deadline of the harbour office is the 1st of December 2026, and Port Dock 4 closes in May."),
)
SETTLED = (
    "Let us take Tidewise.",
    "OK, go with Tidewise then.",
    "Tidewise it is.",
    "No, the port is 5433.",
    "I meant Quayplan.",
    "Never mind, use Quayplan.",
    "Please remember that Dock 4 is ours.",
    "Nimm Tidewise.",
)


@pytest.mark.parametrize("focus", ["", KINDS_OF_FOCUS["decisions"], "what does Quayplan cost?"])
@pytest.mark.parametrize("settled", SETTLED)
async def test_no_summary_leaves_out_what_a_user_decides_corrects_or_asks_to_remember(settled: str, focus: str) -> None:
    summariser = LocalSummariser(NoModel(), NoModel())
    said = [*COMPARED[:2], Spoken(settled), *COMPARED[2:]]
    first = await summariser.summarise(said, budget_tokens=120, focus=focus)
    assert f'The user said: "{settled}"' in first.points
    again = await summariser.summarise(COMPARED * 2, budget_tokens=140, earlier=first.text, focus=focus)
    assert f'The user said: "{settled}"' in again.points
    assert (first.left_out, again.left_out) == (0, 0)


async def test_a_summary_says_how_much_that_it_must_not_leave_out_had_no_room() -> None:
    said = [Spoken(f"Let's take harbour scheduler number {number}.") for number in range(20)]
    summary = await LocalSummariser(NoModel(), NoModel()).summarise(said, budget_tokens=200)
    assert summary.left_out == 20 - len(summary.points) > 0


async def test_a_title_is_what_was_asked_and_nothing_that_was_pasted() -> None:
    wanted = "boats: add a column for the year in which each was built"
    pasted = (
        "since today in the log:\nrow store lost its connection to the ledger twice",
        "src/boats/panel.py:41:17 - attribute colour of harbour boats is unknown",
        "BoatError: there is no harbour of that name anywhere",
        "[mooring] chain of boat seven is loose in the harbour",
    )
    for first in pasted:
        for said, title in (([first, wanted], wanted), ([first], "")):
            summary = await LocalSummariser(NoModel(), NoModel()).summarise(
                [Spoken(one) for one in said], budget_tokens=200, purpose="episode"
            )
            assert summary.title == title


async def test_what_is_near_to_the_focus_comes_first(loaded: Loaded) -> None:
    async with loaded() as embedder:
        said = [Spoken(f"We have painted boat {number} blue because the harbour master asked.") for number in "1234"]
        said += [Spoken("The bakery on the quay opens at six.", "assistant"), *said]
        summariser = LocalSummariser(embedder, embedder)
        without, within, named = [
            (await summariser.summarise(said, budget_tokens=45, focus=focus)).text
            for focus in ("", "when can we buy bread?", KINDS_OF_FOCUS["decisions"])
        ]
        assert "bakery" not in without
        assert "bakery" in within
        assert named == without


@pytest.mark.parametrize("focus", ["decisions", "facts", "context"])
async def test_a_summary_of_decisions_or_facts_quotes_no_questions(focus: str) -> None:
    said = [Spoken("Which shelf carries the lamps of the museum?"), Spoken("The museum keeps its lamps on shelf four.")]
    summary = await LocalSummariser(NoModel(), NoModel()).summarise(
        said, budget_tokens=200, focus=KINDS_OF_FOCUS[focus]
    )
    assert "shelf four" in summary.text
    assert ("Which shelf" in summary.text) is (focus == "context")


async def test_an_episode_names_decisions_and_the_question_that_nobody_answered(loaded: Loaded) -> None:
    async with loaded() as embedder:
        said = [
            Spoken("Why does the nightly export of the ledger fail?"),
            Spoken("The disk of the export host is full, the archive step stops.", "assistant"),
            Spoken("I'll move the archive to another host now. Let me know if you need anything else!", "assistant"),
            Spoken("We decided to keep only ninety days of exports."),
            Spoken("The archive was moved to host beta and the export ran through.", "assistant"),
            Spoken("Which team has to approve the new retention policy?"),
        ]
        summary = await LocalSummariser(embedder, embedder).summarise(said, budget_tokens=400, purpose="episode")
        assert 'Key decision: The user said: "We decided to keep only ninety days of exports."' in summary.points
        assert 'Open question: The user asked: "Which team has to approve the new retention policy?"' in summary.points
        assert 'The user asked: "Why does the nightly export of the ledger fail?"' in summary.points
        assert not any("I'll move" in point or "Let me know" in point for point in summary.points)
        assert summary.outcome == (
            'The assistant said: "The archive was moved to host beta and the export ran through."'
        )
        assert [written(point, "episode")[0] for point in summary.points] == list(summary.points)


async def test_what_tools_code_and_logs_say_is_no_part_of_it(loaded: Loaded) -> None:
    async with loaded() as embedder:
        said = [
            Spoken(
                "Please look at why the importer of the customer list fails.\n"
                "```\nsecret_code = important_decision()\n```"
            ),
            Spoken('{"path": "importer decides everything important"}', "assistant", "read", "tool_call"),
            Spoken("we decided that the importer is important because of customers", "tool", "read", "tool_result"),
            Spoken("2026-03-01 10:00:00 ERROR we decided that the customer importer fails", "user"),
        ]
        summary = await LocalSummariser(embedder, embedder).summarise(said, budget_tokens=500)
        assert summary.points == ('The user said: "Please look at why the importer of the customer list fails."',)


async def test_where_only_tools_were_at_work_it_says_which(loaded: Loaded) -> None:
    async with loaded() as embedder:
        said = [Spoken("{}", "", "grep", "tool_call"), Spoken("nothing", "", "grep", "tool_result")]
        summary = await LocalSummariser(embedder, embedder).summarise(said, budget_tokens=500)
        assert "1 calls (grep)" in summary.text
        assert (await LocalSummariser(embedder, embedder).summarise([], budget_tokens=500)).text == ""


async def test_an_earlier_summary_is_told_again(loaded: Loaded) -> None:
    async with loaded() as embedder:
        summariser = LocalSummariser(embedder, embedder)
        first = await summariser.summarise(TALK[:60], budget_tokens=150)
        second = await summariser.summarise(TALK[60:], budget_tokens=300, earlier=first.text)
        assert set(first.points) & set(second.points)
        assert set(second.points) - set(first.points)
        alone = await summariser.summarise([], budget_tokens=300, earlier=first.text)
        assert alone.points == first.points


async def test_what_was_decided_outlives_the_small_talk_in_every_later_summary(loaded: Loaded) -> None:
    decided = "We decided to use Postgres 16 because the auditors require row level security."
    nouns = "apple stone river cloud engine paper silver winter garden bottle window mirror".split()

    def chat(talk: int) -> list[Spoken]:
        words = [nouns[(talk * 5 + n * 7) % len(nouns)] for n in range(48)]
        return [
            Spoken(f"The {words[n]} needs the {words[n + 1]} number {talk}{n}, and a {words[n + 2]} is fine.", "user")
            for n in range(0, 45, 3)
        ]

    async with loaded() as embedder:
        summariser = LocalSummariser(embedder, embedder)
        summary = await summariser.summarise([Spoken(decided, "user"), *chat(0)], budget_tokens=200)
        for talk in range(1, 5):
            assert f'The user said: "{decided}"' in summary.points
            summary = await summariser.summarise(chat(talk), budget_tokens=200, earlier=summary.text)
        assert f'The user said: "{decided}"' in summary.points


async def test_every_line_reads_as_an_episode_has_to(loaded: Loaded) -> None:
    async with loaded() as embedder:
        summary = await LocalSummariser(embedder, embedder).summarise(TALK, budget_tokens=800)
        assert summary.points
        # What does not read so is refused, and what is too long would be trimmed.
        assert [written(point, "episode") for point in summary.points] == [(point, False) for point in summary.points]


@pytest.mark.slow
async def test_ten_thousand_messages_cost_no_more_than_a_few_hundred_sentences(loaded: Loaded) -> None:
    async with loaded() as embedder:
        said = [Spoken(f"{one.text} That was number {n} of them.", one.role) for n, one in enumerate(TALK * 80)][
            :10_000
        ]
        before = embedder.statistics().texts
        summary = await LocalSummariser(embedder, embedder).summarise(said, budget_tokens=400)
        assert embedder.statistics().texts - before <= MOST_UNITS
        assert summary.points


async def test_without_a_model_words_decide_and_the_budget_holds() -> None:
    summary = await LocalSummariser(NoModel(), NoModel()).summarise(TALK, budget_tokens=200)
    assert summary.points
    assert len(summary.text) <= 2 * 200


async def test_the_event_loop_stays_free_meanwhile(loaded: Loaded) -> None:
    async with loaded() as embedder:
        turns = 0
        done = anyio.Event()

        async def work() -> None:
            await LocalSummariser(embedder, embedder).summarise(TALK * 20, budget_tokens=400)
            done.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(work)
            while not done.is_set():
                turns += 1
                await anyio.lowlevel.checkpoint()
        assert turns > 100


def test_what_is_quoted_or_supposed_is_not_what_somebody_said() -> None:
    said = [
        Spoken("> We moved the staging database to Oslo in April.\nis that so with the new staging database?", "user"),
        Spoken("Suppose we moved the cache servers to Quito last year.", "user"),
        Spoken("Angenommen, die neue Datenbank liegt in Oslo.", "user"),
        Spoken("We moved the public API to port 8080 in May.", "user"),
    ]
    assert [unit.text for unit in units(said)] == [
        "is that so with the new staging database?",
        "We moved the public API to port 8080 in May.",
    ]


@given(
    st.lists(
        st.tuples(
            st.text(max_size=200), st.sampled_from(["user", "assistant", "tool"]), st.sampled_from(["message", "x"])
        ),
        max_size=30,
    )
)
def test_units_are_sentences_of_messages_in_order_each_once(parts: list[tuple[str, str, str]]) -> None:
    found = units([Spoken(text, role, kind=kind) for text, role, kind in parts])
    assert [unit.place for unit in found] == sorted(unit.place for unit in found)
    assert len({unit.text.casefold() for unit in found}) == len(found) <= MOST_UNITS
    for unit in found:
        assert parts[unit.place][1:] in {("user", "message"), ("assistant", "message")}
        assert '"' not in unit.text
        assert "\n" not in unit.text
