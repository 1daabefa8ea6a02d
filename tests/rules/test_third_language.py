"""A language more is a file more: whatever tables it has are read by the rooms that they are for."""

import shutil
import subprocess
import sys
from pathlib import Path

import memoryd_actors

ESPERANTO = """
[numbers]
months = ["januaro", "februaro"]
days = "lundo mardo"
relative = "hodiaŭ"
ones = "nul unu du"
tens = "tridek kvardek kvindek sesdek sepdek okdek naŭdek"
ordinals = ""
scales = { cent = 100 }
units = { kg = "kilogramo" }

[words]
common = "la estas kaj en mia ne"
stop = "la estas kaj mi vi"

[judging]
pleasantries = "saluton dankon"

[searching]
rules = "(?:bonvolu )?(?:ĉiam|neniam)"
advice = "kion mi faru"
"""
QUESTIONS = """
from memoryd_actors.capture import explicit
from memoryd_actors.comparison.canon import canon
from memoryd_actors.extraction.statements import stated
from memoryd_actors.judging.local_judge import PLEASANTRIES
from memoryd_actors.searching.preferences import asks_for_advice, is_rule
from memoryd_actors.summarising.outcome import outcome
from memoryd_actors.texts.languages import CODES
from memoryd_actors.texts.languages.recognition import language_of, languages_of
from memoryd_actors.texts.numbers import numeral
from memoryd_actors.texts.words import content_words

assert CODES == ("en", "de", "eo"), CODES
assert content_words("La kafo estas varma") == ["kafo", "varma"]
assert is_rule("Bonvolu  neniam forpuŝi", "fact") and not is_rule("Kafo", "fact")
assert asks_for_advice("Kion mi faru morgaŭ?")
said = "La kafo estas varma kaj bona"
assert language_of(said) == "eo" == languages_of(said)[0]
assert len(canon(said).tokens) == 6
assert numeral("du") == 2
assert "dankon" in PLEASANTRIES
assert explicit("Remember that we use pnpm.") and outcome([]) == "" and stated([]) == []
"""


def test_a_file_with_a_few_tables_is_a_language(tmp_path: Path) -> None:
    copied = tmp_path / "memoryd_actors"
    (folder,) = memoryd_actors.__path__
    shutil.copytree(folder, copied, ignore=shutil.ignore_patterns("__pycache__"))
    (copied / "texts" / "languages" / "eo.toml").write_text(ESPERANTO, encoding="utf-8")
    asked = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}){QUESTIONS}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert asked.returncode == 0, asked.stderr
