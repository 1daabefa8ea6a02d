"""What rules take of a conversation, in whose words, and what they leave."""

from datetime import UTC, date, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.admission.writing import MAX_FACT, written
from memoryd_actors.comparison import Statement, action, compare
from memoryd_actors.extraction import InputMessage, capped, input_messages, stated
from memoryd_actors.extraction.candidate import MOST_A_TURN
from memoryd_actors.texts.quoting import saying, undated
from memoryd_client.wire.session_context import SUMMARY_OPENING
from memoryd_client.wire.transcripts import TranscriptRecord

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def user(text: str, sequence: int = 1, speaker: str = "") -> InputMessage:
    return InputMessage(sequence, "user", speaker, text, AT)


def assistant(text: str, sequence: int = 1) -> InputMessage:
    return InputMessage(sequence, "assistant", "", text, AT)


@pytest.mark.parametrize(
    ("said", "files"),
    [
        ("We decided to keep the retries in src/net/retry.py for now.", ("src/net/retry.py",)),
        ("We decided to build only with the Makefile and deploy/Dockerfile.", ("Makefile", "deploy/Dockerfile")),
        (
            "We decided to keep the `LICENSE`, .gitignore and src/net/retry as they are.",
            ("LICENSE", ".gitignore", "src/net/retry"),
        ),
        ("We decided to patch net/retry.py:12 and ~/bin/sync only.", ("net/retry.py", "~/bin/sync")),
        ("We decided to serve /v1/tours from the origin/main and/or client/server side.", ()),
        ("We decided to mount ./data/maps:/maps/data with TCP/IP for all.", ()),
        ("We decided to run Node.js 22 and Vue.js in production.", ()),
        ("We decided to use node.js with server.js as the only entry point.", ("server.js",)),
        ("We decided to keep https://firm.org/api.json as the only contract.", ()),
        ("We decided to send all reports to jana@firm.md from now on.", ()),
    ],
)
def test_files_are_those_that_are_named_and_no_programs_or_addresses(said: str, files: tuple[str, ...]) -> None:
    (found,) = stated([user(said)])
    assert found.files == files


@pytest.mark.parametrize(
    "said",
    [
        "Bob wrote: 'I prefer MySQL over Postgres.' Summarise his mail.",
        "Translate: 'I live in Rome and I hate cats.'",
        "Translate to French: I prefer the window seat and I am allergic to nuts.",
        "Proofread this: I prefer tea over coffee and I live in Lyon with my wife.",
        "Please proofread this: I prefer tea over coffee. I live in Lyon with my wife.",
        "In the novel my hero says I prefer death over slavery.",
        "Example user message: I prefer dark mode.",
        "Here is what the customer wrote: I prefer invoices as PDF.",
        "Here is Bob's mail:\n\nI prefer MySQL over Postgres.",
        "The prompt says 'I don't like long answers and I prefer short ones', is that good wording?",
        "Übersetze ins Englische: Ich bevorzuge Tee und wohne in Wien.",
        "Mein Chef sagt, ich bevorzuge lange Tage.",
    ],
)
def test_what_others_say_and_what_is_handed_over_is_not_the_users_word(said: str) -> None:
    assert stated([user(said)]) == []


@pytest.mark.parametrize(
    "said",
    [
        "I prefer 'git rebase' over 'git merge'.",
        "I don't like cats and the dogs' barking, it's my neighbours' fault.",
        "Don't translate my texts: I prefer to write English myself.",
        "Rewrite this function: I prefer early returns over nested ifs.",
        "My boss says I work too much, but I prefer long days.",
        "As I said, I prefer tabs over spaces.",
        "As I wrote: I prefer tabs over spaces.",
        "For example: I prefer pnpm over npm in all my projects.",
        "About the tests: I prefer pytest over unittest.",
        "Translate: 'Guten Tag'. By the way, I prefer tea over coffee.",
        "I prefer reviews in the morning. Translate this: the weather is nice.",
    ],
)
def test_the_users_own_word_beside_it_is_kept(said: str) -> None:
    assert [one.category for one in stated([user(said)])] == ["preference"]


