import json
import tomllib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memoryd_actors.memory.settings import RecallSettings
from memoryd_cli.base import toml_edit
from memoryd_cli.base.toml_edit import TomlValue

from .memoryd_command import Command

SLOW = pytest.mark.slow

scalars: st.SearchStrategy[TomlValue] = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.integers(-(2**40), 2**40),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=3),
)
lines = st.lists(
    st.sampled_from(
        [
            "# a comment",
            "",
            "[recall]",
            "[embedding] # with a comment",
            "threads = 2  # two",
            'model = "a # b"',
            "judged=5",
            "  judged = 7",
        ]
    )
)


@given(scalars)
def test_a_literal_reads_back_as_the_value(value: TomlValue) -> None:
    assert tomllib.loads(f"x = {toml_edit.literal(value)}") == {"x": value}


@given(lines, st.sampled_from(["recall", "embedding", "index"]), st.sampled_from(["judged", "threads", "new"]), scalars)
def test_an_edit_that_is_accepted_changes_that_value_alone(
    before: list[str], section: str, key: str, value: TomlValue
) -> None:
    text = "\n".join(before)
    after = toml_edit.with_value(text, section, key, value)
    # What the command refuses to write is not looked at.
    assume(toml_edit.read(text) is not None and toml_edit.read(after) == toml_edit.expected(text, section, key, value))
    kept = [line for line in before if not line.strip().startswith(key)]
    others = [line for line in after.splitlines() if not line.strip().startswith(key)]
    assert [line for line in others if line in set(kept) and line] == [line for line in kept if line]


@SLOW
def test_a_setting_is_changed_in_its_line_and_comments_survive(memoryd: Command) -> None:
    file = memoryd.home / "config.toml"
    file.write_text("# mine\n[recall]\njudged = 5  # fewer\n\n[daemon]\nlog_level = 'info'\n", encoding="utf-8")
    memoryd.ok("config", "set", "recall.judged", "7")
    memoryd.ok("config", "set", "recall.maximum_surfaced", "3")
    memoryd.ok("config", "set", "privacy.offline", "true")
    assert file.read_text(encoding="utf-8") == (
        "# mine\n[recall]\nmaximum_surfaced = 3\njudged = 7  # fewer\n\n[daemon]\nlog_level = 'info'\n\n"
        "[privacy]\noffline = true\n"
    )
    assert file.stat().st_mode & 0o077 == 0
    assert memoryd.ok("config", "get", "recall.judged") == "7\n"


@SLOW
def test_a_list_is_written_with_commas_and_read_back(memoryd: Command) -> None:
    file = memoryd.home / "config.toml"
    file.write_text('[privacy]\npersonal_data = ["card"]  # only these\n', encoding="utf-8")
    memoryd.ok("config", "set", "privacy.personal_data", "card, email")
    memoryd.ok("config", "set", "privacy.replace", "Ann Smith,ACME")
    assert tomllib.loads(file.read_text(encoding="utf-8"))["privacy"] == {
        "personal_data": ["card", "email"],
        "replace": ["Ann Smith", "ACME"],
    }
    assert "# only these" in file.read_text(encoding="utf-8")
    assert memoryd.ok("config", "get", "privacy.replace") == '["Ann Smith", "ACME"]\n'
    shown = memoryd("config", "get", "privacy.replace", "--json", MEMORYD_PRIVACY_REPLACE="Elm Street,Bob")
    assert json.loads(shown.stdout) == ["Elm Street", "Bob"]
    for name, value in (("personal_data", "shoe-size"), ("replace", "ab")):
        assert memoryd("config", "set", f"privacy.{name}", value).returncode == 1


def test_a_setting_is_taken_out_and_the_rest_of_the_file_stays(memoryd: Command) -> None:
    file = memoryd.home / "config.toml"
    file.write_text("# mine\n[recall]\njudged = 5  # fewer\nmaximum_surfaced = 3\n", encoding="utf-8")
    memoryd.ok("config", "unset", "recall.judged")
    assert file.read_text(encoding="utf-8") == "# mine\n[recall]\nmaximum_surfaced = 3\n"
    done = memoryd("config", "unset", "recall.judged")
    assert done.returncode == 1
    assert "is not in" in done.stderr
    assert "default" in done.stderr


