import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.access.categories import Categories
from memoryd_actors.access.presets import CHECKPOINT, CORE, PRESETS, SEES, NoAgentNamed, NoSuchPreset
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.fusion import Ranked
from memoryd_actors.memory.settings import CategorySettings, name_of
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.consent import Consent
from memoryd_client.wire.filters import Filters

PLANNER = Caller(agent="planner", project="/here")
LISTS = {"planner": ["goals", "Tasks"], "nobody": []}


def test_an_agent_without_an_allowlist_sees_all_and_one_with_sees_what_is_on_it() -> None:
    categories = Categories(allowlists=LISTS)
    assert categories.allowed("tui") is None
    assert categories.allowed("planner") == categories.allowed(" Planner ") == frozenset({"goals", "tasks"})
    assert categories.allowed("nobody") == frozenset()


def test_a_refused_category_is_named_with_those_that_are_allowed() -> None:
    categories = Categories(allowlists=LISTS)
    categories.check("tui", ["anything"])
    categories.check("planner", ["TASKS"])
    with pytest.raises(Refused, match=r"`planner` may not use the category `secret`; allowed: `goals`, `tasks`"):
        categories.check("planner", ["tasks", "secret"])
    with pytest.raises(Refused, match="allowed: none"):
        categories.visible(Caller(agent="nobody"), Filters(categories=("tasks",)))


def test_what_waits_for_a_yes_is_asked_through_who_has_no_list_or_proposed_it() -> None:
    waiting = [
        Consent(
            id=f"mem_{by}", field="health", proposed="Petra has asthma.", proposed_by=by, created_at="", expires_at=""
        )
        for by in ("tui", "Planner")
    ]
    categories = Categories(allowlists=LISTS)
    assert categories.asked_through(Caller(agent="tui"), waiting) == waiting
    assert categories.asked_through(PLANNER, waiting) == waiting[1:]
    assert categories.asked_through(Caller(agent="nobody"), waiting) == []


def test_what_has_to_be_asked_for_stays_out_of_ordinary_recall() -> None:
    categories = Categories({"procedural": CategorySettings(context="asked")})
    ordinary = categories.recalled(PLANNER)
    assert ordinary.without == {"procedural", "knowledge"}
    asked = categories.recalled(PLANNER, Filters(categories=("Procedural",)))
    assert asked.without == frozenset()
    assert asked.filters.categories == ("procedural",)


def test_what_is_always_in_context_is_within_the_allowlist() -> None:
    def named(categories: Categories) -> list[tuple[str, ...]]:
        return [one.filters.categories for one in categories.visible_always(PLANNER)]

    assert named(Categories()) == [("correction",), ("preference",), ("profile",), ("rule",)]
    assert named(Categories(allowlists=LISTS)) == []
    assert named(Categories(allowlists={"planner": ["rule", "fact"]})) == [("rule",)]


def test_the_configuration_stands_above_what_is_built_in() -> None:
    categories = Categories({"rule": CategorySettings(), "event": CategorySettings(context="all")})
    assert categories.always == {"correction", "preference", "profile", "event"}
    assert categories.kept_out == frozenset()


@given(
    st.lists(st.tuples(st.sampled_from(["event", "insight", "fact"]), st.floats(0, 1)), max_size=30),
    st.integers(1, 5),
)
def test_a_context_has_the_best_of_a_category_and_no_more_than_its_length(
    given_: list[tuple[str, float]], length: int
) -> None:
    kinds = {str(number): category for number, (category, _) in enumerate(given_)}
    ranked = [Ranked(str(number), 0.0, 0.0, score) for number, (_, score) in enumerate(given_)]
    categories = Categories({"event": CategorySettings(rag_length=length), "insight": CategorySettings(weight=0.5)})
    kept = categories.for_context(ranked, kinds)
    assert [one.score for one in kept] == sorted((one.score for one in kept), reverse=True)
    events = [one.score for one in kept if kinds[one.id] == "event"]
    assert events == sorted((score for kind, score in given_ if kind == "event"), reverse=True)[:length]
    halved = sorted(one.score for one in kept if kinds[one.id] == "insight")
    assert halved == sorted(score * 0.5 for kind, score in given_ if kind == "insight")
    assert sum(kinds[one.id] == "fact" for one in kept) == sum(kind == "fact" for kind, _ in given_)


def test_an_allowlist_may_name_a_preset_and_more() -> None:
    categories = Categories(allowlists={"mine": ["@Planner", "Idea"]})
    assert categories.allowed("mine") == frozenset({*(name.removeprefix(SEES) for name in PRESETS["planner"]), "idea"})
    with pytest.raises(NoSuchPreset, match="there is no preset `@plan`; there are `@supervisor`, `@planner`"):
        Categories(allowlists={"mine": ["@plan"]})
    with pytest.raises(NoAgentNamed, match="`agent:` names no agent: write `agent:researcher`"):
        Categories(allowlists={"mine": ["agent:"]})


def test_every_role_sees_rules_and_none_but_a_supervisor_makes_them() -> None:
    for role in PRESETS:
        categories = Categories(allowlists={"mine": [f"@{role}"]})
        assert categories.may_see("mine", "rule")
        assert ("rule",) in [one.filters.categories for one in categories.visible_always(Caller(agent="mine"))]
        assert categories.may_write("mine", "rule") == (role == "supervisor")
    with pytest.raises(Refused, match="sees the category `rule` and does not write it"):
        Categories(allowlists={"mine": ["@planner"]}).check_write("mine", "Rule")
    Categories(allowlists={"mine": ["@planner", "rule"]}).check_write("mine", "rule")


def test_presets_know_core_memory_checkpoints_and_files() -> None:
    assert {CORE, CHECKPOINT, "file"} <= set(PRESETS["supervisor"])
    # Each as categories are compared.
    assert all(name == name_of(name) for names in PRESETS.values() for name in names)
