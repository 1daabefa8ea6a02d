import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import case, exhibit
from memoryd_actors.judging.judge import Judgement
from memoryd_actors.judging.local_judge import Gate, LocalJudge, scores, worth_acting_on
from memoryd_actors.memory.case import Case
from memoryd_actors.texts.stems import stems

texts = st.lists(st.text(max_size=80), min_size=1, max_size=6)


async def judged(*memories: str, focus: str, cosine: float = 0.3) -> Judgement:
    return await LocalJudge().judge(case(*memories, focus=focus, cosine=cosine))


async def test_a_memory_that_speaks_of_what_is_asked_is_relevant() -> None:
    told = exhibit("user: Token expiry is computed in UTC. (20 November 2026)", cosine=0.45)
    other = exhibit("user: The login page uses the brand's blue.", cosine=0.2)
    focus = "When do tokens expire, in UTC or local time?"
    judgement = await LocalJudge().judge(Case(focus=focus, window="", exhibits=(told, other)))
    first, second = judgement.verdicts
    assert first.relevant
    assert first.actionable
    assert not second.relevant
    assert judgement.judge == "local"
    assert judgement.usage.cost_usd == 0


async def test_the_reason_names_the_words_as_they_were_asked() -> None:
    judgement = await judged(
        "Token expiry is computed in UTC.", focus="Is the tokens' expiry in UTC or Berlin?", cosine=0.52
    )
    assert judgement.verdicts[0].reason == "3 of 4 words found (tokens, expiry, UTC), cosine 0.52"


async def test_the_reason_of_what_is_dropped_says_by_how_much() -> None:
    judgement = await judged("Alice prefers tabs.", focus="Why is the deployment slow?", cosine=0.1)
    assert judgement.verdicts[0].reason == "0 of 2 words found, cosine 0.10: 0.06 is below 0.38"


async def test_few_are_kept_when_few_are_good() -> None:
    focus = "why does the nightly billing deployment to Frankfurt fail with an expired certificate?"
    strong = exhibit(
        "The nightly deployment of billing to Frankfurt fails because the certificate expired.", cosine=0.6, score=0.5
    )
    weak = exhibit("Billing is slow.", cosine=0.3, score=0.4)
    judgement = await LocalJudge().judge(Case(focus=focus, window="", exhibits=(strong, weak)))
    assert [one.relevant for one in judgement.verdicts] == [True, False]
    alone = await judged("Billing is slow.", focus="is billing slow?", cosine=0.3)
    assert alone.verdicts[0].relevant


async def test_what_ranks_far_below_the_best_is_dropped_whatever_words_it_has() -> None:
    focus = "when do tokens expire?"
    first = exhibit("Tokens expire at midnight.", cosine=0.6, score=0.5)
    last = exhibit("Tokens expire, they say.", cosine=0.6, score=0.2)
    judgement = await LocalJudge().judge(Case(focus=focus, window="", exhibits=(first, last)))
    assert [one.relevant for one in judgement.verdicts] == [True, False]
    assert judgement.verdicts[1].reason.endswith("ranked 0.20, below 0.38")


async def test_where_there_is_an_answer_the_ranking_says_which_memories_hold_it() -> None:
    focus = "where did Caroline go in her boat?"
    question = exhibit("Where did you go in the boat?", cosine=0.55, score=0.4)
    answer = exhibit("Past the lighthouse, Caroline says!", cosine=0.3, score=0.5)
    judgement = await LocalJudge().judge(Case(focus=focus, window="", exhibits=(question, answer)))
    assert all(one.relevant for one in judgement.verdicts)
    alone = await LocalJudge().judge(Case(focus=focus, window="", exhibits=(answer,)))
    assert not alone.verdicts[0].relevant


@pytest.mark.parametrize("focus", ["", "thanks!", "ok, go on please", "danke, mach weiter", "👍"])
async def test_a_focus_without_a_question_brings_up_nothing(focus: str) -> None:
    judgement = await judged("Token expiry is computed in UTC.", "Alice prefers tabs.", focus=focus, cosine=0.5)
    assert not any(one.relevant for one in judgement.verdicts)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("expiring tokens", "The token expires."),
        ("studies", "She studied it."),
        ("max_retries", "Set max_retries to 3."),
        ("what is in app.py?", "src/app.py holds the composition root"),
        ("port 8443", "It listens on 8443."),
        ("die Größe der Tabelle", "Größe: 4 GB"),
        ("日本語の設定", "設定は日本語です"),
    ],
)
def test_words_are_found_in_their_forms(asked: str, told: str) -> None:
    (score,) = scores(asked, [exhibit(told)], Gate())
    assert score.found


@pytest.mark.parametrize("word", ["what", "the", "warum", "nicht", "pourquoi", "avec"])
def test_stop_words_of_three_languages_carry_nothing(word: str) -> None:
    assert not stems(word)


@pytest.mark.parametrize(
    ("text", "category", "worth"),
    [
        ("Caroline: Hey Mel! Good morning! (8 May 2023)", "fact", False),
        ("user: Thanks, that's awesome!", "fact", False),
        ("ok", "observation", False),
        ("Use tabs.", "preference", True),
        ("Token expiry is computed in UTC.", "fact", True),
        ("No!", "correction", True),
    ],
)
def test_small_talk_is_not_worth_acting_on(text: str, category: str, worth: bool) -> None:
    assert worth_acting_on(exhibit(text, category=category)) is worth


def test_a_rare_word_tells_more_than_one_that_all_candidates_have() -> None:
    memories = [exhibit("the billing report in Frankfurt"), *(exhibit(f"the billing report {n}") for n in range(8))]
    rare, common = scores("billing Frankfurt", memories, Gate())[0], scores("billing Munich", memories, Gate())[0]
    assert rare.total - 0.15 > 1.5 * (common.total - 0.15)


def test_a_long_text_that_contains_everything_counts_less() -> None:
    filler = " ".join(f"word{n}" for n in range(120))
    short, long = scores("token expiry", [exhibit("token expiry"), exhibit(f"token expiry {filler}")], Gate())
    assert short.total > long.total


@given(st.text(max_size=120), texts, st.floats(-1, 1))
def test_scores_are_bounded(focus: str, memories: list[str], cosine: float) -> None:
    for score in scores(focus, [exhibit(text, cosine=cosine) for text in memories], Gate()):
        assert 0.0 <= score.total <= 1.0
        assert len(score.found) <= score.asked


@given(st.text(max_size=120), st.text(max_size=80), st.floats(-1, 0.9), st.floats(0, 0.1))
def test_a_nearer_memory_never_scores_lower(focus: str, text: str, cosine: float, nearer: float) -> None:
    (far,) = scores(focus, [exhibit(text, cosine=cosine)], Gate())
    (near,) = scores(focus, [exhibit(text, cosine=cosine + nearer)], Gate())
    assert near.total >= far.total
