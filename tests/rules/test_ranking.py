from datetime import UTC, datetime
from itertools import count
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.memory.fusion import Ranked
from memoryd_actors.searching.ranking import LONGEST_TEXT, RankingWeights, rank
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.memory import Memory, Source

NOW = datetime(2026, 11, 20, tzinfo=UTC)
Pool = list[tuple[Ranked, Memory]]
_numbers = count()


def candidate(
    content: str,
    *,
    cosine: float = 0.3,
    words: float = 0.0,
    speaker: str = "",
    session: str = "",
    at: int | tuple[int, int] | None = None,
    occurred: datetime | None = None,
    source: Source = Source.AGENT,
    category: str = "fact",
) -> tuple[Ranked, Memory]:
    name = f"mem_{next(_numbers):06d}"
    memory = Memory(
        id=name,
        owner="local",
        content=content,
        category=category,
        speaker=speaker,
        session=session,
        source_messages=(at, at) if isinstance(at, int) else at,
        occurred_at=occurred,
        source=source,
        created_at=NOW,
        updated_at=NOW,
    )
    return Ranked(name, cosine, words, 0.0), memory


def first(question: str, pool: Pool, weights: RankingWeights | None = None) -> str:
    best = rank(question, pool, weights or RankingWeights())[0].id
    return next(memory.content for one, memory in pool if one.id == best)


def answer(content: str, *, session: str = "", at: int | tuple[int, int], cosine: float = 0.3) -> tuple[Ranked, Memory]:
    return candidate(content, speaker="Ann", session=session, at=at, cosine=cosine)


def test_what_comes_after_a_question_is_found_by_it() -> None:
    pool = [
        answer("Oh, it was the old lighthouse!", session="s", at=8, cosine=0.2),
        answer("Nothing much, same as ever.", session="s", at=3, cosine=0.2),
        answer("Where did you go sailing to?", session="s", at=7, cosine=0.7),
    ]
    order = [one.id for one in rank("Where did they go sailing?", pool)]
    assert order.index(pool[0][0].id) < order.index(pool[1][0].id)


def test_a_neighbour_counts_only_within_its_own_session() -> None:
    question = answer("Where did you go sailing to?", session="s", at=7, cosine=0.7)
    pool = [answer("It was the lighthouse.", session="t", at=8), answer("It was a forest.", at=8), question]
    scores = {one.id: one.score for one in rank("Where did they go sailing?", pool)}
    plain = rank("Where did they go sailing?", [answer("It was a forest.", at=8), question])
    assert scores[pool[1][0].id] == min(one.score for one in plain)
    # Another session counts for itself alone.
    alone = rank("Where did they go sailing?", [pool[0], question])
    assert scores[pool[0][0].id] == min(one.score for one in alone)


def test_what_is_told_to_an_assistant_stands_by_itself_whatever_was_said_before() -> None:
    def after(speaker: str) -> float:
        pool = [
            candidate("It was a forest.", speaker=speaker, session="s", at=8),
            candidate("Where did you go sailing to?", speaker=speaker, session="s", at=7, cosine=0.7),
        ]
        near = next(one.score for one in rank("sailing", pool) if one.id == pool[0][0].id)
        pool[0] = candidate("It was a forest.", speaker=speaker, session="s", at=20)
        return near - next(one.score for one in rank("sailing", pool) if one.id == pool[0][0].id)

    assert after("Ann") > 0
    assert after("user") == after("assistant") == after("") == 0


def test_memories_of_several_messages_are_neighbours_where_they_touch() -> None:
    pool = [
        answer("It was a forest.", session="s", at=(10, 11), cosine=0.2),
        answer("It was a meadow.", session="s", at=(13, 15), cosine=0.2),
        answer("sailing", session="s", at=(7, 9), cosine=0.9),
    ]
    scores = {one.id: one.score for one in rank("sailing", pool)}
    assert scores[pool[0][0].id] > scores[pool[1][0].id]


def test_a_long_message_speaks_for_itself() -> None:
    near = answer("sailing", session="s", at=1, cosine=0.9)
    brief = answer("So it was.", session="s", at=2)
    lengthy = answer("So it was. " * 60, session="s", at=2)
    around = RankingWeights(substance=0.0)
    scores = {one.id: one.score for one in rank("sailing", [near, brief], around)}
    others = {one.id: one.score for one in rank("sailing", [near, lengthy], around)}
    assert scores[brief[0].id] > others[lengthy[0].id]


