"""What holds for every text."""

from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd_actors.redaction import Redacted, Rules, redact
from memoryd_actors.redaction.finding import reads_as
from memoryd_actors.redaction.personal import KINDS
from memoryd_actors.redaction.rules import Variable

from .hostile import UNITS
from .samples import LOWER, TOKENS, Sample, drawn

SECRET = drawn(LOWER, 12) + "Q9"
EVERYTHING = Rules(
    personal_data=frozenset(KINDS), words=("value", "red"), environment=(Variable("password", "hunter2 hunter"),)
)
PERSONAL = (
    "4539 1488 0343 6467",
    "DE89370400440532013000",
    "219-09-9999",
    "+49 30 901820",
    "ann@firm.org",
    "hunter2 hunter",
)
PIECES = (*PERSONAL, *UNITS, *(sample.token for sample in TOKENS), SECRET, " ", "\n", ",", ".", " and ", "my ", "value")
composed = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)
hostile = st.lists(st.sampled_from(UNITS), max_size=8).map("".join)
anything = st.text(st.characters(), max_size=200)
texts = st.one_of(composed, anything, st.tuples(composed, anything).map("".join))


def rebuilt(text: str, redacted: Redacted) -> str:
    parts: list[str] = []
    at = 0
    for finding in redacted.findings:
        assert at <= finding.start < finding.end <= len(text)
        parts += (text[at : finding.start], f"[redacted:{finding.rule}]")
        at = finding.end
    return "".join((*parts, text[at:]))


@settings(max_examples=100, deadline=None)
@given(texts)
def test_redacting_again_changes_nothing(text: str) -> None:
    once = redact(text, EVERYTHING).text
    again = redact(once, EVERYTHING)
    assert again.text == once
    assert again.findings == ()


@settings(max_examples=100, deadline=None)
@given(texts)
def test_the_findings_and_the_original_make_the_redacted_text(text: str) -> None:
    redacted = redact(text, EVERYTHING)
    assert rebuilt(text, redacted) == redacted.text


@settings(max_examples=100, deadline=None)
@given(hostile, st.sampled_from(TOKENS), hostile)
def test_no_surroundings_bring_a_token_back(before: str, sample: Sample, after: str) -> None:
    assert sample.token not in redact(f"{before} {sample.token} {after}").text


@settings(max_examples=60, deadline=None)
@given(anything)
def test_what_is_returned_never_shows_the_secret(around: str) -> None:
    redacted = redact(f"{around}\nDB_PASSWORD={SECRET}\n{around}")
    assert SECRET not in repr(redacted)


@given(st.lists(st.sampled_from(["the", "river", "house", "walk", "tomorrow", "with", "Anna", "2024", "at", "ten"])))
def test_ordinary_words_are_never_touched(words: list[str]) -> None:
    text = " ".join(words)
    assert redact(text) == Redacted(text=text, findings=())


@given(given=st.text(), cuts=st.lists(st.integers(0, 60), max_size=6))
def test_a_text_is_known_by_what_markers_left_of_it(given: str, cuts: list[int]) -> None:
    edges = sorted(min(cut, len(given)) for cut in cuts)
    kept, at = "", 0
    for start, end in zip(edges[::2], edges[1::2], strict=False):
        kept, at = f"{kept}{given[at:start]}[redacted:token]", end
    kept += given[at:]
    assert reads_as(kept, given)


def test_a_text_of_other_words_is_known_as_another() -> None:
    kept = "The token is [redacted:token], ask [redacted:name]."
    assert reads_as(kept, "The token is a1b2c3, ask Ana.")
    for other in ("A token is a1b2c3, ask Ana.", "The token is a1b2c3.", "The token is a1b2c3, ask Ana", ""):
        assert not reads_as(kept, other)
