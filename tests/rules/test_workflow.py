import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from memoryd_actors.admission.workflow import admitted, read
from memoryd_actors.core.errors import Refused
from memoryd_client import NewMemory, Source


def extracted(content: str, *, category: str = "procedural", trust: float | None = 0.9) -> NewMemory:
    return NewMemory(content=content, category=category, trust=trust, source=Source.EXTRACTED)


@pytest.mark.parametrize(
    "text",
    [
        "To release:\n1) you should run the tests\n2) Then, tag the commit\n   and sign it\n3) push",
        "To release:\n- run the tests\n- tag the commit and sign it\n- push",
        "To release: 1. run the tests 2. tag the commit and sign it 3. push",
        "To release:\nStep 1: run the tests\nStep 2: tag the commit and sign it\nstep 3: push",
    ],
)
def test_steps_are_numbered_and_say_what_to_do(text: str) -> None:
    expected = "To release:\n1. Run the tests\n2. Tag the commit and sign it\n3. Push"
    assert admitted(extracted(text)).content == expected
    # What is written so already stays so.
    assert admitted(extracted(expected)).content == expected


def test_what_was_read_out_of_a_conversation_needs_steps_and_certainty() -> None:
    with pytest.raises(Refused, match="no steps"):
        admitted(extracted("Version 1. 2 is out, and releases are hard."))
    for trust in (None, 0.5):
        with pytest.raises(Refused, match="certain"):
            admitted(extracted("1. run\n2. push", trust=trust))
        with pytest.raises(Refused, match="certain"):
            admitted(extracted("four spaces", category="Rule", trust=trust))
    assert admitted(extracted("four spaces", category="rule")).content == "four spaces"


def test_a_way_that_was_seen_twice_needs_less_trust_and_one_that_is_concluded_is_none() -> None:
    def seen(trust: float) -> NewMemory:
        return structs.replace(extracted("To release:\n1. run\n2. push", trust=trust), metadata={"repeated": "yes"})

    assert admitted(seen(0.6)).title == "release"
    with pytest.raises(Refused, match="certain"):
        admitted(seen(0.4))
    with pytest.raises(Refused, match="certain"):
        admitted(structs.replace(seen(0.6), category="rule"))


def test_what_was_asked_for_is_kept_as_it_is_given() -> None:
    told = NewMemory(content="just push", category="procedural", source=Source.USER)
    assert admitted(told) is told
    fact = extracted("1. a 2. b", category="fact", trust=None)
    assert admitted(fact) is fact


@given(st.lists(st.from_regex(r"[a-z]{3,8}( [a-z]{3,8}){0,3}", fullmatch=True), min_size=1, max_size=20))
def test_no_step_is_lost_or_doubled(steps: list[str]) -> None:
    _, found = read("\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1)))
    assert len(found) == len(steps)
    assert all(step.casefold().endswith(one.casefold()) for step, one in zip(steps, found, strict=True))