def test_a_memory_gains_by_its_session_being_about_what_is_asked() -> None:
    topic = [candidate(f"sailing {n}", session="s", at=10 * n, cosine=0.7) for n in range(3)]
    inside, outside = candidate("we were wet", session="s", at=50), candidate("we were wet", session="t", at=50)
    order = [one.id for one in rank("sailing", [outside, inside, *topic])]
    assert order.index(inside[0].id) < order.index(outside[0].id)


def test_whoever_the_question_names_is_heard_first() -> None:
    pool = [candidate("I paint.", speaker="Melanie Ann"), candidate("I paint.", speaker="Caroline")]
    assert rank("What does Caroline do?", pool)[0].id == pool[1][0].id
    assert rank("What is Melanie's hobby?", pool)[0].id == pool[0][0].id


def test_the_role_of_a_speaker_is_no_name() -> None:
    pool = [candidate("It is late.", speaker="assistant"), candidate("It is late.", speaker="agent")]
    scores = {one.score for one in rank("What did the assistant say?", pool)}
    assert len(scores) == 1


def test_the_users_own_words_come_before_what_was_made_of_them() -> None:
    pool = [candidate("My limit is 500.", speaker="assistant"), candidate("My limit is 500.", speaker="user")]
    assert rank("What is my limit?", pool)[0].id == pool[1][0].id
    stored = [candidate("My limit is 500."), candidate("My limit is 500.", source=Source.USER)]
    assert rank("What is my limit?", stored)[0].id == stored[1][0].id


def test_an_interjection_comes_after_what_says_something() -> None:
    pool = [candidate("Sailing!", speaker="Ann"), candidate("We went sailing to the lighthouse.", speaker="Ann")]
    assert first("sailing", pool) == "We went sailing to the lighthouse."


def test_an_order_to_an_assistant_may_be_short() -> None:
    pool = [candidate("Sailing!", speaker="user"), candidate("We went sailing to the lighthouse.", speaker="user")]
    scores = {one.score for one in rank("sailing", pool)}
    assert len(scores) == 1


def test_interjections_have_an_order_among_themselves() -> None:
    pool = [candidate("b", cosine=0.1, speaker="Ann"), candidate("a", cosine=0.2, speaker="Ann")]
    ranked = rank("sailing", pool)
    assert ranked[0].id == pool[1][0].id
    assert [one.score for one in ranked] == [0.0, 0.0]


def test_a_rule_comes_before_other_memories_that_are_as_near() -> None:
    pool = [candidate("Flights are booked with the agency."), candidate("Always book flights with the agency.")]
    assert first("Which flights did we book?", pool) == "Always book flights with the agency."
    stored = [candidate("Book with the agency."), candidate("Book by the agency.", category="procedure")]
    assert first("Which flights did we book?", stored) == "Book by the agency."


def test_a_preference_comes_first_where_advice_is_asked_for() -> None:
    pool = [candidate("I like the train.", cosine=0.4), candidate("I prefer the train.", cosine=0.38)]
    assert first("How should I travel?", pool) == "I prefer the train."
    assert first("When did we travel?", pool) == "I like the train."


def test_a_named_month_lifts_what_happened_in_it() -> None:
    pool = [
        candidate("We sailed.", occurred=datetime(2023, 6, 1, tzinfo=UTC)),
        candidate("We sailed too.", occurred=datetime(2023, 5, 1, tzinfo=UTC)),
        candidate("We sailed then."),
    ]
    assert first("What did they do in May 2023?", pool) == "We sailed too."


def test_a_word_that_all_candidates_have_tells_less_than_a_rare_one() -> None:
    pool = [
        candidate("Caroline left the meeting"),
        candidate("She likes her pottery now"),
        *(candidate(f"Caroline said {n} things") for n in range(6)),
    ]
    assert first("Caroline, pottery", pool) == "She likes her pottery now"


def test_words_match_by_their_stems_and_short_ones_whole() -> None:
    only_words = RankingWeights(meaning=0.0, index_words=0.0, substance=0.0)
    assert first("painting", [candidate("a saint"), candidate("she painted it")], only_words) == "she painted it"
    assert first("cat", [candidate("a category"), candidate("two cats")], only_words) == "two cats"
    assert first("猫の写真", [candidate("犬の家"), candidate("猫の写真だ")], only_words) == "猫の写真だ"


def test_a_long_text_is_read_at_its_beginning_only() -> None:
    only_words = RankingWeights(meaning=0.0, index_words=0.0, substance=0.0)
    hidden = candidate("x " * LONGEST_TEXT + "lighthouse")
    assert {one.score for one in rank("lighthouse", [hidden, candidate("y")], only_words)} == {0.0}


