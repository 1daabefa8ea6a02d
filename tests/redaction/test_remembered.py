"""What was redacted lately is not redacted again, and comes out the same."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memoryd_actors.redaction import redact
from memoryd_actors.redaction.remembered import LONGEST, RememberedSecrets
from memoryd_actors.redaction.rules import DEFAULT, Variable

SECRET = "my key is ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@given(st.lists(st.text(), max_size=8))
def test_it_says_what_redact_says_however_often_it_is_asked(texts: list[str]) -> None:
    remembered = RememberedSecrets(2)
    for text in (*texts, SECRET, *texts, SECRET):
        assert remembered.redacted(text, DEFAULT) == redact(text, DEFAULT).text


def test_other_rules_are_another_answer() -> None:
    remembered = RememberedSecrets()
    stricter = replace(DEFAULT, environment=(Variable("SHOP_PASS", "perpetuum-mobile-77"),))
    text = "the shop opens with perpetuum-mobile-77"
    assert remembered.redacted(text, DEFAULT) == text
    assert "perpetuum" not in remembered.redacted(text, stricter)
    assert remembered.redacted(text, DEFAULT) == text


def test_a_long_text_is_redacted_as_well() -> None:
    text = "word " * LONGEST + SECRET
    assert RememberedSecrets().redacted(text, DEFAULT) == redact(text, DEFAULT).text != text
