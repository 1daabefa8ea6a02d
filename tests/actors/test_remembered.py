"""What functions keep of texts, and how it is forgotten."""

from memoryd_actors.core.remembered import forget_texts, remembered
from memoryd_actors.redaction.remembered import RememberedSecrets, redacted
from memoryd_actors.redaction.rules import DEFAULT


def test_what_functions_keep_of_texts_is_forgotten_all_at_once() -> None:
    read: list[str] = []

    @remembered(4)
    def words(text: str) -> list[str]:
        read.append(text)
        return text.split()

    assert words("tea at four") is words("tea at four")
    forget_texts()
    assert words("tea at four") == ["tea", "at", "four"]
    assert read == ["tea at four"] * 2


def test_what_was_redacted_lately_is_forgotten_with_it() -> None:
    said = "".join(["the meeting ", "is at four"])
    known = RememberedSecrets()
    assert known.redacted(said, DEFAULT) is known.redacted("".join(["the meeting is ", "at four"]), DEFAULT)
    first = redacted(said, DEFAULT)
    forget_texts()
    assert redacted("".join(["the meeting is ", "at four"]), DEFAULT) is not first
