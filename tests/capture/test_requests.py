"""What counts as a request to remember, in five languages, and what does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.capture import explicit, standing_instruction
from memoryd_actors.capture.captured import MOST_CHARACTERS
from memoryd_actors.capture.explicit import MOST_GIST, may_ask
from memoryd_actors.capture.language import LANGUAGES

BEFORE = "The staging database listens on port 5433."

ASKED = [
    ("Remember that the staging DB is on port 5433.", "the staging DB is on port 5433."),
    ("please remember: my editor is Helix", "my editor is Helix"),
    ("Could you please remember that I prefer tabs?", "I prefer tabs"),
    ("Keep in mind that the API is rate limited.", "the API is rate limited."),
    ("Don\u2019t forget that the CI needs Node 20.", "the CI needs Node 20."),
    ("ok, fix it. And please remember that we squash commits.", "we squash commits."),
    ("Fix the typo, and please remember that we deploy on Tuesdays.", "we deploy on Tuesdays."),
    ("Remember I'm on Windows 11", "I'm on Windows 11"),
    ("Oh and remember, the linter config is in ruff.toml", "the linter config is in ruff.toml"),
    ("plz remember that the demo is on Monday", "the demo is on Monday"),
    ("note to self: the tests need redis running", "the tests need redis running"),
    ("add this to your memory - I live in Graz", "I live in Graz"),
    ("Never forget: backups first.", "backups first."),
    ("Speicher dir das: Mein Editor ist Helix.", "Mein Editor ist Helix."),
    ("save this to memory: the token lives in the vault", "the token lives in the vault"),
    ("Hey, remember I prefer short answers", "I prefer short answers"),
    ("Remember to always run the tests before a commit", "always run the tests before a commit"),
    ('Remember that "main" is protected.', '"main" is protected.'),
    ("Remember that Dr. Smith owns the cluster.", "Dr. Smith owns the cluster."),
    ("We deploy on Tuesdays. Remember that.", "We deploy on Tuesdays."),
    ("We deploy on Tuesdays, please remember that.", "We deploy on Tuesdays"),
    ("The build needs Node 20 \u2014 keep that in mind.", "The build needs Node 20"),
    ("The cluster is in Oslo. It has nine nodes. Remember this, please.", "The cluster is in Oslo. It has nine nodes."),
    ("Remember this. We deploy on Tuesdays.", "We deploy on Tuesdays."),
    ("remember this", BEFORE),
    ("Save this!", BEFORE),
    ("Could you remember this for later?", BEFORE),
    ("Remember the following:\n- tabs, not spaces\n- tests first\n\nNow fix it.", "- tabs, not spaces\n- tests first"),
    ("Remember this command:\n```\nmake deploy ENV=staging\n```", "make deploy ENV=staging"),
    ("Merk dir, dass wir dienstags deployen.", "wir dienstags deployen."),
    ("Merk dir bitte: die Datenbank läuft auf Port 5433.", "die Datenbank läuft auf Port 5433."),
    ("Wir deployen dienstags. Merk dir das.", "Wir deployen dienstags."),
    ("Kannst du dir bitte merken, dass ich Tabs bevorzuge?", "ich Tabs bevorzuge"),
    ("Vergiss nicht, dass die CI Node 20 braucht.", "die CI Node 20 braucht."),
    ("Denk dran: freitags kein Deploy.", "freitags kein Deploy."),
    ("Merk dir das bitte", BEFORE),
    (
        "Remember how we translate docs: export the strings, send them to Lokalise, import the result.",
        "how we translate docs: export the strings, send them to Lokalise, import the result.",
    ),
    ("Please remember where the spare keys are: in the shed.", "where the spare keys are: in the shed."),
    ("Don't forget who signs invoices: Anna.", "who signs invoices: Anna."),
    ("Merk dir den Ablauf: bauen, testen, ausliefern.", "den Ablauf: bauen, testen, ausliefern."),
    ("remember the spare key is under the pot", "the spare key is under the pot"),
    ("Remember the API key rotates monthly.", "the API key rotates monthly."),
    ("please remember port 8080 is taken by Jenkins", "port 8080 is taken by Jenkins"),
    ("Remember Anna owns the cluster.", "Anna owns the cluster."),
    ("Remember all invoices go to billing.", "all invoices go to billing."),
    ("please remember I park on level 3", "I park on level 3"),
    ("Don't forget the backup server uses port 2222.", "the backup server uses port 2222."),
    ("Note that our customer Brandl pays late.", "our customer Brandl pays late."),
    ("Merk dir, der Schlüssel liegt unter der Matte.", "der Schlüssel liegt unter der Matte."),
    ("Remember that the stages are:\n- build\n- test\n\nNow fix it.", "the stages are:\n- build\n- test"),
]


@pytest.mark.parametrize(("message", "content"), ASKED)
def test_what_is_asked_for_is_found_in_its_own_words(message: str, content: str) -> None:
    assert [one.content for one in explicit(message, BEFORE)] == [content]


NOT_ASKED = [
    "more of it, please keep it in mind for later",
    "mehr davon, merk dir das bitte",
    "Can you remember where we put the keys: in the drawer or not?",
    "Remember the day we met: what a joy.",
    "Do you remember the port?",
    "remember when we fixed this?",
    "remember the bug from yesterday",
    "remember the tests we wrote last week",
    "remember how we solved the deadlock",
    "remember the guy who is always late",
    "remember to run the linter before you commit",
    "Remember the old parser? It was slow.",
    "Does the cache remember the user is logged in?",
    "I can't remember the password policy",
    "Note that this function returns None here.",
    "Note that my tests are failing on Windows.",
    "Merk dir die Stelle bitte",
    "Remember?",
    "We deploy on Tuesdays, remember?",
    "Can you remember this?",
    "Remember that time we broke production?",
    "what was the port? remember that",
    "Remember we talked about this yesterday",
    "Don't remember this.",
    "Do not save this to memory.",
    "No need to remember that.",
    "You don't have to remember this.",
    "I don't want you to remember that.",
    "I couldn't remember the name of it.",
    "I remember that the port is 5433.",
    "I'll remember that the port is 5433",
    "She told me to remember that the port is 5433.",
    'She said "remember that the port is 5433".',
    "\u201cRemember that the port is 5433.\u201d",
    "Rename `remember that` to `note that`.",
    "Write a function remember(this: str) that stores it.",
    "```\nremember that the port is 5433\n```",
    "> remember that the port is 5433\n\nWhat does he mean?",
    "2026-01-01 10:00 INFO a\n2026-01-01 10:01 INFO remember that b\n2026-01-01 10:02 INFO c",
    "save this file to disk",
    "save this as foo.py",
    "Please save the results.",
    "How do I store this in memory?",
    "Remember to push the branch.",
    "Remember, just do it!",
    "And remember, I'm always here for you.",
    "Just remember to take breaks.",
    "Remember, run the tests first.",
    "Add this to your memory game - it needs sound.",
    "Put this in memory - it leaks.",
    "Do you remember I'm on Windows?",
    "Don't forget your passion for dance.",
    "Merkst du dir das?",
    "Ich konnte mir den Namen nicht merken.",
    "Merk dir das nicht.",
    "Kannst du dir das merken?",
    "No recuerdes esto.",
    "Ti ricordi la porta?",
    "Non ricordare questo.",
    "",
]


@pytest.mark.parametrize("message", NOT_ASKED)
def test_questions_negations_quotes_and_tales_ask_for_nothing(message: str) -> None:
    assert explicit(message, BEFORE) == ()


@pytest.mark.parametrize(
    ("message", "category"),
    [
        ("Remember that the staging DB is on port 5433.", "fact"),
        ("Remember that I prefer tabs.", "preference"),
        ("Remember that we always deploy on Tuesdays.", "fact"),
        ("Remember that from now on the answers have to be short.", "rule"),
        ("Remember to never push to main", "rule"),
        ("Remember: you must ask before deleting files", "rule"),
        ("No, actually the port is 5434. Remember that.", "correction"),
        ("No, remember that the port is 5434.", "correction"),
        ("No, the port is 5434, please remember: staging runs on 5434", "correction"),
        ("Merk dir: immer Tabs verwenden", "rule"),
        ("Merk dir, dass ich Tabs bevorzuge", "preference"),
    ],
)
def test_the_category_follows_from_the_words(message: str, category: str) -> None:
    assert [one.category for one in explicit(message)] == [category]


@pytest.mark.parametrize(
    ("message", "everywhere"),
    [
        ("Remember globally that I prefer dark mode.", True),
        ("Use tabs at all times. Remember this for all projects.", True),
        ("Merk dir das für alle Projekte: Tabs verwenden", True),
        ("Remember that the flag is set globally.", False),
        ("Remember that I prefer dark mode.", False),
    ],
)
def test_only_the_request_says_that_it_holds_everywhere(message: str, *, everywhere: bool) -> None:
    assert [one.everywhere for one in explicit(message)] == [everywhere]


def test_a_request_alone_takes_the_gist_of_the_message_before() -> None:
    (captured,) = explicit("Remember this.", f"{BEFORE} " + "More words follow here. " * 100)
    assert captured.from_before
    assert captured.content.startswith(BEFORE)
    assert captured.content.endswith(".")
    assert len(captured.content) <= MOST_GIST


def test_a_request_alone_takes_nothing_where_nothing_was_said_before() -> None:
    assert explicit("Remember this.") == ()


def test_a_pasted_instruction_full_of_requests_is_left_alone() -> None:
    assert explicit("\n".join(f"Remember that rule number {n} is binding." for n in range(20))) == ()


INSTRUCTIONS = [
    "Always format dates as Month Day, Year when I ask about timeline details.",
    "Never push to main without asking me.",
    "From now on, answer in English.",
    "Please always run the tests before you commit. They take a minute.",
    "Ab jetzt antworte bitte auf Deutsch.",
    "Never touch the vendor folder.",
    "Immer deutsch antworten bitte.",
]


@pytest.mark.parametrize("message", INSTRUCTIONS)
def test_a_message_that_only_instructs_is_a_standing_instruction(message: str) -> None:
    captured = standing_instruction(message)
    assert captured is not None
    assert (captured.content, captured.category) == (message, "rule")


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("also from now on squash commits", "from now on squash commits"),
        ("good. from now on, squash your commits before you push", "from now on, squash your commits before you push"),
        ("ok, and please never push to main", "please never push to main"),
        ("perfekt, danke. antworte ab jetzt auf Deutsch", "antworte ab jetzt auf Deutsch"),
    ],
)
def test_what_only_leads_in_to_an_instruction_is_left_out(message: str, content: str) -> None:
    captured = standing_instruction(message)
    assert captured is not None
    assert captured.content == content


@pytest.mark.parametrize(
    "message",
    [
        "Never give up!",
        "Never touch a running system.",
        "Always here to help you out.",
        "Never had the chance to visit Paris.",
        "ok never worked for me",
        "thanks, always a pleasure",
        "Always look on the bright side of life.",
        "Always run",
        "I've never written any Flask routes.",
        "Always run the tests? Or only before a commit?",
        "The sign says: always keep left. I took a picture of it. It was a nice day.",
        '"Always keep the door closed", the sign says.',
        "Never read that book before, is it good?",
        "Fix this:\n```\nalways use x\n```",
        "Always use the cache here. " + "The handler is slow and I want it fast. " * 12,
    ],
)
def test_cheer_tales_questions_and_tasks_are_no_standing_instructions(message: str) -> None:
    assert standing_instruction(message) is None


_PIECES = """remember that this : , . ? " ` ``` merk dir das dass please don't souviens-toi que recuerda ricorda che
always never we deploy <private> save in mind"""
_WORDS = st.sampled_from([*_PIECES.split(), "\n", "\n\n"])


@given(st.one_of(st.text(), st.lists(_WORDS, max_size=60).map(" ".join)), st.text())
def test_no_text_breaks_the_rules_and_what_is_found_is_bounded(message: str, before: str) -> None:
    standing_instruction(message)
    for one in explicit(message, before):
        assert may_ask(message)
        assert 0 < len(one.content) <= MOST_CHARACTERS


@given(st.sampled_from([stem for language in LANGUAGES for stem in language.requests.stems]))
def test_every_stem_is_written_as_it_is_looked_for(stem: str) -> None:
    assert stem == stem.lower()
    assert may_ask(stem.upper())


@pytest.mark.parametrize(
    "piece",
    ["remember ", "please ", "remember that ", "ok, ", "merk dir ", "a. ", '"', "`", "remember: ", "e.g. ", "- ", " "],
)
def test_a_long_text_made_of_one_piece_is_done_before_the_test_times_out(piece: str) -> None:
    text = piece * 200_000
    explicit(text, text)
    assert standing_instruction(text) is None