def test_a_variable_that_nobody_reads_is_told_with_the_one_that_may_be_meant(memoryd: Command) -> None:
    told = memoryd("config", "list", "recall", MEMORYD_RECAL_JUDGED="7").stderr
    assert told == "warning: nobody reads MEMORYD_RECAL_JUDGED; is MEMORYD_RECALL_JUDGED meant?\n"


def test_a_value_that_cannot_be_is_refused_and_the_file_stays(memoryd: Command) -> None:
    file = memoryd.home / "config.toml"
    file.write_text("[recall]\njudged = 5\n", encoding="utf-8")
    for name, value, told in (
        ("recall.judged", "many", "judged"),
        ("recall.judged", "1000", "judged"),
        ("recall.nonsense", "1", "config list"),
        ("embedding.precision", "int4", "precision"),
        ("embedding.model", "nonsense", "memoryd model embed"),
    ):
        done = memoryd("config", "set", name, value)
        assert done.returncode == 1
        assert told in done.stderr
    assert file.read_text(encoding="utf-8") == "[recall]\njudged = 5\n"
    assert [path.name for path in memoryd.home.iterdir()] == ["config.toml"]


def test_a_layout_that_a_line_edit_would_damage_is_refused(memoryd: Command) -> None:
    file = memoryd.home / "config.toml"
    text = "recall = { judged = 5 }\n"
    file.write_text(text, encoding="utf-8")
    done = memoryd("config", "set", "recall.judged", "7")
    assert done.returncode == 1
    assert "editor" in done.stderr
    assert file.read_text(encoding="utf-8") == text


def test_what_a_setting_means_is_said_without_what_users_cannot_read(memoryd: Command) -> None:
    assert "seed 0" not in memoryd.ok("config", "list").lower()


def test_the_list_says_what_each_setting_means_and_where_its_value_is_from(memoryd: Command) -> None:
    (memoryd.home / "config.toml").write_text("[recall]\njudged = 5\n", encoding="utf-8")
    done = memoryd("config", "list", "--json", MEMORYD_RECALL_MAXIMUM_SURFACED="2")
    found = {one["name"]: one for one in json.loads(done.stdout)}
    assert found["recall.judged"]["value"] == 5
    assert found["recall.judged"]["from"] == "file"
    assert found["recall.maximum_surfaced"]["from"] == "environment"
    assert found["recall.topic_threshold"] == {
        "name": "recall.topic_threshold",
        "value": 0.3,
        "default": 0.3,
        "from": "default",
        "meaning": "Similarity below which the topic has changed.",
    }


def test_one_section_is_listed_and_an_unknown_one_is_told_which_there_are(memoryd: Command) -> None:
    found = json.loads(memoryd.ok("config", "list", "consolidation", "--json"))
    assert found
    assert all(one["name"].startswith("consolidation.") for one in found)
    assert "consolidation." in memoryd.ok("config", "list", "consolidation")
    done = memoryd("config", "list", "nonsense")
    assert done.returncode == 1
    assert "nonsense" in done.stderr
    assert "allowlists, " in done.stderr
    assert "consolidation, " in done.stderr


def test_allowlists_are_listed_where_there_are_none_and_where_there_is_one(memoryd: Command) -> None:
    assert json.loads(memoryd.ok("config", "list", "allowlists", "--json")) == []
    memoryd.ok("config", "set", "allowlists.helper", '["fact"]')
    assert "allowlists.helper" in memoryd.ok("config", "list", "allowlists")


