"""Pairs of our own that look alike, and what they are to each other."""

from datetime import UTC, datetime

import pytest

from memoryd_actors.comparison import Statement, action, compare

NEAR = 0.93
"""A cosine at which a rule that only looks at similarity would merge."""

DIFFERENT = [
    ("The API allows 5 requests per second.", "The API allows 3 requests per second.", "number 5 ≠ 3"),
    ("The team has three reviewers.", "The team has five reviewers.", "number 3 ≠ 5"),
    ("The nightly build takes 40 minutes.", "The nightly build takes 20 minutes.", "number 40 min ≠ 20 min"),
    ("Production runs v1.3.0.", "Production runs v1.2.0.", "version v1.3.0 ≠ v1.2.0"),
    ("The release is on Friday.", "The release is on Tuesday.", "date friday ≠ tuesday"),
    ("The user does not use tabs.", "The user uses tabs.", "negated"),
    ("The user dislikes dark mode.", "The user likes dark mode.", "dislikes ≠ likes"),
    ("The migration failed to finish.", "The migration finished.", "finish ≠ finished"),
    ("The report goes to Alice every week.", "The report goes to Bob every week.", "name Alice ≠ Bob"),
    ("Service A calls service B.", "Service B calls service A.", "other order"),
    ("Alpha depends on Beta.", "Beta depends on Alpha.", "other order"),
    ("The cache is warm and the disk is not full.", "The cache is not warm and the disk is full.", "other order"),
    ("Two servers share a database.", "A server shares two databases.", "other order"),
    ("Backups run before the deploy.", "Backups run after the deploy.", "only one says 'before'"),
    ("Only admins may delete projects.", "Admins may delete projects.", "only one says"),
    ("The database is MySQL.", "The database is SQLite.", "name MySQL ≠ SQLite"),
    ("Der Server läuft nicht auf Port 80.", "Der Server läuft auf Port 80.", "negated"),
    ("Der Server läuft auf Port 8080.", "Der Server läuft auf Port 80.", "number 8080 ≠ 80"),
    ("Das Treffen ist am Dienstag.", "Das Treffen ist am Montag.", "date dienstag ≠ montag"),
    ("Sie mag keinen Kaffee.", "Sie mag Kaffee.", "negated"),
]

SAME = [
    ("The user prefers tabs.", "User prefers tabs."),
    ("The deadline is 20 May.", "The deadline is on May 20."),
    ("The limit is 5,000 requests.", "The limit is 5000 requests."),
    ("There are three environments.", "There are 3 environments."),
    ("The demo is on 2 January 2026.", "The demo is on 2026-01-02."),
    ("The meeting is at 9am.", "The meeting is at 9 AM."),
    ("The fee is 5%.", "The fee is 5 percent."),
    ("python is installed.", "Python is installed"),
    ("It's late.", "It is late"),
    ("Die Datenbank läuft auf Port 80.", "Die Datenbank läuft auf dem Port 80."),
    ("The call is at 3 pm.", "The call is at 15:00."),
    ("Lunch is at noon.", "Lunch is at 12 p.m."),
    ("Der Kurs beginnt um 15 Uhr.", "Der Kurs beginnt um 15:00 Uhr."),
    ("The bag weighs five kilograms.", "The bag weighs 5 kg."),
    ("She is twenty-five.", "She is 25."),
    ("The rent is nine hundred euros.", "The rent is 900 €."),
    ("The site has two thousand five hundred users.", "The site has 2,500 users."),
    ("Die Miete beträgt neunhundertfünfzig Euro.", "Die Miete beträgt 950 Euro."),
    ("Der Weg ist fünf Kilometer lang.", "Der Weg ist 5 km lang."),
    ("Die Frist endet am 1. Juni 2025.", "Die Frist endet am 01.06.2025."),
    ("The timeout is 2 minutes.", "The timeout is 120 s."),
    ("The bag weighs 1.5 kg.", "The bag weighs 1500 grams."),
    ("Das Paket wiegt 1,5 kg.", "Das Paket wiegt 1500 Gramm."),
]

CHANGED = [
    ("The deadline moved to 20 May.", "The deadline is 13 May.", 0.8),
    ("The dashboard no longer uses Redis.", "The dashboard uses Redis.", 0.85),
    ("We upgraded the public API to v2.1.0.", "The public API is v2.0.0.", 0.8),
    ("Der Termin wurde auf den 20. Mai verschoben.", "Der Termin ist am 13. Mai.", 0.8),
]


@pytest.mark.parametrize(("new", "old", "reason"), DIFFERENT)
def test_what_differs_in_a_detail_is_never_merged_however_similar(new: str, old: str, reason: str) -> None:
    for one, other in ((new, old), (old, new)):
        found = compare(Statement(one), Statement(other), 1.0)
        assert found.relation != "same", found
        assert action(found) not in {"merge", "supersede"}
    assert reason in compare(Statement(new), Statement(old), NEAR).reason


@pytest.mark.parametrize(("new", "old"), SAME)
def test_what_says_the_same_in_other_words_is_merged(new: str, old: str) -> None:
    found = compare(Statement(new), Statement(old), NEAR)
    assert action(found) == "merge", found


@pytest.mark.parametrize(("new", "old", "cosine"), CHANGED)
def test_a_statement_that_announces_a_change_replaces_the_older_value(new: str, old: str, cosine: float) -> None:
    found = compare(Statement(new), Statement(old), cosine)
    assert (found.relation, action(found)) == ("changes", "supersede"), found


def test_a_bare_opposite_contradicts() -> None:
    found = compare(Statement("The user does not like tabs."), Statement("The user likes tabs."), 0.9)
    assert (found.relation, action(found)) == ("contradicts", "contradict")


def test_a_correction_changes_what_it_corrects() -> None:
    new = Statement("The port is 8080.", category="correction")
    assert compare(new, Statement("The port is 80."), 0.9).relation == "changes"


def test_tomorrow_said_on_two_days_is_two_days() -> None:
    text = "The release is tomorrow."
    old = Statement(text, created_at=datetime(2026, 3, 1, tzinfo=UTC))
    new = Statement(text, created_at=datetime(2026, 3, 9, tzinfo=UTC))
    assert compare(new, old, 1.0).relation != "same"
    assert compare(new, new, 1.0).relation == "same"


def test_the_same_words_of_two_speakers_are_about_two_people() -> None:
    text = "I live in Lyon."
    assert compare(Statement(text, speaker="Ann"), Statement(text, speaker="Bo"), 1.0).relation != "same"
    assert compare(Statement(text, speaker="Ann"), Statement(text, speaker="ann"), 1.0).relation == "same"


def test_what_is_close_and_not_the_same_is_queued_and_what_is_far_apart_is_kept() -> None:
    close = compare(Statement("A man is riding a brown horse."), Statement("A man is riding a grey horse."), 0.9)
    far = compare(Statement("The server listens on a socket."), Statement("Ann likes tea."), 0.1)
    assert action(close) == "queue"
    assert action(far) == "keep"