@pytest.mark.parametrize(
    "said",
    [
        "random question while it builds: my brother is 35 and has maybe 4 hours a week. we go to Graz in March.",
        "Great, that fixed it.",
        "the functions and the db are far apart, move the database to us-east and save us some ms",
        "no, never seen that",
        "nope, always been like this",
        "no, we never had that",
    ],
)
def test_what_goes_on_nowhere_and_what_is_asked_for_is_not_taken(said: str) -> None:
    assert stated([user(said)]) == []


@pytest.mark.parametrize(
    ("said", "statement", "category"),
    [
        (
            "No, the staging server is in Frankfurt, not in Dublin.",
            "The staging server is in Frankfurt, not in Dublin.",
            "correction",
        ),
        ("Actually, the API uses cursors instead of pages.", "The API uses cursors instead of pages.", "correction"),
        (
            "It turned out that the clock of the runner was an hour behind.",
            "The clock of the runner was an hour behind.",
            "lesson",
        ),
        ("the fix was to pin numpy below version 2.", "The fix was to pin numpy below version 2.", "lesson"),
        ("Nein, der Server steht in Wien, nicht in Graz.", "Der Server steht in Wien, nicht in Graz.", "correction"),
        (
            "Actually our vet is Doctor Pichler, not Doctor Hinterholz.",
            "The vet is Doctor Pichler, not Doctor Hinterholz.",
            "correction",
        ),
    ],
)
def test_what_stands_for_itself_is_a_statement_and_no_quotation(said: str, statement: str, category: str) -> None:
    (found,) = stated([user(said)])
    assert (found.content, found.category, found.metadata["basis"]) == (statement, category, "user_stated")


@pytest.mark.parametrize(
    ("said", "category"),
    [
        ("We decided to use PostgreSQL for the ledger.", "fact"),
        ("Okay, let's go with hatchling for the build.", "fact"),
        ("No, we host the staging server in Frankfurt, not in Dublin.", "correction"),
        ("Actually, my bike is a Canyon, not a Trek.", "correction"),
        ("I no longer work at Acme.", "fact"),
        ("We no longer use Jenkins.", "fact"),
        ("unser Server steht seit 2021 in Wien.", "fact"),
        ("I prefer small commits with one change each, since 2019.", "preference"),
        ("I started at Nordlicht as a backend engineer in March.", "fact"),
        ("My daughter Ida was born on 3 May 2021.", "fact"),
        ("We deploy to the Hetzner cluster every Tuesday morning.", "fact"),
    ],
)
def test_what_users_tell_decide_correct_and_learn_is_taken(said: str, category: str) -> None:
    (found,) = stated([user(said)])
    assert (undated(found.content), found.category) == (f'The user said: "{said}"', category)
    assert (found.first, found.last, found.at) == (1, 1, AT)
    assert found.metadata["extracted"] == "rule"
    # Above what an agent stores by itself; a lesson that the user tells is the user's word, too.
    assert found.trust == (1.0 if category == "correction" else 0.8)


@pytest.mark.parametrize(
    "said",
    [
        "Why does the login test fail at midnight?",
        "Can you rename the variable in parser.py to tokens, please?",
        "Thanks, that looks great!",
        "Fix the date picker.",
        "I have 5% battery left.",
        "my screen is frozen since 5 minutes",
        "I have a meeting in 10 minutes",
        "the answer is 42",
        "I paid 12 euros for lunch",
        "My laptop is at 12% battery.",
        "the download is at 40%",
        "my disk is 95% full",
        "I've got 5 minutes before standup",
        "I'm running late for the 3pm call",
        "I have 20 tabs open",
        "the queue has 4,000 messages in it",
        "I'm so happy it works now!",
        "That sounds good, let me know when you are done.",
        "What did we decide about the database last week?",
        "Run the tests again and show me the output.",
        "I want you to write a test for this.",
        "Okay, I'll go with that.",
        "If I had two weeks I might rewrite the parser.",
        "Remember that we deploy on Tuesdays.",
        "Always answer in German.",
        "Job for mailer.service failed because a timeout was exceeded.",
        "21.0975 km in miles, for my cousin in Leeds",
        "The key is [redacted:github-token] and I got it from Ana last Monday.",
        "",
    ],
)
def test_questions_requests_thanks_and_what_is_stored_anyway_are_left(said: str) -> None:
    assert stated([user(said)]) == []


