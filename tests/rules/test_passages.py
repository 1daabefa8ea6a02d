from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.texts.passages import LONGEST, passages


@given(st.text(alphabet=st.sampled_from("ab .!?\n東é,\t"), max_size=6_000))
def test_passages_are_short_and_together_are_the_whole_text(text: str) -> None:
    found = passages(text)
    at = 0
    for start, end in found:
        assert text[at:start].strip() == ""
        assert (
            0 < len(text[start:end].encode()) <= LONGEST + 3 * len(text[start:end]) - 3 * len(text[start:end].strip())
        )
        at = end
    assert text[at:].strip() == ""


def test_a_passage_ends_where_a_sentence_does() -> None:
    sentence = "The quick brown fox jumps over the lazy dog. "
    text = sentence * 100
    found = passages(text)
    assert len(found) > 5
    assert all(text[start:end].strip().endswith("dog.") for start, end in found)
    assert min(end - start for start, end in found[:-1]) > LONGEST - 2 * len(sentence)


def test_what_has_no_sentences_is_cut_between_words() -> None:
    text = "word " * 1_000
    assert all(set(text[start:end].split()) == {"word"} for start, end in passages(text))


def test_a_lone_surrogate_is_cut_like_any_character() -> None:
    assert passages("\ud800" * 2_000)[-1][1] == 2_000
