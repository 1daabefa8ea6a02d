"""What rules keep of chats about code, on turns that they were made on and on others."""

from datetime import UTC, datetime

import pytest
from benchmarks.coding_chats import NAMES, kept, read, score

from memoryd_actors.admission.writing import MAX_FACT
from memoryd_actors.extraction import InputMessage, stated
from memoryd_actors.extraction.telling import TELLINGS

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def user(text: str, sequence: int = 1) -> InputMessage:
    return InputMessage(sequence, "user", "", text, AT)


def assistant(text: str, sequence: int = 1) -> InputMessage:
    return InputMessage(sequence, "assistant", "", text, AT)


def test_of_turns_that_the_rules_were_made_on_hardly_any_junk_is_kept_and_little_is_missed() -> None:
    figures = score(read("tuned"))
    assert figures.precision >= 0.98
    assert figures.recall >= 0.9


def test_of_other_turns_half_is_found_and_junk_stays_the_exception() -> None:
    figures = score(read("held_out"))
    assert figures.precision >= 0.9
    assert figures.recall >= 0.5


def test_every_language_of_the_tables_is_measured() -> None:
    for name in NAMES:
        turns = read(name)
        assert {one.language for one in turns} == {one.code for one in TELLINGS}
        for one in turns:
            assert all(part in one.text.replace('"', "'") for part in one.keep)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_kept_of_thanks_tasks_and_states_whatever_else_is_said_in_the_turn(name: str) -> None:
    trivia = [one for one in read(name) if not one.keep]
    assert sum(bool(kept(one)) for one in trivia) <= len(trivia) / 12


def test_a_preference_is_found_in_the_middle_of_a_long_chat_about_something_else() -> None:
    said = [user("the page is still loading", 1), assistant("I'll look at the router.", 2)] * 30
    found = stated([*said, user("I prefer tabs over spaces.", 61), *said])
    assert [(one.content, one.category) for one in found] == [
        ('The user said: "I prefer tabs over spaces."', "preference")
    ]


@pytest.mark.parametrize(
    ("said", "category"),
    [
        ("Wrong. The webhook secret rotates every 90 days, it is not static.", "correction"),
        ("Das stimmt nicht. Der Server steht in Wien, nicht in Graz.", "correction"),
        ("Mir sind kleine Commits lieber als ein großer.", "preference"),
        ("Avoid abbreviations in variable names, I find them hard to read.", "preference"),
    ],
)
def test_what_is_said_in_so_many_words_has_its_category(said: str, category: str) -> None:
    assert [one.category for one in stated([user(said)])][:1] == [category]


@pytest.mark.parametrize(
    "piece",
    ["we use the ", "our api ", "no, ", "the ", "a/b ", "Die ", "on ", "x, ", "not ", "é ", "and I ", "since we 3 "],
)
def test_a_long_text_made_of_one_piece_is_done_before_the_test_times_out(piece: str) -> None:
    found = stated([user(piece * 50_000), user(f"{piece * 12}. " * 300), assistant(piece * 50_000)])
    assert all(len(one.content) <= MAX_FACT for one in found)


@pytest.mark.parametrize(
    "said",
    [
        "we hebben nog een probleem met de tests in deze module",
        "nós temos uma falha e não sei o que fazer com isso",
        "mamy problem z tego i nie jest to na teraz",
        "non abbiamo il file che serve per questo test",
    ],
)
def test_what_is_said_in_a_language_without_a_table_is_left(said: str) -> None:
    assert stated([user(said)]) == []
