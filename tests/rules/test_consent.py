"""Who may change what is known about the person."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.memory.consent import ConsentSettings, decide, field_of, needs_consent, replaces, spelled
from memoryd_client import Memory, Source

SETTINGS = ConsentSettings()
AT = datetime(2026, 3, 1, tzinfo=UTC)


def memory(title: str, source: Source, trust: float = 0.5, category: str = "profile") -> Memory:
    return Memory(
        id="m",
        owner="local",
        content="Ana",
        title=title,
        category=category,
        source=source,
        trust=trust,
        created_at=AT,
        updated_at=AT,
    )


@given(
    st.sampled_from(SETTINGS.sensitive),
    st.sampled_from(Source),
    st.floats(0, 1),
    st.sampled_from(["profile", "user_context"]),
)
def test_nobody_but_the_user_changes_a_sensitive_field_without_a_yes(
    field: str, source: Source, trust: float, category: str
) -> None:
    expected = "apply" if source is Source.USER else "propose"
    assert decide(memory(field, source, trust, category), SETTINGS) == expected


@given(st.sampled_from(SETTINGS.benign), st.sampled_from([Source.AGENT, Source.EXTRACTED]), st.floats(0, 1))
def test_a_benign_field_waits_for_a_second_signal_unless_the_first_is_sure(
    field: str, source: Source, trust: float
) -> None:
    expected = "apply" if trust >= 0.8 else "wait_for_signal"
    assert decide(memory(field, source, trust), SETTINGS) == expected


@pytest.mark.parametrize("title", ["Preferred name", "preferred-name", " PREFERRED_NAME ", "Prénom", "ciudad"])
def test_however_a_field_is_spelled_it_is_the_same_field(title: str) -> None:
    assert decide(memory(title, Source.AGENT), SETTINGS) == "propose"


@given(st.text(max_size=80))
def test_spelling_a_field_twice_changes_nothing(title: str) -> None:
    assert spelled(spelled(title)) == spelled(title)


@pytest.mark.parametrize(("category", "title"), [("fact", "city"), ("fact", "health"), ("fact", "")])
def test_what_is_about_no_field_that_is_watched_over_is_nobodys_business(category: str, title: str) -> None:
    assert decide(memory(title, Source.AGENT, category=category), SETTINGS) is None


@pytest.mark.parametrize("title", ["health", "religion", "salary", "Phone", "employer"])
def test_a_field_that_no_list_names_is_the_users_as_well(title: str) -> None:
    for source in (Source.AGENT, Source.EXTRACTED):
        assert decide(memory(title, source, trust=1.0), SETTINGS) == "propose"
    for source, own in ((Source.USER, "apply"), (Source.IMPORTED, None)):
        assert decide(memory(title, source), SETTINGS) == own
        assert decide(memory(title, source), SETTINGS, own_word=False) == "propose"
    assert needs_consent("profile", title, SETTINGS)


def test_goals_are_one_field_whatever_they_are_called() -> None:
    assert {field_of("profile", title) for title in ("goals", "Goal", "goals_add")} == {"goals_add"}
    assert decide(memory("goals", Source.AGENT), SETTINGS) == "wait_for_signal"
    assert decide(memory("goals", Source.AGENT), ConsentSettings(benign=())) == "propose"


@pytest.mark.parametrize("title", ["", " ", "-"])
@pytest.mark.parametrize("source", [Source.AGENT, Source.EXTRACTED, Source.IMPORTED])
def test_what_does_not_say_which_field_it_is_about_may_be_about_a_sensitive_one(title: str, source: Source) -> None:
    assert decide(memory(title, source, trust=1.0), SETTINGS) == "propose"
    assert decide(memory(title, Source.USER), SETTINGS) == "apply"
    assert not replaces(field_of("profile", title))


def test_user_context_is_watched_over_as_profile_is() -> None:
    assert decide(memory("city", Source.EXTRACTED, category="user_context"), SETTINGS) == "propose"
    assert field_of("user_context", "City") == "city"


def test_a_field_on_both_lists_is_sensitive() -> None:
    both = ConsentSettings(sensitive=("tone",), benign=("tone",))
    assert decide(memory("tone", Source.AGENT, trust=1.0), both) == "propose"


def test_a_field_that_gathers_values_replaces_none() -> None:
    for field in ("city", "pronouns", "languages", "employer", "address", "status"):
        assert replaces(field)
    for field in ("goals_add", "hobbies", "allergies"):
        assert not replaces(field)
