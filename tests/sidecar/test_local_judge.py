import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cases import case, exhibit
from memoryd_actors.judging.judge import Judgement
from memoryd_actors.judging.local_judge import (
    THRESHOLDS,
    JudgeWeights,
    LocalJudge,
    features,
    likelihood,
    worth_acting_on,
)
from memoryd_actors.memory.case import Case, Exhibit, StoreStatistics
from memoryd_actors.texts.stems import stem_set, stems

texts = st.lists(st.text(max_size=80), min_size=1, max_size=6)


def among_a_hundred(judged: Case) -> Case:
    """The same case, where ninety-odd memories that share no word with it are stored as well."""
    held = [stem_set(exhibit.text) for exhibit in judged.exhibits]
    df = {stem: sum(stem in words for words in held) for stem in stems(judged.focus)}
    return replace(judged, store=StoreStatistics(100, df))


async def judge_all(focus: str, *exhibits: Exhibit) -> Judgement:
    return await LocalJudge().judge(among_a_hundred(Case(focus=focus, window="", exhibits=exhibits)))


async def judged(*memories: str, focus: str, cosine: float = 0.3) -> Judgement:
    return await judge_all(focus, *case(*memories, focus=focus, cosine=cosine).exhibits)


async def test_a_memory_that_speaks_of_what_is_asked_is_relevant() -> None:
    told = exhibit("user: Token expiry is computed in UTC. (20 November 2026)", cosine=0.45)
    other = exhibit("user: The login page uses the brand's blue.", cosine=0.2)
    focus = "When do tokens expire, in UTC or local time?"
    judgement = await judge_all(focus, told, other)
    first, second = judgement.verdicts
    assert first.relevant
    assert first.actionable
    assert not second.relevant
    assert judgement.judge == "local"
    assert judgement.usage.cost_usd == 0


async def test_the_reason_names_the_words_as_they_were_asked_and_says_what_is_missing() -> None:
    kept = await judged(
        "Token expiry is computed in UTC.", focus="Is the tokens' expiry in UTC or Berlin?", cosine=0.52
    )
    assert kept.verdicts[0].reason.startswith("3 of 4 words found (tokens, expiry, UTC), cosine 0.52: likelihood 0.")
    assert kept.verdicts[0].relevant
    dropped = await judged("Alice prefers tabs.", focus="Why is the deployment slow?", cosine=0.1)
    assert dropped.verdicts[0].reason == "0 of 2 words found, cosine 0.10: likelihood 0.00 is below 0.20"


async def test_the_best_one_comes_alone_unless_another_is_nearly_as_good() -> None:
    focus = "why does the nightly billing deployment to Frankfurt fail with an expired certificate?"
    strong = exhibit(
        "The nightly deployment of billing to Frankfurt fails because the certificate expired.", cosine=0.7
    )
    weak = exhibit("Billing is slow.", cosine=0.3)
    judgement = await judge_all(focus, strong, weak)
    assert [one.relevant for one in judgement.verdicts] == [True, False]
    assert "% of the best one's" in judgement.verdicts[1].reason
    several = await judge_all(focus, *[strong] * 5)
    assert [one.relevant for one in several.verdicts] == [True, True, True, False, False]


@given(st.floats(0.01, 1.0), st.floats(-0.5, 1.0))
async def test_the_message_that_is_ranked_best_is_as_likely_as_the_likeliest_memory_and_no_more(
    place: float, cosine: float
) -> None:
    told = exhibit("The wiki is backed up at 03:20 UTC.", cosine=cosine, score=place / 2)
    message = exhibit("At what time is the backup of the wiki?", cosine=0.4, score=place, speaker="Tom")
    together = await judge_all("when is the wiki backed up?", told, message)
    likeliest = max(together.verdicts, key=lambda verdict: verdict.score)
    assert together.verdicts[1].score == likeliest.score
    assert likeliest.score in {
        likelihood(each.values, JudgeWeights())
        for each in features(among_a_hundred(Case("when is the wiki backed up?", "", (told, message))))[0]
    }