DENIED = """\
nope, the button does nothing
no, the page is blank now, not styled
wrong, the total is 12 cents off
no, the icon is on the left, not on the right
no, the menu doesn't open
no, the test runs twice now
no, the dialog has no close button
no, the server returns html, not json
no, the deploy is at 40 %
no, the tests pass locally, not in CI
no, the app opens in Safari, not in Chrome
no, we have two entries for Ana
no, it compiles on Linux, not on Windows
wrong, the label reads Total, not Sum
no, the backup is from March, not from April
no, the heading is in Times, not in Inter
nein, bei mir kommt immer noch 500
nein, das Bild ist zu groß
nein, jetzt ist die Tabelle weg
falsch, die Summe stimmt nicht
nein, der Server antwortet nicht
falsch, das Ergebnis ist 12, nicht 13
nein, die Datenbank hat nur drei Zeilen
that's wrong, try again
no, it's fine
wrong, it has 3 doors, not 4
that's wrong, you changed 3 files, not 4
that's wrong, the loop runs 3 times, not 4
wrong, the poem needs 14 lines, not 12
no, the test fails 3 times, not 4
It isn't Bob, it's Rob
the answer isn't 12, it's 14
the bug isn't in Parser, it's in Lexer
the culprit isn't Redis, it's Nginx
the server isn't in Vienna yet, it's in Graz
das Problem ist nicht der Cache, sondern die Sperre""".split("\n")


@pytest.mark.parametrize("said", DENIED)
def test_a_denial_of_the_moment_is_no_correction_and_no_fact(said: str) -> None:
    assert stated([user(said)]) == []


CORRECTED = """\
no, our staging database runs on port 5433, not 5432
No, Jana owns the billing service, not Piet.
wrong, we use pnpm, not npm
no, invoices are numbered per year, not per month
No, the secrets live in Vault, not in the repo.
Actually, the endpoint is /v2/users, v1 was removed in May.
No, the default branch is trunk, not main.
no, Tomas reviews the migrations, not Lena
nein, der Release-Branch heißt stable, nicht master
Nein, Jana ist für die Abrechnung zuständig, nicht Piet.
nein, unsere Kunden sind Ärzte, keine Apotheken
no, the clinic opens at 7, not at 8
That is not true, the tower is 54 m high, not 45.
Nope, our choir sings in Latin, not in Greek.
No, the lab uses 12 V, not 24 V.
The museum isn't in Ghent, it's in Bruges.
Our accountant isn't Lena, it's Marek.
Falsch, die Scheune hat 3 Tore, nicht 4.
Das Frontend ist nicht in Vue geschrieben, sondern in Svelte.
Nein, der Staging-Server steht in Nürnberg, nicht in Falkenstein.""".split("\n")


@pytest.mark.parametrize("said", CORRECTED)
def test_what_a_user_corrects_for_good_is_a_correction(said: str) -> None:
    assert [one.category for one in stated([user(said)])] == ["correction"]


