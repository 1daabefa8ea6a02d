"""A fact outdoes what conversations make of the question for it, and a week repeated word for word stays quiet."""

from collections.abc import Sequence

from memoryd_client import Client, Entry, Message
from running import RunningDaemon, until

PATIENT_S = 30.0
FACT = "The API tokens of the web shop expire after 90 days."
ASKED = "When do the API tokens of the web shop expire, do you know?"
WRONG = "I do not know when the API tokens of the web shop expire. Perhaps they never expire."
WORK = (
    ("At what time does the nightly backup of the wiki run?", "I don't know. It probably runs at midnight."),
    ("please add a section on backups to README.md", "Done: README.md has a section on it."),
    ("run the tests", "All 212 tests pass now."),
    ("At what time does the nightly backup of the wiki run?", "I don't know. It probably runs at midnight."),
)
BACKUP = "The nightly backup of the wiki runs at 03:20 UTC."
DAY = (
    ("Good morning! What is new today?", "Nothing special."),
    (ASKED, WRONG),
    ("Thanks anyway. Please deploy the shop to staging.", "Done: the shop was deployed to staging."),
    ("Does the payment page load on staging?", "I could not tell, the browser has no access."),
)


def spend_day(daemon: RunningDaemon, name: str, day: Sequence[tuple[str, str]] = DAY) -> list[list[str]]:
    """Have a day's conversation, and return what was handed over on each turn."""
    handed: list[list[str]] = []
    said: list[Message] = []
    with daemon.client(name) as client:
        for asked, answered in day:
            said.append(Message("user", asked))
            pending = client.turn(said, wait_s=PATIENT_S, deadline_s=PATIENT_S)
            handed.append([memory.content for memory in pending.memories] if pending else [])
            said.append(Message("assistant", answered))
        end(client, said)
    return handed


def end(client: Client, said: list[Message]) -> None:
    """End a session, and wait until its episode is told and can be found."""
    before = len(client.list(category="episode", limit=100))
    client.append([Entry(id=f"{client}{n}", role=one.role, content=one.content) for n, one in enumerate(said)])
    client.end_session()
    until(lambda: len(client.list(category="episode", limit=100)) > before, "the episode")


def test_a_week_repeated_word_for_word_brings_the_fact_each_day_and_nothing_else(daemon: RunningDaemon) -> None:
    with daemon.client("earlier") as client:
        client.remember(FACT)
    days = [spend_day(daemon, f"day {number}") for number in range(3)]
    assert days[0] == [[], [FACT], [], []]
    assert days[1:] == [days[0]] * 2


def test_an_answer_of_a_conversation_that_came_to_something_else_stands_nowhere_beside_the_fact(
    daemon: RunningDaemon,
) -> None:
    with daemon.client("earlier") as client:
        client.remember(BACKUP)
    for number in range(2):
        spend_day(daemon, f"wiki {number}", WORK)
    for number, asked in enumerate((WORK[0][0], "when is the wiki backed up?")):
        with daemon.client(f"again {number}") as client:
            pending = client.turn([Message("user", asked)], wait_s=PATIENT_S, deadline_s=PATIENT_S)
            assert pending is not None
            assert [(memory.content, memory.related) for memory in pending.memories] == [(BACKUP, ())]


def test_a_conversation_that_found_the_answer_comes_when_the_same_is_asked_again(daemon: RunningDaemon) -> None:
    mending = (
        (
            "test_login in tests/auth.py fails every night, please fix it",
            "It fails because the token's expiry is compared with a naive datetime.",
        ),
        ("go on", "Fixed: src/auth/clock.py now uses datetime.now(UTC), and test_login passes. All 212 tests pass."),
        ("commit it", "Committed as 4f2c1e9 on the branch fix-login."),
    )
    spend_day(daemon, "mending", mending)
    for number, asked in enumerate(("why did test_login fail?", "how did we fix test_login in tests/auth.py?")):
        with daemon.client(f"later {number}") as client:
            pending = client.turn([Message("user", asked)], wait_s=PATIENT_S, deadline_s=PATIENT_S)
            assert pending is not None
            assert [memory.category for memory in pending.memories] == ["episode"]
