from datetime import UTC, datetime

from memoryd_actors.memory.index_text import embedded_text, index_text, is_person
from memoryd_client.wire.memory import Memory

NOW = datetime(2026, 11, 20, tzinfo=UTC)


def memory(speaker: str) -> Memory:
    return Memory(
        id="mem_1",
        owner="local",
        content="We sailed.",
        title="Sunday",
        tags=("boat", "sea"),
        speaker=speaker,
        occurred_at=datetime(2023, 5, 8, tzinfo=UTC),
        created_at=NOW,
        updated_at=NOW,
    )


def test_a_persons_words_stand_for_a_memory_under_its_name() -> None:
    assert embedded_text(memory("Ann")) == "Sunday\nAnn: We sailed.\nboat sea"


def test_the_words_have_the_date_and_the_vector_does_not() -> None:
    assert index_text(memory("Ann")) == "Sunday\nAnn: We sailed.\nboat sea\n(08 May 2023)"


def test_a_role_is_left_out() -> None:
    assert embedded_text(memory("Assistant")) == embedded_text(memory("")) == "Sunday\nWe sailed.\nboat sea"
    assert is_person("Bob")
    assert not is_person("user")