async def test_which_messages_of_a_conversation_hold_the_answer_says_the_ranking() -> None:
    focus = "where did Caroline go in her boat last summer?"
    question = exhibit("Where did you go in the boat last summer?", cosine=0.65, score=0.4, speaker="Melanie")
    answer = exhibit("Past the lighthouse, in her boat!", cosine=0.4, score=0.5, speaker="Caroline")
    behind = exhibit("Caroline went in her boat, they say.", cosine=0.6, score=0.2, speaker="Tom")
    judgement = await judge_all(focus, question, answer, behind)
    assert [one.relevant for one in judgement.verdicts] == [True, True, False]
    assert judgement.verdicts[1].score > judgement.verdicts[0].score
    assert judgement.verdicts[2].reason.endswith("ranked 0.20: too far behind the best")


async def test_the_more_is_stored_the_nearer_something_has_to_be() -> None:
    near = exhibit("Alice prefers tabs to spaces.", cosine=0.45)

    async def kept(memories: int) -> bool:
        store = StoreStatistics(memories, {})
        case = Case(focus="how does Alice like it indented?", window="", exhibits=(near,), store=store)
        return (await LocalJudge().judge(case)).verdicts[0].relevant

    assert await kept(2)
    assert not await kept(100_000)


async def test_strictness_says_how_likely_it_has_to_be() -> None:
    found = among_a_hundred(
        case("The staging cluster runs in Frankfurt.", focus="is staging in Frankfurt down again?", cosine=0.38)
    )
    score = (await LocalJudge().judge(found)).verdicts[0].score
    kept = {strictness: (await LocalJudge(strictness).judge(found)).verdicts[0].relevant for strictness in THRESHOLDS}
    assert kept == {strictness: score >= threshold for strictness, threshold in THRESHOLDS.items()}
    assert list(THRESHOLDS.values()) == sorted(THRESHOLDS.values(), reverse=True)


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
    (found,), _ = features(case(told, focus=asked))
    assert found.found


@pytest.mark.parametrize("word", ["what", "the", "warum", "nicht", "mit"])
def test_stop_words_of_both_languages_carry_nothing(word: str) -> None:
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


def values(focus: str, *exhibits: Exhibit) -> list[tuple[float, ...]]:
    return [one.values for one in features(Case(focus=focus, window="", exhibits=exhibits))[0]]


def test_a_rare_word_tells_more_than_one_that_all_candidates_have() -> None:
    memories = [exhibit("the billing report in Frankfurt"), *(exhibit(f"the billing report {n}") for n in range(8))]
    judged = [likelihood(one, JudgeWeights()) for one in values("billing Frankfurt", *memories)]
    assert judged[0] > 2 * judged[1]


def test_a_long_text_that_contains_everything_counts_less() -> None:
    filler = " ".join(f"word{n}" for n in range(120))
    short, long = values("token expiry", exhibit("token expiry"), exhibit(f"token expiry {filler}"))
    assert likelihood(short, JudgeWeights()) > likelihood(long, JudgeWeights())


@given(st.text(max_size=120), texts, st.floats(-1, 1))
async def test_likelihoods_are_bounded(focus: str, memories: list[str], cosine: float) -> None:
    judgement = await judged(*memories, focus=focus, cosine=cosine)
    for verdict in judgement.verdicts:
        assert 0.0 <= verdict.score <= 1.0


@given(st.text(max_size=120), st.text(max_size=80), st.floats(-1, 0.9), st.floats(0, 0.1))
def test_a_nearer_memory_is_never_less_likely(focus: str, text: str, cosine: float, nearer: float) -> None:
    (far,) = values(focus, exhibit(text, cosine=cosine))
    (near,) = values(focus, exhibit(text, cosine=cosine + nearer))
    assert likelihood(near, JudgeWeights()) >= likelihood(far, JudgeWeights())