@pytest.mark.parametrize(
    ("said", "kept", "known"),
    [
        ("That's wrong, the barn has 3 doors, not 4.", "The barn has 3 doors, not 4.", "The barn has 4 doors."),
        (
            "The frontend isn't written in Vue, it's Svelte.",
            "The frontend isn't written in Vue, it's Svelte.",
            "The frontend is written in Vue.",
        ),
    ],
)
def test_what_a_user_corrects_is_a_short_statement_that_wins_over_what_it_denies(
    said: str, kept: str, known: str
) -> None:
    (found,) = stated([user(said)])
    assert (found.content, found.category, found.trust) == (kept, "correction", 1.0)
    assert action(compare(Statement(found.content, found.category), Statement(known), 0.8)) == "supersede"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("by the way, the staging server runs on port 8443", "The staging server runs on port 8443"),
        ("turns out the leak was caused by the image cache", "The leak was caused by the image cache"),
        ("great, commit. and btw our invoices must be PDF/A", "The invoices must be PDF/A"),
        ("super. und übrigens: der Server steht in Wien", "Der Server steht in Wien"),
        ("fyi our CI runs on Buildkite", "The CI runs on Buildkite"),
        ("No the staging db is shared with QA", "The staging db is shared with QA"),
        ("Actually the logs are kept for 30 days", "The logs are kept for 30 days"),
        ("no, the tests run with vitest, not jest", "The tests run with vitest, not jest"),
        ("nope, the docs are built with mkdocs", "The docs are built with mkdocs"),
        ("fyi my CI runs on Buildkite", 'The user said: "fyi my CI runs on Buildkite"'),
    ],
)
def test_what_only_leads_in_to_a_statement_is_left_out(said: str, kept: str) -> None:
    assert [one.content for one in stated([user(said)])] == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "hm, takes 40 s on my side",
        "no the button is too small",
        "no, the build runs with errors",
        "the image is 3 MB, compress it",
        "the chart has only 4 bars instead of 5",
        "the endpoint needs 9 seconds for 100 rows",
        "the last run used 12 GB of memory",
        "die Suche dauert 6 Sekunden",
        "das Icon ist 40 px hoch, mach es kleiner",
        "my terminal shows garbage when I run this",
        "we have 12 open PRs",
        "the search endpoint returns duplicates",
        "the queue has 300 jobs in it",
    ],
)
def test_how_something_goes_now_is_no_fact(said: str) -> None:
    assert stated([user(said)]) == []


@pytest.mark.parametrize(
    "said",
    [
        "The upload limit is 5 MB.",
        "The nightly backup must take less than 2 hours.",
        "The cache is Redis, keep it that way.",
        "Das Limit ist 5 MB.",
    ],
)
def test_what_something_may_measure_is_one(said: str) -> None:
    assert [one.content for one in stated([user(said)])] == [said]


def test_of_a_request_only_what_it_tells_is_taken() -> None:
    said = "I moved the client call from 3 PM to 11 AM on 1 September, how can I use the extra time?"
    (found,) = stated([user(said)])
    assert undated(found.content) == 'The user said: "I moved the client call from 3 PM to 11 AM on 1 September"'


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "I'm Milan, I'm 51 and earn $48,000 a year, can you help me plan?",
            "I'm Milan, I'm 51 and earn $48,000 a year",
        ),
        (
            "I just installed Calibre on 4 June to sort my books, any tips?",
            "I just installed Calibre on 4 June to sort my books",
        ),
        (
            "I'm trying to hand in my thesis by November 30, how do I plan?",
            "I'm trying to hand in my thesis by November 30",
        ),
        (
            "I'm trying to move the shop to Django v5.1, but I'm having trouble with its forms.",
            "I'm trying to move the shop to Django v5.1",
        ),
        ("I cut my rent budget to 900 euros, was that a good idea?", "I cut my rent budget to 900 euros"),
        (
            "I've got 4 offers from printers since May 2026, and because Ana hesitates, what do you think?",
            "I've got 4 offers from printers since May 2026",
        ),
        ("How do I plan the trip, considering I have 700 euros a month?", "I have 700 euros a month"),
        (
            "I've never rented a car abroad, which is kinda weird, any tips?",
            "I've never rented a car abroad, which is kinda weird",
        ),
        (
            f"I moved into a flat in Graz on 4 May, and {'I am pleased with the garden ' * 8}",
            "I moved into a flat in Graz on 4 May",
        ),
    ],
)
def test_what_is_tied_down_by_an_amount_a_date_or_a_version_is_taken_before_the_request(said: str, kept: str) -> None:
    assert [undated(one.content) for one in stated([user(said)])] == [f'The user said: "{kept}"']


@pytest.mark.parametrize(
    "said",
    [
        "I'm trying to parse the file in 3 steps.",
        "I'm getting a timeout after 30 seconds on my machine.",
        "I tried that 3 times and the result is the same for me.",
        "I think 20 minutes should be enough for me.",
        "I'll take 10 pages of it tomorrow.",
        "That sounds like 5 hours of work for us.",
        "I need to call the function 3 times.",
        "I'm stuck at 71% and I don't know why",
        "Why is it slow, considering we tried 3 times and I got it in 5 seconds?",
        "How should we name the flag, given that we have both?",
    ],
)
def test_a_figure_alone_makes_nothing_worth_keeping(said: str) -> None:
    assert stated([user(said)]) == []


