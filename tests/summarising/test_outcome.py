"""How a conversation ended, read off what was said in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.summarising import Spoken
from memoryd_actors.summarising.outcome import LONGEST, outcome


def talk(*said: str) -> list[Spoken]:
    """Return messages of a user and an assistant in turn; those that begin with `A: ` are the assistant's."""
    return [Spoken(one[3:], "assistant" if one.startswith("A: ") else "user") for one in said]


ENDINGS = [
    (
        (
            "U: Why does the export fail?",
            "A: The disk is full. I moved the archive to host beta and the export ran through.",
        ),
        'The assistant said: "I moved the archive to host beta and the export ran through."',
    ),
    (
        ("U: Fix the login test.", "A: Done. The test clock is pinned to UTC.", "U: works now, thanks!"),
        'The assistant said: "Done. The test clock is pinned to UTC." The user said: "works now, thanks!"',
    ),
    (
        ("U: Fix the upload.", "A: I fixed the upload by raising the limit.", "U: hm, same error as before"),
        'The user said: "hm, same error as before"',
    ),
    (
        ("U: Make the build green.", "A: I updated the lock file, but two tests still fail on Windows."),
        'The assistant said: "I updated the lock file, but two tests still fail on Windows."',
    ),
    (
        ("U: Find the leak.", "A: I added tracing to the worker. However, the leak could not be reproduced here."),
        'The assistant said: "I added tracing to the worker. However, the leak could not be reproduced here."',
    ),
    (
        ("U: Tabs or spaces?", "A: Both work. Tabs are smaller.", "U: Let's go with tabs then."),
        'The user said: "Let\'s go with tabs then."',
    ),
    (
        ("U: Rename it.", "A: I renamed the function. Let me know if you want me to update the docs as well."),
        'The assistant said: "I renamed the function."',
    ),
    (
        (
            "U: Add a cache.",
            "A: I've added an LRU cache to fetch_user; all 42 tests pass. Next, you could tune its size.",
            "U: great",
            "U: what does LRU mean?",
            "A: Least recently used: the entry that was not asked for the longest is dropped first.",
        ),
        'The assistant said: "I\'ve added an LRU cache to fetch_user; all 42 tests pass."',
    ),
    (
        ("U: Move the archive.", "A: The archive was moved to beta.", "U: We decided to keep ninety days of it."),
        'The assistant said: "The archive was moved to beta." The user said: "We decided to keep ninety days of it."',
    ),
    (
        ("U: Look at it.", "A: The test failed on Windows. I fixed the path separator. All 12 tests pass."),
        'The assistant said: "I fixed the path separator."',
    ),
    (
        ("U: Why?", "A: The root cause was a stale lock. I've removed it, and the job went through."),
        'The assistant said: "The root cause was a stale lock. I\'ve removed it, and the job went through."',
    ),
    (
        (
            "U: Refactor it.",
            "A: ## Summary\n\nThe login flow has been refactored into three modules:\n- auth\n- session",
        ),
        'The assistant said: "The login flow has been refactored into three modules"',
    ),
    (
        ("U: Go on.", "A: Two of the five tests are still failing because the fixture is missing. I'd need access."),
        'The assistant said: "Two of the five tests are still failing because the fixture is missing."',
    ),
    (("U: Push it.", "A: Committed as 3f2a1b9 and pushed."), 'The assistant said: "Committed as 3f2a1b9 and pushed."'),
    (
        ("U: Bau den Filter ein.", "A: Der Filter ist eingebaut und die Tests laufen durch.", "U: super, läuft"),
        'The assistant said: "Der Filter ist eingebaut und die Tests laufen durch." The user said: "super, läuft"',
    ),
    (
        ("U: Repariere den Import.", "A: Ich habe den Import angepasst.", "U: geht immer noch nicht"),
        'The user said: "geht immer noch nicht"',
    ),
]


@pytest.mark.parametrize(("said", "ending"), ENDINGS)
def test_the_sentence_that_tells_the_result_is_the_outcome(said: tuple[str, ...], ending: str) -> None:
    assert outcome(talk(*said)) == ending


