"""How what a model or a rule wrote has to read: trimmed where that mends it, refused with the reason where not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.admission.writing import MAX_FACT, check_by_model, check_core_by_agent, written
from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.authorship import check_file_by_agent
from memoryd_actors.texts.sentences import sentences

LONG = "The importer reads " + ", ".join(f"table{number:03}" for number in range(40)) + "."


@pytest.mark.parametrize(
    "fact",
    [
        "The user prefers tabs over spaces.",
        "The project uses pnpm, not npm. Its lock file is checked in CI.",
        'The error message is "I cannot find your file", and it comes from `my_loader.py`.',
        "This project is built with Bazel 7.",
        "Tokens expire at midnight UTC (e.g. 2026-01-01T00:00Z), i.e. not in local time.",
        "Dr. Kim from Acme Inc. owns the I/O layer.",
        "The service runs on port 8080 behind nginx.",
        "Uses pnpm 9.1 with workspaces",
        "Der Nutzer arbeitet am 3. Mai in Köln, und sein Dienst ist für ihn wichtig.",
        "L'utilisateur préfère les tabulations, et il travaille pour nous à Lyon.",
        "用户更喜欢使用制表符缩进代码",
        "Build US releases from the release branch.",
    ],
)
def test_a_well_written_fact_is_kept_as_it_is(fact: str) -> None:
    assert written(fact, "fact") == (fact, False)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("The API is in Go. The UI is in Vue. The tests are in Python.", "The API is in Go. The UI is in Vue."),
        ("- Fact: The API is in Go.", "The API is in Go."),
        ("1. The API is in Go.", "The API is in Go."),
        ("The API\n  is in Go.", "The API is in Go."),
        (f"The API is in Go. {LONG}", "The API is in Go."),
        (f"The importer is slow for large tables; it should stream the rows that it reads; {LONG[:-1]}",
         "The importer is slow for large tables; it should stream the rows that it reads."),
        ("Die API ist in Go. Die UI ist in Vue. Der Rest ist egal.", "Die API ist in Go. Die UI ist in Vue."),
        ("接口用 Go 编写。界面用 Vue 编写。测试用 Python 编写。", "接口用 Go 编写。 界面用 Vue 编写。"),
    ],
)  # fmt: skip
def test_what_can_be_mended_is_trimmed_at_a_sentence_or_a_clause(given: str, kept: str) -> None:
    text, _ = written(given, "fact")
    assert text == kept


def test_trimming_is_told_and_folding_white_space_is_not() -> None:
    assert written("The API is in Go. The UI is in Vue. The end.", "fact")[1]
    assert not written("The API is in Go.", "fact")[1]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (LONG, "280 characters.*has 418"),
        ("It is deployed with Helm.", "'It'"),
        ("They prefer the old layout of the page.", "'They'"),
        ("This is the reason for the outage.", "'This is'"),
        ("The importer has the same bug as mentioned above.", "as mentioned"),
        ("I prefer tabs over spaces.", "third person.*'I'"),
        ("The team said that we deploy on Fridays.", "third person.*'we'"),
        ("The user should check your config.", "third person.*'your'"),
        ("Our API is in Go, and I'm fond of it.", "third person.*'Our'"),
        ("ok thanks", "trivial"),
        ("Yes.", "trivial"),
        ("The user said hello.", "trivial"),
        ("The user thanked the assistant.", "trivial"),
        ("There is nothing new to remember.", "trivial"),
        ("None", "trivial"),
        ("The user is currently debugging the importer.", "moment.*debugging"),
        ("The assistant is running the tests.", "moment.*running"),
        ("The build of the importer is broken right now.", "moment.*right now"),
        ("The user has an appointment tomorrow.", "moment.*tomorrow"),
    ],
)
def test_what_cannot_be_mended_is_refused_with_the_reason(given: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason) as refused:
        written(given, "fact")
    assert refused.value.hint


@pytest.mark.parametrize(
    "episode",
    [
        "The user and the assistant fixed the midnight bug in the importer.",
        "The team chose SQLite because it needs no server. They wrote that down in the README.",
        "Yesterday's outage was traced to a full disk.",
        "Der Nutzer und der Agent beheben den Fehler im Import.",
    ],
)
def test_an_episode_is_told_in_the_past_tense(episode: str) -> None:
    assert written(episode, "episode")[0] == episode


def test_an_episode_in_the_present_tense_is_refused_and_a_fact_is_not() -> None:
    text = "The user fixes the midnight bug in the importer."
    assert written(text, "fact")[0] == text
    with pytest.raises(Refused, match="past tense"):
        written(text, "episode")


def test_an_episode_may_be_longer_than_a_fact() -> None:
    text = f"The user and the assistant compared the tables of the importer, namely {LONG[19:]}"
    assert written(text, "episode")[0] == text


def test_the_steps_of_a_procedure_are_kept() -> None:
    steps = "1. Stop the daemon.\n2. Copy the folder.\n3. Start the daemon. 4. Check it."
    assert written(steps, "procedure") == (steps, False)


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=400)


@given(words, st.sampled_from(["fact", "preference", "episode"]))
def test_what_is_written_fits_and_is_not_changed_again(text: str, category: str) -> None:
    try:
        once, _ = written(text, category)
    except Refused:
        return
    assert len(list(sentences(once))) <= 2
    assert category == "episode" or len(once) <= MAX_FACT
    assert written(once, category) == (once, False)


@given(words)
def test_the_sentences_of_a_text_are_the_text(text: str) -> None:
    assert "".join("".join(sentence.text for sentence in sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("Ich mag Tee am Morgen.", "third person"),
        ("J'habite à Paris depuis mars.", "third person"),
        ("Я живу в Москве.", "third person"),
        ("What is the port of the mirror?", "question"),
        ("Welcher Port ist es auf dem Server?", "question"),
    ],
)
def test_questions_and_the_first_person_of_other_languages_are_refused(content: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        written(content, "fact")


@pytest.mark.parametrize(
    "content", ["Der Nutzer mag Tee am Morgen.", "Icheon liegt in Korea.", "Jenkins baut den Spiegel."]
)
def test_what_only_begins_like_it_is_kept(content: str) -> None:
    assert written(content, "fact")[0] == content


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("User just asked about the weather", "moment.*just asked"),
        ("The user asked how the importer works.", "moment.*asked how"),
        ("The build is failing right now.", "moment.*right now"),
        ("Der Nutzer hat gerade nach dem Wetter gefragt.", "moment"),
        ("Lint is green now.", "moment.*Lint is green"),
        ("The staging server is down.", "moment"),
        ("The download is at 40%.", "moment"),
        ("The user is on a call.", "moment"),
        ("The user is going to lunch.", "moment"),
        ("The user is going to review the tests next.", "moment.*next"),
        ("We are going to talk about the deployment later.", "moment"),
        ("The meeting starts in ten minutes.", "moment"),
        ("Important: remember this", "moment"),
        ("Everything works as expected", "moment"),
        ("There was an error", "moment"),
        ("The user wants to see the diff", "moment"),
        ("The login bug has been fixed", "moment"),
        ("The PR has been merged", "moment"),
        ("The migration is complete", "moment"),
        ("Finished refactoring the auth module", "moment"),
        ("Committed the changes to the feature branch", "moment"),
        ("User approved the plan", "moment"),
        ("The agent should be more careful", "moment"),
        ("The user uploaded a screenshot of the error", "moment"),
        ("The last command timed out", "moment"),
        ("Here is the plan for the refactoring", "moment"),
        ("It depends on the configuration", "moment"),
        ("The user seems happy with the result", "moment"),
        ("Deploy is in progress.", "moment"),
        ("The user seems tired.", "moment"),
        ("The user requested a summary of chapter 2.", "moment"),
        ("The agent has finished task 3.", "moment"),
        ("The conversation so far was about sailing.", "moment"),
        ("This is important.", "moment"),
        ("The last build failed.", "moment"),
        ("The user closed the editor.", "moment"),
        ("TODO: add tests for the parser.", "moment.*TODO"),
        ("Next step: deploy to staging.", "moment"),
        ("Nächste Schritte: Doku schreiben", "moment"),
        ("L'utilisateur vient de demander la météo.", "moment"),
        ("Les tests passent.", "moment"),
        ("El usuario acaba de preguntar por el tiempo.", "moment"),
        ("I fixed the login bug and ran the tests.", "about you.*'I'"),
        ("The assistant helped with the migration.", "about you.*assistant"),
        ("ok thanks", "trivial"),
        (LONG, "280 characters.*has 418"),
    ],
)
def test_what_a_model_stores_and_nobody_needs_is_refused_with_what_to_write_instead(given: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason) as caught:
        check_by_model(given, "fact")
    assert caught.value.hint


@pytest.mark.parametrize(
    "given",
    [
        "The user lives in Seattle, WA.",
        "We deploy on Tuesdays, never on Fridays.",
        "The user asked that every pull request be squashed.",
        "Never give me iptables commands again.",
        "Alerts of severity ticket land in the chat channel only.",
        'The error message is "I cannot find your file".',
        "CI is green only when lint passes.",
        "The staging server is down on Sundays for backups.",
        "The build is broken on Windows paths with spaces.",
        "Tests are slow because they start Docker.",
        "The user is busy on Fridays.",
        "We are going to support Windows next year.",
        "Everything in the cluster works over mTLS only.",
        "There are no integration tests for the importer.",
        "The user wants to see the diff before every commit.",
        "The PR template has been in use since 2024.",
        "The agent must never push to main.",
        "The task runner is done with just, not make.",
        "The user approved the Postgres migration for May 2026.",
        "Finished goods are stored in hall 4.",
        "Pushed images are signed with cosign in CI.",
        "The user looks after the billing service at Acme.",
        "We are going to try Postgres for the new service.",
        "The user closed the Jenkins account in 2025.",
        "The last deploy of the week is on Thursday.",
        "TODO comments must carry an owner.",
        "Los tests pasan por un proxy.",
        "L'utilisateur préfère le thé.",
    ],
)
def test_what_a_model_stores_of_the_user_and_the_project_is_taken(given: str) -> None:
    check_by_model(given, "fact")


@pytest.mark.parametrize(
    ("category", "given", "reason"),
    [
        ("event", "The user just asked about the weather.", "moment"),
        ("event", "The user is currently looking at the logs.", "moment"),
        ("event", "Right now the tests are running.", "moment"),
        ("episode", "I helped the user fix a bug.", "about you"),
        ("Procedural ", "I will now look at the file.", "about you"),
        ("procedure", LONG, "280 characters"),
        ("fact", "As requested, this was stored.", "about you"),
        ("fact", "Let me summarize what happened.", "about you"),
        ("fact", "The user told me to check the logs.", "about you"),
        ("fact", "Sure, the file is renamed.", "about you"),
        ("fact", "Memory saved.", "about you"),
        ("fact", "The user just merged the feature branch.", "moment"),
        ("fact", "Waiting for the user's confirmation.", "moment"),
        ("fact", "The server is restarting.", "moment"),
        ("fact", "The user is about to leave for lunch.", "moment"),
        ("fact", "Die Pipeline läuft gerade.", "moment"),
        ("fact", "The server is down.", "moment"),
        ("fact", "Our staging server is offline again.", "moment"),
        ("fact", "Der Server ist down.", "moment"),
        ("fact", "Fixed the bug.", "moment"),
        ("event", "Successfully updated the config.", "moment"),
        ("fact", "All tests pass.", "moment"),
        ("fact", "The tests pass now.", "moment"),
        ("fact", "Working on the invoice PDF.", "moment"),
        ("fact", "We are in the middle of refactoring the auth module.", "moment"),
        ("fact", "The last command failed.", "moment"),
        ("fact", "test test test", "trivial"),
        ("fact", "Claude helped the user set up the repository.", "about you"),
        ("fact", "The assistant's answer was accepted.", "about you"),
        ("fact", "Should the cache be cleared?", "question"),
        ("fact", "It works.", "trivial"),
        ("fact", "No problem.", "trivial"),
        ("fact", "Vim.", "trivial"),
    ],
)
def test_no_category_is_a_way_around_and_the_refusal_says_what_to_write(category: str, given: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason) as caught:
        check_by_model(given, category)
    assert caught.value.hint


@pytest.mark.parametrize(
    "given",
    """Use uv.