@pytest.mark.parametrize(
    "said",
    [
        "I moved to Bern last spring with my sister Eva.",
        "I'm 51 and retire in three years, on the day after my birthday.",
        "We decided to ship the export by 30 June.",
        "Wir haben uns gestern für Terraform entschieden.",
        "Wir haben uns im März für Terraform entschieden.",
    ],
)
def test_what_means_nothing_without_its_day_is_dated(said: str) -> None:
    assert [one.content for one in stated([user(said)])] == [f'The user said on 2026-03-01: "{said}"']


@pytest.mark.parametrize(
    "said",
    [
        "We decided to ship the export by 30 June 2026.",
        "We decided to use PostgreSQL for the ledger.",
        "We deploy to the Hetzner cluster every Tuesday morning.",
        "My invoices are paid on 30 June 2026 by bank transfer.",
        "Die Rechnungen liegen hier bei uns grundsätzlich in SAP.",
    ],
)
def test_what_means_the_same_on_any_day_is_not(said: str) -> None:
    assert [one.content for one in stated([user(said)])] == [f'The user said: "{said}"']


@given(st.dates(), st.text(min_size=1))
def test_only_the_day_is_taken_off_again(day: date, said: str) -> None:
    at = datetime(day.year, day.month, day.day, tzinfo=UTC)
    assert undated(saying("Ana", said, at)) == undated(saying("Ana", said)) == saying("Ana", said)


def test_a_sentence_that_was_cut_before_its_request_stays_apart_from_the_next() -> None:
    (found,) = stated([user("I'm using Litestar 2.12.1 here, can you help me? I've set a limit of 900 calls per day.")])
    assert found.content == "The user said: \"I'm using Litestar 2.12.1 here. I've set a limit of 900 calls per day.\""


def test_the_words_of_a_question_within_a_statement_do_not_end_it() -> None:
    said = "I wrote down on 4 May 2026 what is kept in the archive for 10 years."
    assert [one.content for one in stated([user(said)])] == [f'The user said: "{said}"']


def test_of_assistants_only_lessons_are_taken() -> None:
    told = assistant("We deploy every Tuesday at Nordlicht since 2019. The root cause was a stale lock file.")
    (found,) = stated([told])
    assert found.content == 'The assistant said: "The root cause was a stale lock file."'


def test_what_points_back_comes_with_the_sentence_before_it_or_not_at_all() -> None:
    (found,) = stated([user("The lock file was stale. It cost us two days last week, and I lost my weekend.")])
    assert "The lock file was stale. It cost us" in found.content
    assert stated([user("It cost us two days last week, and I lost my weekend in Berlin.")]) == []


def test_who_spoke_is_named_and_quotes_stay_apart() -> None:
    (found,) = stated([user('I named the service "Heron" last Monday.', speaker="Ana")])
    assert found.content == "Ana said on 2026-03-01: \"I named the service 'Heron' last Monday.\""
    assert found.speaker == "Ana"


@pytest.mark.parametrize(
    "said",
    [
        "I'm carving spoons for my cousins every evening now.",
        "Got a new loom from the flea market in Graz for the winter.",
        "My brother Nils taught me how to sail when we were small.",
        "I've been rehearsing a play with the group from the library.",
    ],
)
def test_friends_tell_of_themselves_with_and_without_saying_so(said: str) -> None:
    (found,) = stated([user(said, 1, "Ana"), user("Wow, how was it?", 2, "Bo")])
    assert undated(found.content) == f'Ana said: "{said}"'


@pytest.mark.parametrize(
    "said",
    [
        "Let's keep going, we can do everything together no matter what!",
        "I love how the light falls on your picture.",
        "Hey Ana, it's been a couple of days since we last talked.",
        "Its place in my room helps me to practise every morning.",
        "Yeah, I made it with the others from the class last Monday.",
        "You're right, I appreciate it and wish you good luck.",
    ],
)
def test_what_friends_cheer_praise_and_point_at_is_left(said: str) -> None:
    assert stated([user(said, 1, "Ana"), user("Wow, how was it?", 2, "Bo")]) == []