pools = st.lists(
    st.builds(
        candidate,
        st.text(max_size=40),
        cosine=st.floats(-1, 1),
        words=st.floats(0, 1),
        speaker=st.sampled_from(["", "user", "Ann", "Bob B."]),
        session=st.sampled_from(["", "s", "t"]),
        at=st.none() | st.integers(0, 6) | st.tuples(st.integers(0, 6), st.integers(0, 6)),
        occurred=st.none() | st.just(NOW),
    ),
    max_size=12,
)


@given(st.text(max_size=80), pools, st.randoms())
def test_a_ranking_is_bounded_sorted_and_does_not_depend_on_the_order(
    question: str, pool: Pool, random: Random
) -> None:
    ranked = rank(question, pool)
    assert sorted(one.id for one in ranked) == sorted(one.id for one, _ in pool)
    assert all(0.0 <= one.score <= 1.0 for one in ranked)
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    shuffled = list(pool)
    random.shuffle(shuffled)
    again = {one.id: one.score for one in rank(question, shuffled)}
    assert all(abs(again[one.id] - one.score) < 1e-9 for one in ranked)


def test_every_boost_is_told_apart_and_part_of_the_score() -> None:
    pool = [
        candidate("Where did you go sailing to?", session="s", at=7, cosine=0.7, words=0.5),
        candidate("To the lighthouse.", session="s", at=8, speaker="Ana", occurred=datetime(2026, 5, 3, tzinfo=UTC)),
        candidate("Nothing much, same as ever.", speaker="user"),
    ]
    boosts = {one.id: dict(one.boosts) for one in rank("Where did Ana go sailing in May 2026?", pool)}
    asked, answer, alone = (boosts[one.id] for one, _ in pool)
    assert asked.keys() >= {"session", "neighbours"}
    assert answer.keys() >= {"session", "neighbours", "named speaker", "month"}
    assert alone.keys() & {"session", "neighbours", "named speaker", "own voice", "month"} == {"own voice"}


def test_without_words_and_meaning_the_boosts_are_the_score() -> None:
    (one,) = rank("lighthouse", [candidate("x" * 300, cosine=0.0, speaker="user")])
    assert abs(sum(more for _, more in one.boosts) - one.score) < 1e-9
    assert one.score > 0


def test_what_is_related_to_a_strong_candidate_gains_by_the_strength_of_the_edge() -> None:
    pool = [candidate("The bakery opens at six.", cosine=0.8, words=1.0)]
    pool += [candidate(f"Something else, number {n}.", cosine=0.3) for n in range(6)]
    (_, strong), *_, (_, last), (_, joined) = pool
    edge = Edge(from_id=joined.id, to_id=strong.id, relation="depends_on", strength=0.8)
    before, after = rank("bakery", pool), rank("bakery", pool, edges=[edge])
    assert [one.id for one in before][1:].index(joined.id) > 0
    assert [one.id for one in after][1] == joined.id
    assert "related" in dict(after[1].boosts)
    assert {one.id: one.score for one in before}[last.id] == {one.id: one.score for one in after}[last.id]
    fate = Edge(from_id=joined.id, to_id=strong.id, relation="supersedes", strength=1.0)
    assert rank("bakery", pool, edges=[fate]) == before
    near = Edge(from_id=joined.id, to_id=strong.id, relation="related_to", strength=0.8)
    assert rank("bakery", pool, edges=[near]) == before


def test_of_two_that_are_as_near_the_one_that_faded_comes_later_and_age_alone_moves_nothing() -> None:
    pool = [candidate("The bakery opens at six."), candidate("The bakery opens at six.")]
    faded = rank("bakery", pool, decay=[0.01, 0.5])
    assert [one.id for one in faded] == [pool[1][1].id, pool[0][1].id]
    assert dict(faded[1].boosts)["decay"] < 0
    assert rank("bakery", pool, decay=[0.02, 0.02]) == rank("bakery", pool) == rank("bakery", pool, decay=[0.0, 0.0])


def test_decay_outweighs_no_better_answer() -> None:
    pool = [candidate("The bakery opens at six.", cosine=0.8), candidate("The bakery is closed.", cosine=0.6)]
    assert rank("bakery", pool, decay=[0.0, 50.0])[0].id == pool[0][1].id


def test_of_two_that_are_else_alike_the_one_that_is_trusted_more_comes_first() -> None:
    pool = [candidate("the bakery opens at seven"), candidate("the bakery opens at eight")]
    one_id, other_id = (one.id for one, _ in pool)
    assert [one.id for one in rank("when does the bakery open", pool, trust=[1.0, 0.5])] == [one_id, other_id]
    assert [one.id for one in rank("when does the bakery open", pool, trust=[0.5, 1.0])] == [other_id, one_id]
    assert rank("bakery", pool, trust=[0.5, 0.5]) == rank("bakery", pool)