@pytest.mark.parametrize(
    ("text", "environment", "told", "judged"),
    [
        ("[recall]\njudged = 5\nnonsense = 1\n", {}, "nonsense", (5, "file")),
        pytest.param("[recall]\njudged = 'many'\n", {}, "judged", (RecallSettings().judged, "default"), marks=SLOW),
        ("[recall\n", {}, "config.toml", (RecallSettings().judged, "default")),
        pytest.param("recall = 3\n", {}, "recall", (RecallSettings().judged, "default"), marks=SLOW),
        pytest.param("[recall]\njudged = 5\n", {"MEMORYD_RECALL_JUDGED": "many"}, "judged", (5, "file"), marks=SLOW),
        ("[recall]\nnonsense = 1\n", {"MEMORYD_RECALL_JUDGED": "7"}, "nonsense", (7, "environment")),
    ],
)
def test_a_broken_configuration_is_listed_as_far_as_it_goes_and_what_is_wrong_is_said(
    memoryd: Command, text: str, environment: dict[str, str], told: str, judged: tuple[int, str]
) -> None:
    (memoryd.home / "config.toml").write_text(text, encoding="utf-8")
    done = memoryd("config", "list", "--json", **environment)
    assert done.returncode == 1
    assert told in done.stderr
    found = {one["name"]: one for one in json.loads(done.stdout)}
    assert (found["recall.judged"]["value"], found["recall.judged"]["from"]) == judged
    assert "recall.judged" in memoryd("config", "list", **environment).stdout
    assert memoryd("config", "get", "recall.judged", **environment).returncode == 1


def test_a_key_is_never_printed(memoryd: Command) -> None:
    for arguments in (("list",), ("list", "--json"), ("get", "sidecar.api_key")):
        done = memoryd("config", *arguments, ANTHROPIC_API_KEY="sk-very-secret")
        assert done.returncode == 0
        assert "very-secret" not in done.stdout + done.stderr
        assert "(set)" in done.stdout


def test_an_unknown_setting_is_refused(memoryd: Command) -> None:
    assert memoryd("config", "get", "recall.nonsense").returncode == 1


@SLOW
def test_categories_and_allowlists_are_listed_and_set_by_name(memoryd: Command) -> None:
    file = memoryd.home / "config.toml"
    file.write_text("[categories.rule]\nrag_length = 5\n", encoding="utf-8")
    memoryd.ok("config", "set", "categories.event.context", "all")
    memoryd.ok("config", "set", "allowlists.planner", "Goals, tasks")
    memoryd.ok("config", "set", "allowlists.bot.two", "tasks")
    memoryd.ok("config", "set", "allowlists.planner", '["goals"]')
    assert tomllib.loads(file.read_text(encoding="utf-8")) == {
        "categories": {"rule": {"rag_length": 5}, "event": {"context": "all"}},
        "allowlists": {"planner": ["goals"], "bot.two": ["tasks"]},
    }
    found = {one["name"]: one for one in json.loads(memoryd.ok("config", "list", "--json"))}
    # What the file does not say of a category stays as it is built in.
    assert (found["categories.rule.context"]["value"], found["categories.rule.context"]["from"]) == ("all", "default")
    assert (found["categories.rule.rag_length"]["value"], found["categories.rule.rag_length"]["from"]) == (5, "file")
    assert found["categories.event.context"]["default"] == "rag"
    assert found["allowlists.planner"]["value"] == ["goals"]
    assert found["allowlists.planner"]["meaning"]
    assert memoryd.ok("config", "get", "allowlists.bot.two") == '["tasks"]\n'
    for wrong in ('["goals"', "[1, 2]"):
        told = memoryd("config", "set", "allowlists.planner", wrong)
        assert told.returncode == 1
        assert "nothing was changed" in told.stderr


def test_a_category_that_cannot_be_so_is_refused(memoryd: Command) -> None:
    for name, value in (
        ("categories.event.context", "never"),
        ("categories.event.nonsense", "1"),
        ("categories", "1"),
        ("allowlists.a", "@b"),
    ):
        assert memoryd("config", "set", name, value).returncode == 1
    assert not (memoryd.home / "config.toml").exists()