Port 5432.
Prefers tabs.
No emojis.
Postgres 16.
MIT licence.
Never rebase.
The API is running on port 8080.
The staging host is running Debian 12.
The cache is just used for sessions.
The assistant service in src/assistant/ listens on port 8090.
The site is down every Sunday between 2 and 4 for backups.
Fixed the login by raising the token's lifetime to 30 minutes.
Fixed widths are used for the invoice table.
The agent restarted the prod deployment by mistake in March.
Gemini is the provider of the staging environment.
The team is migrating from Jenkins to GitHub Actions.
Let's Encrypt issues the certificates.
Running the tests needs Docker.
API keys are saved in 1Password.
The user said that tabs are banned.
ruff has the rules E, F, I and UP switched on.
The API now lives in services/api.
CI runs on push.
Working on main directly is forbidden.
El usuario vive en Sevilla.
用户喜欢喝茶""".splitlines(),
)
def test_what_is_short_and_says_something_is_taken(given: str) -> None:
    check_by_model(given, "fact")


def test_what_happened_has_its_day() -> None:
    check_by_model("Version 2.1 shipped yesterday.", "event")
    check_by_model("The server crashed this morning because the disk was full.", "episode")


def test_steps_may_be_long() -> None:
    check_by_model(f"How to release:\n1. {LONG}\n2. {LONG}", "procedural")


@pytest.mark.parametrize(
    ("section", "added", "reason"),
    [
        ("human", "The user lives in Porto. The user just asked about the weather.", "moment"),
        ("human", "I fixed the login bug.", "about you"),
        ("notes", "ok thanks", "trivial"),
        ("persona", "The build is failing right now.", "moment"),
        ("context", "I fixed the login bug.", "about you"),
    ],
)
def test_no_sentence_of_core_memory_is_a_way_around(section: str, added: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        check_core_by_agent(section, "The user prefers tabs.", f"The user prefers tabs.\n{added}")


def test_the_persona_speaks_of_the_agent_and_the_context_of_what_is_under_way() -> None:
    check_core_by_agent("persona", "", "I am a careful reviewer and answer in short sentences.")
    check_core_by_agent("context", "", "The user is currently moving the API to Go.")
    check_core_by_agent("human", "The user just left.", "The user just left.\nThe user prefers tabs.")


def test_a_memory_file_may_say_what_is_to_be_done() -> None:
    for line in ("TODO: add tests for the parser.", "Nächste Schritte: Doku schreiben"):
        check_file_by_agent(line)
        with pytest.raises(Refused):
            check_by_model(line, "fact")