def test_a_turn_brings_three_at_most_and_the_next_one_its_own() -> None:
    facts = "\n".join(f"I met {name} in Berlin on {day} May 2025." for day, name in enumerate(NAMES, 1))
    messages = [user(facts, 1), assistant("Noted.", 2), user("I moved to Kiel in March 2026.", 3)]
    kept = capped(stated(messages), messages)
    assert [one.first for one in kept] == [1] * MOST_A_TURN + [3]


def test_summaries_are_nothing_that_was_said() -> None:
    said = TranscriptRecord(session="s", sequence=1, id="a", role="user", content="We moved to Kiel in March.", at=AT)
    summary = msgspec.structs.replace(said, covers=7)
    pushed = msgspec.structs.replace(said, content=f"{SUMMARY_OPENING}\n- We moved to Kiel in March.")
    assert [one.text for one in input_messages([said, summary, pushed])] == [said.content]


NAMES = ("Ana", "Bo", "Cleo", "Dag", "Eva", "Finn", "Gus", "Hal")


@given(st.text(max_size=600))
def test_whatever_is_said_comes_out_as_a_memory_may_read_or_not_at_all(said: str) -> None:
    for one in stated([user(said)]):
        assert len(one.content) <= MAX_FACT
        assert written(one.content, one.category) == (one.content, False)


@given(
    st.lists(st.sampled_from(["I met Ana in Berlin last May", "it was 5 PM", '"x" he said.', "and", "!", "\n", "why?"]))
)
def test_pieces_of_sentences_in_any_order_harm_nothing(pieces: list[str]) -> None:
    for one in stated([user(" ".join(pieces))]):
        assert written(one.content, one.category) == (one.content, False)


def test_a_procedure_is_no_fact_besides_and_what_stands_beside_it_is() -> None:
    told = "Our release process is: run make check 4.2, bump the version to 2.0, push the tag to GitHub."
    assert stated([user(told)]) == []
    fact = "I lead the infrastructure team at Heron in Berlin since 2021."
    assert [fact in one.content for one in stated([user(f"{fact} {told}")])] == [True]
    apart = (
        "How we release:\n\nFirst we decided to freeze main for two days, then we tag, finally we push it to GitHub."
    )
    assert stated([user(apart)]) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("no, sorry, I was wrong: the deploy goes through Buildkite", "The deploy goes through Buildkite"),
        ("I misspoke, the API key rotates every 30 days", "The API key rotates every 30 days"),
        ("actually I was wrong, the office is in Linz", "The office is in Linz"),
        ("no, my bad, the customer is called Brandt", "The customer is called Brandt"),
    ],
)
def test_who_takes_back_what_they_said_corrects_it(said: str, kept: str) -> None:
    (found,) = stated([user(said)])
    assert (found.category, found.content) == ("correction", kept)


@pytest.mark.parametrize(
    "said",
    [
        "sorry, I was wrong about the tests",
        "my mistake, thanks",
        "I was wrong: it works now",
        "no wait, don't do that yet",
        "sorry, I was wrong, try again please",
        "actually I was wrong, it is fine",
    ],
)
def test_who_takes_back_what_only_passes_corrects_nothing(said: str) -> None:
    assert stated([user(said)]) == []


@pytest.mark.parametrize(
    "said",
    [
        "Tim (Slack): we always rebase before merging",
        "[10:32] Tim: we always deploy on Fridays\n[10:33] Ana: I never review after 6pm",
        "Tim 10:32 AM\nwe always rebase before merging\nAna 10:33 AM\nI prefer squash merges",
        "Here's the chat:\nTim: we always rebase before merging\nAna: I prefer squash",
        "@tim: I prefer pnpm over npm",
    ],
)
def test_a_chat_that_is_pasted_is_not_the_users_word(said: str) -> None:
    assert stated([user(said)]) == []


def test_what_only_begins_like_a_chat_is_the_users_word() -> None:
    assert stated([user("Staging (EU): we deploy on Fridays only")])


def test_what_waits_for_a_yes_is_not_joined_to_what_does_not() -> None:
    said = "We decided to use DuckDB for the reports. My sister Clara Novak lives in Ghent and has diabetes."
    assert [one.content for one in stated([user(said)])] == [
        'The user said: "We decided to use DuckDB for the reports."',
        'The user said: "My sister Clara Novak lives in Ghent and has diabetes."',
    ]