@pytest.mark.parametrize(
    "said",
    [
        (),
        ("U: hello", "A: Hello! How can I help?"),
        ("U: What is a monad?", "A: A monad is a way to chain computations. It has two operations."),
        ("U: Fix it.", "A: I'll look at the file first. Then I will run the tests."),
        ("U: Is it fixed?", "A: If you restart the server, it should be fixed."),
        ("U: Can you add a test?", "A: Sure, which function should be tested?"),
        (
            "U: How do I deploy?",
            "A: Once the branch is merged, the pipeline will deploy it. You can also run make deploy.",
        ),
        ("U: The login test fails on Windows. Have a look.", "A: Which version of Windows is it?"),
        ("U: The file you created is empty.", "A: Let me see."),
        ("U: Write it.", "A: Here it is.", "U: it works on my machine but not in docker"),
        ("U: I want the old flag removed and the docs updated.", "A: Sure."),
        (
            "U: How?",
            "A: Here is a plan.\n- Set up rewards for your goals.\n- Updated weekly plan.\n- Keep everybody informed.",
        ),
        ("U: Why does it jump?", "A: Fixed heights and widths can cause shifts. This has a fixed deadline."),
        (
            "U: And this?",
            "A: `Cannot find module` means that something is missing. Staying calm helps you remain open.",
        ),
        ("U: Since when?", "A: The function was removed in Python 3.12. You originally scheduled it for 11 AM."),
        ("U: Mach das bitte.", "A: Ich werde das gleich anpassen und dann testen."),
        ("U: thanks a lot", "A: You're welcome!"),
    ],
)
def test_plans_questions_and_explanations_are_no_outcome(said: tuple[str, ...]) -> None:
    assert outcome(talk(*said)) == ""


DENIALS = """\
no, still stuck
still stuck
nope
not fixed
doesn't work for me
that broke the tests
it's back again
that did not help
the error is still there
now it is worse than before
I still see the spinner
no change
wrong, it crashes at once
hm, it hangs again
hm, no
I undid that, it deleted my photos
I had to revert it
why is it still failing?
nothing happens
nein
falsch
das hat nichts gebracht
geht immer noch nicht
leider nicht
jetzt stürzt es ab
der Fehler ist wieder da
keine Änderung
non funziona ancora""".split("\n")


@pytest.mark.parametrize("denial", DENIALS)
def test_what_the_user_denies_is_no_outcome(denial: str) -> None:
    said = ("U: Mend the gallery.", "A: I fixed the gallery: the thumbnails load and the tests pass.", f"U: {denial}")
    assert "fixed" not in outcome(talk(*said)).replace("not fixed", "")
    assert outcome(talk(*said, "A: I will have another look.", "U: ok", "A: Hm.")) == ""
    again = talk(*said, "A: I fixed the cache, too.", "U: great, works now")
    assert outcome(again) == 'The assistant said: "I fixed the cache, too." The user said: "great, works now"'


@pytest.mark.parametrize(
    "remark",
    ["thanks", "no problem", "no, thanks", "great, no more errors", "what is a cache?", "now do the same for videos"],
)
def test_what_is_no_denial_leaves_the_outcome(remark: str) -> None:
    said = talk("U: Mend the gallery.", "A: I fixed the gallery and the tests pass.", f"U: {remark}", "A: Fine.")
    assert outcome(said).startswith('The assistant said: "I fixed the gallery and the tests pass."')


UNDONE = [
    (
        "U: Fix the deploy.",
        "A: I raised the limit and the deploy went through.",
        "U: no, it's crashing again",
        "A: Set it in both files.",
        "U: cool, that did it",
    ),
    (
        "U: Fix the login.",
        "A: I reverted the middleware; the login works again.",
        "U: nope, still 401",
        "A: Set the cookie's domain.",
        "U: works!",
    ),
    (
        "U: Der Import bricht ab.",
        "A: Ich habe das Encoding umgestellt, der Import läuft durch.",
        "U: er bricht wieder ab",
        "A: Nimm utf-8-sig.",
        "U: passt, jetzt geht's",
    ),
    (
        "U: The migration fails.",
        "A: I fixed it by making owner nullable.",
        "U: run it",
        "A: It failed again: permission denied.",
        "U: I'll ask Ida",
    ),
    (
        "U: Port it.",
        "A: I've changed the flags and the build passes.",
        "U: and on arm?",
        "A: 12 tests fail on arm.",
        "U: let me think",
    ),
    (
        "U: Make it faster.",
        "A: I've added an index, the export now takes 3 seconds.",
        "U: hm, takes 40 s on my side",
        "A: Which data?",
        "U: later",
    ),
    (
        "U: The alert fires.",
        "A: I've removed the logs, the disk is at 40 % now.",
        "U: it fired again just now",
        "A: Look at the journal.",
        "U: ok",
    ),
]


