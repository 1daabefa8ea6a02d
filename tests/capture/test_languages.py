"""Requests and standing instructions in English and German: what they are, and what only looks like them."""

import pytest

from memoryd_actors.capture import explicit, standing_instruction
from memoryd_actors.capture.language import LANGUAGES
from memoryd_actors.texts.languages import CODES

INSTRUCTIONS = [
    "Never use npm.",
    "You must always answer in German.",
    "Du sollst immer auf Deutsch antworten.",
    "Use pnpm instead of npm from now on.",
    "Antworte immer auf Deutsch.",
    "Antworte bitte ab jetzt auf Deutsch.",
    "Benutze nie Tabs.",
    "Schreib Commit-Nachrichten immer auf Englisch.",
    "Immer erst die Tests ausführen, nie ohne Tests committen.",
    "Nie direkt auf main pushen.",
]


@pytest.mark.parametrize("message", INSTRUCTIONS)
def test_a_message_that_only_instructs_is_a_standing_instruction(message: str) -> None:
    captured = standing_instruction(message)
    assert captured is not None
    assert (captured.content, captured.category) == (message, "rule")


NO_INSTRUCTIONS = [
    "Never say never.",
    "Always say yes!",
    "Never run this again.",
    "Antworte immer.",
    "You should always be careful.",
    "Keep in mind the deadline.",
    "Du musst immer alles besser wissen.",
    "Antworte auf die Mail von Ana.",
    "Teste immer noch den Login.",
    "Frage mich immer, warum das so langsam ist.",
    "Ich benutze nie Tabs, aber egal.",
    "Zeig mir den Code, der immer abstürzt.",
    "Das stürzt immer ab.",
    "Gib nie auf!",
]


@pytest.mark.parametrize("message", NO_INSTRUCTIONS)
def test_tales_tasks_and_descriptions_are_no_standing_instructions(message: str) -> None:
    assert standing_instruction(message) is None


def test_what_is_asked_for_in_a_few_words_keeps_its_own_and_its_kind() -> None:
    (found,) = explicit("Keep in mind we use pnpm here.")
    assert found.content == "we use pnpm here."
    (found,) = explicit("Merk dir: antworte immer auf Deutsch.")
    assert found.category == "rule"
    (found,) = explicit("Merk dir für alle Projekte: wir nutzen pnpm.")
    assert found.everywhere


def test_every_language_has_its_own_tables() -> None:
    assert tuple(language.code for language in LANGUAGES) == CODES
    for language in LANGUAGES:
        assert all("VERB" in form for form in language.instructions.forms)
