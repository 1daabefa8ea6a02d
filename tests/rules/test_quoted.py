"""What somebody says comes first; what they only show follows in a few telling lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.recall.focus import find_focus
from memoryd_actors.texts.clean import clean
from memoryd_actors.texts.fence import CLOSING, OPENING
from memoryd_actors.texts.quoted import CHARACTERS_SHOWN, told_apart
from memoryd_client import Message

LOG = "\n".join(
    f"2026-03-01 10:00:{n:02d} {'ERROR cannot open ledger.db' if n == 20 else f'INFO request {n} served'}"
    for n in range(50)
)
PYTHON = """Traceback (most recent call last):
  File "/srv/app/payments.py", line 88, in charge
    invoice = invoices[number]
  File "/srv/app/invoices.py", line 12, in __getitem__
    raise KeyError(number)
KeyError: 'R-2041\'"""
JAVA = """java.lang.IllegalStateException: pool exhausted
    at org.example.Pool.acquire(Pool.java:77)
    at org.example.Server.handle(Server.java:12)
Caused by: java.net.SocketTimeoutException: connect timed out
    ... 23 more"""
DIFF = """diff --git a/actors/retry.py b/actors/retry.py
index 3f1c2aa..9be0c11 100644
--- a/actors/retry.py
+++ b/actors/retry.py
@@ -10,7 +10,7 @@ def backoff(attempt):
     delay = BASE
-    return delay * attempt
+    return delay * 2 ** attempt
     # never reached"""
SCRIPT = """import os
from pathlib import Path

def newest(folder):
    files = sorted(Path(folder).iterdir())
    return files[-1]"""
MAIL = """Am 3. März 2026 um 09:12 schrieb Anna Weber <anna@example.org>:
> Das Angebot gilt bis Freitag.
> Bitte gebt mir Bescheid."""


def focused(*said: str) -> str:
    messages = [Message("assistant" if n % 2 else "user", text) for n, text in enumerate(said)]
    focus = find_focus(clean(messages), "turn")
    assert focus is not None
    return focus.text


@pytest.mark.parametrize(
    ("question", "shown", "named"),
    [
        ("Why does the service not start?", LOG, "cannot open ledger.db"),
        ("Warum startet der Dienst seit gestern nicht mehr?", LOG, "cannot open ledger.db"),
        ("Pourquoi le paiement échoue-t-il la nuit ?", PYTHON, "KeyError: 'R-2041'"),
        ("Weißt du, woran das im Verbindungspool liegt?", JAVA, "SocketTimeoutException"),
        ("Is this change of the waiting time right?", DIFF, "actors/retry.py"),
        ("Comment éviter une erreur si le dossier est vide ?", f"```python\n{SCRIPT}\n```", "from pathlib import Path"),
        ("What if the folder is empty?", SCRIPT, "def newest(folder):"),
        ("Wie antworte ich Anna höflich, dass wir mehr Zeit brauchen?", MAIL, "Das Angebot gilt bis Freitag."),
    ],
)
@pytest.mark.parametrize("question_first", [True, False])
def test_the_question_comes_first_and_names_of_what_is_shown_follow(
    question: str, shown: str, named: str, question_first: bool
) -> None:
    focus = focused(f"{question}\n\n{shown}" if question_first else f"{shown}\n\n{question}")
    assert focus.startswith(question)
    assert named in focus
    assert len(focus) <= len(question) + 1 + CHARACTERS_SHOWN


def test_a_long_log_before_the_question_does_not_push_it_out_of_what_the_model_reads() -> None:
    log = "\n".join(f"[12:00:{n % 60:02d}] WARN worker {n} waits for the lock of table accounts" for n in range(400))
    assert focused(f"{log}\nWelche Abfrage hält die Sperre?").startswith("Welche Abfrage hält die Sperre?")


def test_a_message_that_only_shows_something_is_about_what_it_shows() -> None:
    assert "KeyError: 'R-2041'" in focused(PYTHON)
    assert "ledger.db" in focused(LOG)


def test_several_blocks_and_what_is_said_between_them_keep_their_order() -> None:
    told = told_apart(f"First I saw this:\n{PYTHON}\nand after my change\n{DIFF}\n\nit still fails. Why?")
    assert " ".join(told.said.split()) == "First I saw this: and after my change it still fails. Why?"
    assert told.shown.index("KeyError") < told.shown.index("retry.py")


@pytest.mark.parametrize(
    "said",
    [
        "Deploy on 2026-03-01 10:00, please.\n10:00:00 is fine for me, too.\nThanks!",
        "Nous voulons :\n- un cache plus rapide ;\n- moins de mémoire ;\n- des tests ;\nPar où commencer ?",
        "Plan:\n1. read the file\n2. parse it\n3. store it\n\nWhat is missing?",
        "Meine Wünsche:\n- kein Neustart\n- keine Sperre\n- schnell\nWas fehlt?",
        "Let me think.\nWe meet at the station (platform 7).\nIs that near?",
        "if it rains: inside.\nIf not, outside.\nOk?",
    ],
)
def test_dates_lists_and_plain_sentences_are_said_and_not_shown(said: str) -> None:
    told = told_apart(said)
    assert told.said == said
    assert told.shown == ""


def test_tool_output_and_recalled_memory_leave_no_trace_in_the_focus() -> None:
    messages = [
        Message("user", "Räum bitte die Migration in migrations/0002.py auf"),
        Message("tool", LOG),
        Message("assistant", "Erledigt."),
        Message("user", f"{OPENING}\n- [fact] the user likes tea\n{CLOSING}\nund jetzt der Test dazu?"),
        Message("tool", PYTHON),
    ]
    focus = find_focus(clean(messages), "turn")
    assert focus is not None
    assert focus.text.startswith("und jetzt der Test dazu?")
    assert any("migrations/0002.py" in said for said in focus.window)
    assert not any(word in focus.text for word in ("tea", "KeyError", "ledger.db"))


lines = st.sampled_from(
    [*LOG.split("\n")[18:22], *PYTHON.split("\n"), *DIFF.split("\n"), *SCRIPT.split("\n"), *MAIL.split("\n"), "```",
     "~~~", "", "Why is that?", "Warum das?", "- a list", "> quoted"]
)  # fmt: skip


@given(st.lists(lines | st.text(max_size=20), max_size=30).map("\n".join))
def test_nothing_that_is_said_is_lost_or_made_up(text: str) -> None:
    told = told_apart(text)
    given_lines = {line.strip() for line in text.split("\n")} | {""}
    assert {line.strip() for line in told.said.split("\n")} <= given_lines
    assert all(any(line in one for one in given_lines) for line in told.shown.split("\n"))
    assert len(told.shown) <= CHARACTERS_SHOWN
    for question in ("Why is that?", "Warum das?"):
        if "```" not in text and "~~~" not in text:
            assert told.said.split("\n").count(question) == text.split("\n").count(question)


@pytest.mark.parametrize("line", ["a" * 20_000, "Error" * 4_000, "at " + "a." * 10_000, "{" * 20_000, "```\n" * 5_000])
def test_long_lines_take_no_quadratic_time(line: str) -> None:
    # Quadratic time would be minutes: the limit that every test has fails it.
    assert len(told_apart("\n".join([line, "x = 1", "y = 2"] * 5)).text) > 0
