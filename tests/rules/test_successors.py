"""What an import may say of which memory took the place of which."""

from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.keeping.successors import find_unsound

IDS = st.sampled_from("abcdef")


def test_a_chain_into_what_is_there_is_kept_whole() -> None:
    assert find_unsound({"a": "b", "b": "c"}, {"a": "", "b": "", "c": "d", "d": ""}) == {}


def test_itself_and_what_is_not_there_take_no_place() -> None:
    found = find_unsound({"a": "a", "b": "nowhere"}, {"a": "", "b": ""})
    assert found == {
        "a": "a cannot have taken its own place",
        "b": "nowhere, which is said to have taken the place of b, is not there",
    }


def test_every_claim_on_a_circle_goes_and_what_leads_into_it_stays() -> None:
    found = find_unsound({"a": "b", "b": "a", "c": "a"}, {"a": "", "b": "", "c": ""})
    assert found.keys() == {"a", "b"}
    assert found["a"].endswith("a → b → a")


def test_a_circle_over_what_is_there_already_is_one() -> None:
    assert find_unsound({"a": "x"}, {"a": "", "x": "y", "y": "a"}).keys() == {"a"}


@given(st.dictionaries(IDS, IDS, min_size=1), st.dictionaries(IDS, st.sampled_from("abcdef") | st.just("")))
def test_what_is_left_of_any_claims_leads_to_an_end(claimed: dict[str, str], there: dict[str, str]) -> None:
    standing = {one: by for one, by in there.items() if by == ""} | dict.fromkeys(claimed, "")
    refused = find_unsound(claimed, standing)
    assert refused.keys() <= claimed.keys()
    kept = standing | {one: by for one, by in claimed.items() if one not in refused}
    for one in kept:
        seen: list[str] = []
        at = one
        while at:
            assert at in kept
            assert at not in seen
            seen.append(at)
            at = kept[at]
