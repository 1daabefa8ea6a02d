"""Whether a conversation turned to something else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from memoryd_actors.ports.embedder import Vectors
from memoryd_actors.recall.focus import Exchange, find_focus
from memoryd_actors.recall.topic import PLAIN, TopicRule, is_short, topic_change, topic_words, word_overlap
from memoryd_actors.texts.stems import stems
from memoryd_client import Message

ASKED = "which vegetables grow well in clay soil?"
EARLIER = ("It is the expiry of the token.", "why does the login test fail at midnight?")
RULES: tuple[TopicRule, ...] = ("exchange", "request", "message")


def vectors(*cosines: float) -> Vectors:
    """Return unit vectors with these cosines to the first one, which is (1, 0, 0)."""
    return np.array([(cosine, (1 - cosine * cosine) ** 0.5, 0.0) for cosine in (1.0, *cosines)], np.float32)


@pytest.mark.parametrize("rule", RULES)
def test_the_topic_changes_when_no_recent_message_is_near(rule: TopicRule) -> None:
    topic = topic_change(Exchange(ASKED, "", EARLIER), vectors(0.05, 0.0), rule=rule, threshold=0.3)
    assert topic.changed
    assert topic.similarity is not None
    assert topic.similarity < 0.3


@pytest.mark.parametrize("rule", RULES)
def test_a_near_message_is_enough_to_stay_on_topic(rule: TopicRule) -> None:
    topic = topic_change(Exchange(ASKED, "", EARLIER), vectors(0.8, 0.6), rule=rule, threshold=0.3)
    assert not topic.changed


def test_the_seed_looks_at_one_message_only_and_the_others_at_two() -> None:
    exchange, far_then_near = Exchange(ASKED, "", EARLIER), vectors(0.1, 0.9)
    assert topic_change(exchange, far_then_near, rule="message", threshold=0.3).changed
    assert not topic_change(exchange, far_then_near, rule="request", threshold=0.3).changed
    assert not topic_change(exchange, far_then_near, rule="exchange", threshold=0.3).changed


def test_a_reply_that_is_about_what_came_before_keeps_the_topic() -> None:
    near = np.array([(1, 0, 0), (0, 1, 0), (0, 1, 0), (0, 0.9, 0.43)], np.float32)
    far = np.array([(1, 0, 0), (0.9, 0, 0.43), (0, 1, 0), (0, 1, 0)], np.float32)
    exchange = Exchange("and without the lock in between?", "Then it waits.", EARLIER)
    assert not topic_change(exchange, near, rule="exchange", threshold=0.3).changed
    assert topic_change(exchange, far, rule="exchange", threshold=0.3).changed


def test_before_its_reply_is_known_only_a_plain_change_counts() -> None:
    unclear = vectors(0.3, 0.2)
    asked = topic_change(Exchange(ASKED, "", EARLIER), unclear, rule="exchange", threshold=0.3)
    assert not asked.changed
    assert asked.similarity is not None
    assert 0.3 - PLAIN < asked.similarity < 0.3
    answered = np.vstack([unclear[:1], unclear])
    assert topic_change(Exchange(ASKED, "Beans do.", EARLIER), answered, rule="exchange", threshold=0.3).changed


def test_words_in_common_keep_the_topic_where_vectors_are_far() -> None:
    said = ("How long does the lock of ledger.db last?", "The lock of ledger.db lasts five seconds.")
    exchange = Exchange("who else takes the lock of ledger.db", "The backup takes the lock.", said)
    far = np.eye(4, dtype=np.float32)
    assert not topic_change(exchange, far * 1.0, rule="exchange", threshold=0.1).changed
    other = Exchange("who else paints houses in Bremen", "Several firms.", said)
    assert topic_change(other, far, rule="exchange", threshold=0.1).changed


@pytest.mark.parametrize(
    "said", ["thank you, that is all I need, have a great day", "ja, super, vielen Dank!", "parfait, merci beaucoup"]
)
def test_thanks_decide_nothing(said: str) -> None:
    exchange = Exchange(said, "Bye!", EARLIER)
    assert not topic_change(exchange, vectors(1, -1, -1), rule="exchange", threshold=1.0).changed


@pytest.mark.parametrize("said", ["weather?", "yes, do that", "ok", "", "🙂"])
@pytest.mark.parametrize("rule", ["exchange", "request"])
def test_very_short_messages_decide_nothing(said: str, rule: TopicRule) -> None:
    exchange = Exchange(said, "Bye!", EARLIER)
    assert not topic_change(exchange, vectors(1, -1, -1), rule=rule, threshold=1.0).changed


def test_a_first_message_decides_nothing() -> None:
    for rule in RULES:
        topic = topic_change(Exchange(ASKED, "", ()), vectors(), rule=rule, threshold=1.0)
        assert not topic.changed
        assert topic.similarity is None


def test_words_that_can_name_a_topic_are_counted_in_three_languages() -> None:
    assert topic_words("thanks, great! and which train goes to Cambridge?") == 3
    assert topic_words("danke, prima! welcher Zug fährt nach Bremen?") >= 3
    assert topic_words("merci, parfait ! quel train va à Lyon ?") >= 2
    assert is_short("and then what")
    assert not is_short("and then what happens")


texts = st.text(max_size=40)


@given(
    st.builds(Exchange, request=texts, reply=texts, before=st.lists(texts, max_size=2).map(tuple)),
    st.data(),
    st.sampled_from(RULES),
)
def test_a_lower_threshold_never_finds_more_changes(exchange: Exchange, data: st.DataObject, rule: TopicRule) -> None:
    shape = (len(exchange.texts), 3)
    given_ = data.draw(arrays.arrays(np.float32, shape, elements=st.floats(-1, 1, width=32)))
    lengths = np.linalg.norm(given_, axis=1, keepdims=True)
    unit = np.where(lengths > 1e-3, given_ / np.maximum(lengths, 1e-3), np.array([1, 0, 0], np.float32))
    low, high = (topic_change(exchange, unit, rule=rule, threshold=bar) for bar in (0.1, 0.5))
    assert low.similarity == high.similarity
    assert high.changed or not low.changed
    assert low.similarity is None or np.isfinite(low.similarity)


@given(texts, texts)
def test_word_overlap_is_a_symmetric_share(one: str, other: str) -> None:
    overlap = word_overlap([one], [other])
    assert 0.0 <= overlap <= 1.0 + 1e-9
    assert overlap == pytest.approx(word_overlap([other], [one]))
    assert word_overlap([one], [one]) == pytest.approx(1.0 if stems(one) else 0.0)


def test_the_next_context_knows_the_reply_of_the_turn_before() -> None:
    said = [
        Message("user", "the migration locks the table"),
        Message("assistant", "use a concurrent index"),
        Message("user", "why does the login test fail?"),
        Message("assistant", "let me look at it"),
        Message("assistant", "the token expires in UTC"),
        Message("user", "and in winter?"),
    ]
    focus = find_focus(said, "turn")
    assert focus is not None
    assert focus.last_turn == Exchange(
        "why does the login test fail?",
        "the token expires in UTC",
        ("use a concurrent index", "the migration locks the table"),
    )
    assert focus.turn == Exchange("and in winter?", "", ("the token expires in UTC", "why does the login test fail?"))
    assert find_focus(said, "error") is not None
    assert getattr(find_focus(said, "error"), "turn", ...) is None
