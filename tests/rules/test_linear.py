"""Every rule that reads a text takes time in proportion to it, whatever somebody writes."""

import gc
import random
from collections.abc import Iterator

import pytest
from benchmarks.hostile_texts import RULES, growth, seconds, texts

from memoryd.documents.html import html

SMALL, BIG = 2_000, 8_000
SUSPICIOUS_S = 0.002
"""For 2 kB. What is quadratic takes longer, with half a nanosecond for each step of four million; what takes less is
read once only."""
MOST = 9.0
"""Times, for four times the text: in proportion it is four, squared it is sixteen."""


@pytest.fixture(autouse=True, scope="module")
def undisturbed() -> Iterator[None]:
    """Keep the collector of garbage out of what is measured."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def slow_texts(name: str, *, drawn: int, seed: int, most: int) -> list[str]:
    """Return the texts, of at most so many, for which a rule takes longer than in proportion."""
    rule = RULES[name]
    seconds(rule, "Warm up, please.")
    found: list[str] = []
    both = zip(texts(SMALL, drawn=drawn, seed=seed), texts(BIG, drawn=drawn, seed=seed), strict=True)
    each = list(both)
    for (label, small), (_, big) in random.Random(name).sample(each, min(most, len(each))):
        by_size = {SMALL: small, BIG: big}
        # Twice: the first text of a language has its patterns compiled. `growth` puts something else behind each.
        slow = min(seconds(rule, f"{small}{number}.") for number in range(2)) > SUSPICIOUS_S
        if slow and growth(rule, by_size.__getitem__, SMALL, BIG) > MOST:
            found.append(label)
    return found


@pytest.mark.parametrize("name", RULES)
def test_a_rule_that_reads_texts_takes_time_in_proportion_to_them(name: str) -> None:
    assert slow_texts(name, drawn=200, seed=1, most=15) == []


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", RULES)
def test_no_text_of_a_wider_search_is_slow(name: str) -> None:
    assert slow_texts(name, drawn=1_000, seed=2, most=2_000) == []


@pytest.mark.parametrize("piece", ["<a ", "<a b=c ", '<a b="', "<a/", "</a <b ", "<!-- ", "<!-- a>", "<![CDATA[", "<?"])
def test_a_page_in_which_nothing_ends_is_read_in_proportion_to_it(piece: str) -> None:
    assert growth(html, lambda size: piece * (size // len(piece)), SMALL, BIG) < MOST


@pytest.mark.parametrize("text", ["a" + "'m" * 4_000, "9" * 5_000 + "th", "one" + " million" * 1_000])
def test_no_long_word_or_number_is_too_much_for_a_rule(text: str) -> None:
    for rule in RULES.values():
        seconds(rule, text)
