"""An episode as it is written down."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memoryd_actors.episodes.episode import PATH, AgentRun, document, episode, path, points
from memoryd_actors.summarising import EXTRACTED, Summary
from memoryd_client.wire.caller import Caller

RUN = AgentRun(3, 40, 9, datetime(2026, 1, 17, 23, 30, tzinfo=UTC))
CALLER = Caller(owner="local", project="/p", agent="tui", session="s1")


def summary(*told: str, by: str = "claude-haiku-5-5", title: str = "Zerg memory system") -> Summary:
    return Summary(
        text="\n".join(f"- {one}" for one in told),
        by=by,
        title=title,
        topic="memory files",
        outcome="The team decided on files.",
        tags=("zerg", "memory"),
        points=told,
    )


def test_it_is_written_in_the_template() -> None:
    text = document(summary("The user chose SQLite.", "The team moved the export to Friday."), RUN, "s1")
    assert text == (
        "# Episode: Zerg memory system\nDate: 2026-01-17\nTopic: memory files\nOutcome: The team decided on files.\n"
        'Refs: session=s1, messages=3-40\nTags: ["zerg","memory"]\n\nSummary:\n- The user chose SQLite.\n'
        "- The team moved the export to Friday."
    )


def test_what_is_not_told_in_the_past_or_means_nothing_alone_is_left_out() -> None:
    told = summary("The user chose SQLite.", "It was moved.", "The export runs on Fridays.", "I fixed it.")
    assert points(told) == ["The user chose SQLite."]


def test_what_a_model_tells_of_a_person_is_left_out_as_it_waits_for_their_consent() -> None:
    private = "Carla moved to Bergamo, and was diagnosed with asthma."
    told = summary("The user chose SQLite.", private, title="Carla was diagnosed with asthma")
    text = document(told, RUN, "s1")
    assert points(told) == ["The user chose SQLite."]
    assert text.startswith("# Episode\n")
    assert "asthma" not in text


def test_what_the_user_says_of_another_is_left_out_with_its_words_and_what_they_say_of_themselves_is_not() -> None:
    of_another = 'The user said: "My sister Clara lives in Ghent and has diabetes."'
    of_themselves = 'The user said: "I live in Porto."'
    said = summary('The user said: "we take zerg as the name"', of_another, of_themselves, by=EXTRACTED)
    told = replace(said, title="My sister Clara has diabetes.", topic="diabetes, zerg", tags=("diabetes", "zerg"))
    text = document(told, RUN, "s1")
    assert points(told) == [told.points[0], of_themselves]
    assert text.startswith("# Episode\n")
    assert "\nTopic: zerg\n" in text
    assert "diabetes" not in text
    assert episode(told, RUN, CALLER, before=2).tags == ("zerg",)


def test_one_that_quotes_says_so() -> None:
    text = document(summary('The user said: "let us take SQLite"', by=EXTRACTED), RUN, "s1")
    assert "\nSource: quoted from the conversation by rules, not written by a model\n\nSummary:\n" in text
    assert '- The user said: "let us take SQLite"' in text


def test_the_same_run_told_again_is_the_same_episode_and_another_is_another() -> None:
    first = episode(summary("The user chose SQLite."), RUN, CALLER, before=2)
    again = episode(summary("The user took SQLite.", title="SQLite"), RUN, CALLER, before=2)
    other = episode(summary("The user chose SQLite."), RUN, CALLER, before=40)
    assert first.id == again.id != other.id
    assert first.metadata[PATH] == f"episodes/2026-01-17/zerg-memory-system-{first.id[-6:]}.md"
    assert first.source_messages == (3, 40)


@given(title=st.text(max_size=300))
def test_a_path_is_plain_whatever_the_title_is(title: str) -> None:
    place = path(summary("x", title=title), RUN, "mem_abcdefghijkl")
    assert place.startswith("episodes/2026-01-17/")
    assert place.endswith("-ghijkl.md")
    assert place.count("/") == 2
    assert set(place) <= set("abcdefghijklmnopqrstuvwxyz0123456789-/.")
    assert len(place) < 120


def test_the_project_that_the_user_named_stands_in_path_and_tags() -> None:
    named = episode(summary("The user chose SQLite."), RUN, CALLER, before=2, label="hdrpop")
    assert named.metadata[PATH].startswith("projects/hdrpop/episodes/2026-01-17/zerg-memory-system-")
    assert named.tags == ("zerg", "memory", "project:hdrpop")
