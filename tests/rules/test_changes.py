"""The change header says what a session has to know, in three bullets at most."""

from datetime import UTC, datetime

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.memory.changes import EVENTS, MOST_BULLETS, News, header, of_others
from memoryd_client import Memory, State

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def memory(memory_id: str, content: str = "Ana drinks tea.", importance: int = 3) -> Memory:
    return Memory(id=memory_id, owner="local", content=content, importance=importance, created_at=NOON, updated_at=NOON)


def test_nothing_new_is_no_header() -> None:
    assert header([], since=3, known=(), shown=()) == ()


def test_a_header_names_its_revision_the_event_the_category_and_the_memory() -> None:
    lines = header([News(8, "UPDATE", memory("a"))], since=7, known=(), shown=())
    assert lines == ("Memory updates since rev 7:", "- ↑updated: [fact] Ana drinks tea.")


def test_what_the_session_wrote_itself_is_no_news_to_it() -> None:
    assert header([News(8, "ADD", memory("a"))], since=7, known={"a"}, shown=()) == ()


def test_what_was_shown_before_comes_first() -> None:
    news = [News(n, "SUPERSEDE", memory(f"other {n}", f"other {n}")) for n in range(10)]
    lines = header([News(0, "MERGE", memory("shown", "was shown")), *news], since=0, known=(), shown={"shown"})
    assert lines[1].endswith("was shown")


def test_of_several_writes_to_one_memory_the_last_is_told() -> None:
    gone = msgspec.structs.replace(memory("a"), state=State.FORGOTTEN)
    news = [News(1, "UPDATE", gone), News(2, "DELETE", gone)]
    assert header(news, since=0, known=(), shown=())[1].startswith("- ✗deleted")


def test_what_faded_is_told_as_what_became_of_it() -> None:
    faded = [
        News(number, "TTL", msgspec.structs.replace(memory(str(state)), state=state))
        for number, state in enumerate((State.FORGOTTEN, State.ARCHIVED))
    ]
    signs = [line.split(":")[0] for line in header(faded, since=0, known=(), shown=())[1:]]
    assert signs == ["- ✗archived", "- ✗soft-deleted"]


def test_what_came_and_went_meanwhile_is_not_told_as_created() -> None:
    merged = msgspec.structs.replace(memory("new"), state=State.SUPERSEDED)
    news = [News(8, "ADD", merged, operation=5), News(9, "MERGE", memory("old", "Ana drinks green tea."), operation=5)]
    assert header(news, since=7, known=(), shown=())[1:] == ("- ↔merged: [fact] Ana drinks green tea.",)


def test_what_was_born_meanwhile_is_created_whatever_was_merged_into_it_since() -> None:
    merged = msgspec.structs.replace(memory("other"), state=State.SUPERSEDED)
    kept = memory("kept", "Ana drinks green tea.")
    news = [News(7, "ADD", kept, 5), News(8, "ADD", merged, 5), News(9, "MERGE", kept, 5), News(10, "UPDATE", kept, 6)]
    assert header(news, since=7, known=(), shown=())[1:] == ("- +created: [fact] Ana drinks green tea. (imp=3)",)
    assert header(news, since=7, known=(), shown={"kept"})[1].startswith("- ↑updated")


def test_what_a_sessions_own_memory_does_to_others_is_not_told_to_it() -> None:
    retired = News(9, "SUPERSEDE", memory("old"), operation=5)
    others = News(10, "SUPERSEDE", memory("older"), operation=6)
    news = [News(8, "ADD", memory("own"), operation=5), retired, others]
    assert of_others(news, stored={"own"}, changed={}) == [others]


@given(st.lists(st.tuples(st.integers(1, 50), st.sampled_from(sorted(EVENTS)), st.text(max_size=400)), max_size=30))
def test_there_are_never_more_than_three_bullets_and_each_is_one_short_line(
    given_: list[tuple[int, str, str]],
) -> None:
    news = [
        News(
            n, event, msgspec.structs.replace(memory(str(number)), content=content or "x", category=content[:50] or "x")
        )
        for n, (number, event, content) in enumerate(given_)
    ]
    lines = header(news, since=0, known=(), shown=())
    assert len(lines) <= 1 + MOST_BULLETS
    assert all(len(line.splitlines()) == 1 and len(line) <= 180 for line in lines)
    assert bool(lines) == bool(news)