@pytest.mark.parametrize("said", UNDONE)
def test_a_result_that_was_denied_or_failed_after_all_is_no_outcome(said: tuple[str, ...]) -> None:
    assert outcome(talk(*said)) == ""
    mended = outcome(talk(*said[:-1], "A: I moved the cache to beta and it runs now.", said[-1]))
    assert mended.startswith('The assistant said: "I moved the cache to beta and it runs now."')


TAKEN_BACK = [
    (
        "U: Run the migration.",
        "A: The migration ran through, 12,000 rows moved.",
        "U: wait, half of the emails are empty",
        "A: I restored the backup; we try again next week.",
    ),
    (
        "U: Deploy it.",
        "A: Deployed the search to production, all 12 health checks are green.",
        "U: hm, users report 502s now",
        "A: Rolled back.",
    ),
    (
        "U: Upgrade numpy.",
        "A: Upgraded numpy to 2.1, all tests pass.",
        "U: and scipy?",
        "A: It needs an older one. Pinned back.",
    ),
    ("U: Upgrade it.", "A: I upgraded numpy to 2.1, all tests pass.", "U: I pinned numpy to 1.26 for now", "A: Fine."),
    ("U: Upgrade it.", "A: Updated the provider to 6.0, all green.", "U: terraform apply fails with a cycle", "A: Hm."),
    ("U: Move the job.", "A: I moved the job and it runs now.", "U: it ran twice and sent all mails double", "A: Oh."),
    (
        "U: Migriere die Datenbank.",
        "A: Ich habe die Datenbank migriert, alles läuft durch.",
        "U: Moment, die Umlaute sind kaputt",
        "A: Oh.",
    ),
]


@pytest.mark.parametrize("said", TAKEN_BACK)
def test_a_success_that_was_taken_back_later_is_no_outcome(said: tuple[str, ...]) -> None:
    told = outcome(talk(*said))
    assert told in {"", 'The assistant said: "I restored the backup; we try again next week."'}


UNSURE = [
    # A failure, and nobody says in known words that it was mended.
    (
        "U: Make the importer accept semicolons.",
        "A: The importer takes a delimiter now. One test fails on Windows line endings.",
        "U: and now?",
        "A: It was the newline argument. Passing an empty one takes care of that.",
    ),
    ("U: Run the tests.", "A: Three of them fail: the page times out.", "A: The browser's image was too old."),
    ("U: Run them.", "A: The build fails because the pin is stale. With the newer one all 60 are clean."),
    ("U: Fix the upload.", "A: I fixed the upload.", "U: same error as before", "A: Set it in both files."),
    # A success, and what was seen after it.
    (
        "U: Move it.",
        "A: Moved the site, everything works.",
        "U: check https",
        "A: The certificate does not match its name.",
    ),
    (
        "U: Turn on gzip.",
        "A: I turned it on, the tests pass.",
        "U: and the API?",
        "A: Its answers are garbled since then.",
    ),
    (
        "U: Fix it.",
        "A: Fixed: the upload resizes first, tests pass.",
        "U: I tried a png and it comes out black",
        "A: Oh.",
    ),
    (
        "U: Fix it.",
        "A: I fixed the upload, the tests pass.",
        "U: thanks, but large files only sometimes go through",
        "A: Hm.",
    ),
    ("U: Fix the link.", "A: I fixed the link, it opens again.", "U: not for me", "A: Cached?"),
    # What was pasted before it was asked about, and what others did.
    (
        "U: Hi,\nthe release was moved and the login is still broken.\nIda\n\nanswer that mail please",
        "A: Dear Ida, ...",
    ),
    ("U: Ida: deploy failed again\nBob: we decided to freeze\n\nwrite that I agree", "A: I agree."),
    ("U: build failed: exit code 137, what is that", "A: The kernel ended it for memory.", "U: aha"),
    ("U: What are CRDTs?", "A: They merge by themselves. Automerge was built by Kleppmann and others."),
    ("U: Why?", "A: It reads a column that was renamed; that is why."),
]


@pytest.mark.parametrize("said", UNSURE)
def test_where_nobody_can_be_sure_how_it_ended_there_is_no_outcome(said: tuple[str, ...]) -> None:
    assert outcome(talk(*said)) == ""


