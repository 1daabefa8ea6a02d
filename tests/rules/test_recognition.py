"""Which language a text is in, or may be in."""

import pytest

from memoryd_actors.comparison.canon import canon
from memoryd_actors.texts.languages.recognition import language_of, languages_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The user prefers the dark theme.", "en"),
        ("You're welcome.", "en"),
        ("Der Nutzer mag das dunkle Design, und er ist zufrieden.", "de"),
        ("Deploys laufen freitags nie.", "de"),
        ("Wir hosten in Frankfurt", "de"),
        ("L'utilisateur préfère le thème sombre et les tabulations.", ""),
        ("El usuario prefiere el tema oscuro y los tabuladores.", ""),
        ("We hebben geen tests in die map.", ""),
        ("pnpm vite vue", ""),
        ("用户更喜欢", ""),
        ("", ""),
    ],
)
def test_a_language_shows_by_its_commonest_words(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("We deploy on Fridays.", ["en"]),
        ("Wir hosten in Frankfurt", ["de", "en"]),
        ("Halle in Frankfurt", ["en", "de"]),
        ("pnpm vite vue", ["en", "de"]),
        ("Nous avons des tests pour vous.", []),
    ],
)
def test_a_short_text_may_be_in_a_second_language(text: str, languages: list[str]) -> None:
    assert languages_of(text) == languages


def test_an_a_that_may_be_spanish_stays() -> None:
    assert [token.text for token in canon("Llamó a María").tokens] == ["Llamó", "a", "María"]
    assert [token.text for token in canon("He called a friend").tokens] == ["He", "called", "friend"]