def test_a_failure_that_was_mended_by_the_assistant_alone_is_not_the_outcome() -> None:
    said = talk("U: The build is red.", "A: The build fails because the lock file is stale.", "U: ok", "A: It's fixed.")
    assert outcome(said) == ""
    mended = talk("U: The build is red.", "A: The build fails: a stale pin.", "A: Fixed the pin, all tests pass now.")
    assert outcome(mended) == 'The assistant said: "Fixed the pin, all tests pass now."'


def test_what_a_sentence_after_a_result_takes_back_is_told_with_it() -> None:
    said = talk("U: Convert them.", "A: I converted 30 videos and removed the old ones. But twelve have an odd codec.")
    assert outcome(said).endswith('removed the old ones. But twelve have an odd codec."')


@pytest.mark.parametrize("remark", ["that's great", "it looks good now", "I checked, all good", "das passt"])
def test_who_is_content_with_what_they_see_takes_nothing_back(remark: str) -> None:
    said = talk("U: Mend it.", "A: I fixed the gallery and the tests pass.", f"U: {remark}", "A: Fine.")
    assert outcome(said).startswith('The assistant said: "I fixed the gallery and the tests pass."')


def test_what_was_undone_in_the_same_message_is_not_its_outcome() -> None:
    said = talk("U: Go on.", "A: I upgraded numpy to 2.1. The build broke. I pinned numpy to 1.26 again.", "U: ok")
    assert outcome(said) == 'The assistant said: "I pinned numpy to 1.26 again."'


@pytest.mark.parametrize(
    "remark",
    [
        "how do I restore the old version if I ever need to?",
        "cool, so what happens if the upload fails?",
        "great. Next, the footer is broken on phones",
        "thanks, I see no errors",
        "wait for the release then",
    ],
)
def test_what_takes_nothing_back_leaves_the_outcome(remark: str) -> None:
    said = talk("U: Upgrade numpy.", "A: I upgraded numpy to 2.1, all tests pass.", f"U: {remark}", "A: Fine.")
    assert outcome(said).startswith('The assistant said: "I upgraded numpy to 2.1, all tests pass."')


def test_what_was_asked_to_be_undone_is_the_outcome() -> None:
    said = talk("U: Roll back the release.", "A: Rolled back to 3.4, all checks are green.", "U: thanks")
    assert outcome(said) == 'The assistant said: "Rolled back to 3.4, all checks are green."'


def test_what_a_denial_decides_is_the_outcome() -> None:
    said = talk("U: Indent it.", "A: I changed the file to tabs.", "U: no, let's use two spaces", "A: Sure.")
    assert outcome(said) == 'The user said: "no, let\'s use two spaces"'


def test_no_may_answer_a_question() -> None:
    said = talk("U: Mend it.", "A: I fixed the gallery. Shall I add a test?", "U: no", "A: Fine.")
    assert outcome(said) == 'The assistant said: "I fixed the gallery."'


def test_what_tools_say_and_what_is_shown_is_no_outcome() -> None:
    said = [
        Spoken("Run the tests."),
        Spoken("42 passed, all fixed", "tool", "pytest", "tool_result"),
        Spoken("Here is the log:\n```\ndeployed and merged\n```", "assistant"),
    ]
    assert outcome(said) == ""


@pytest.mark.parametrize(
    "piece", ["I fixed ", "konnte ", "schlägt ", "the test ", "not ", "done. ", "- ", "if ", "`", "a"]
)
def test_a_long_text_made_of_one_piece_is_done_before_the_test_times_out(piece: str) -> None:
    outcome([Spoken(piece * 50_000, role) for role in ("user", "assistant") * 30])


def test_an_old_result_is_not_the_outcome_of_a_long_conversation() -> None:
    said = talk("A: I fixed the parser in one go.") + talk("U: and what is a trie?", "A: A tree of letters.") * 40
    assert outcome(said) == ""


_PIECES = st.sampled_from(
    ["I fixed it.", "still broken", "works now", "if", "not", "done", "?", "\n", '"x"', "let's use it"]
)


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.lists(_PIECES).map(" ".join) | st.text())))
def test_whatever_is_said_an_outcome_is_one_quoted_line_or_none(said: list[tuple[str, str]]) -> None:
    found = outcome([Spoken(text, role) for role, text in said])
    assert "\n" not in found
    assert len(found) <= 2 * LONGEST + 60
    assert found == "" or (found.startswith("The ") and found.endswith('"'))
