"""Letters that are equal where case is ignored, and not one by one: `ß` and `ss`, the long s, the sign of kelvin."""

import re
from collections.abc import Iterator
from contextlib import suppress
from importlib.resources import files

import msgspec
import pytest
from benchmarks.hostile_texts import RULES

from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.personal_matters import telling
from memoryd_actors.texts.hidden import UnbalancedPrivate
from memoryd_actors.texts.languages import CODES

FOLDED = str.maketrans({"s": "\u017f", "S": "\u1e9e", "k": "\u212a", "i": "\u0130", "\u00df": "ss"})


def phrases(table: object) -> Iterator[str]:
    """Yield the runs of words in all that a language's file says."""
    match table:
        case dict():
            for value in table.values():
                yield from phrases(value)
        case list():
            for value in table:
                yield from phrases(value)
        case str():
            yield from (found.group().strip() for found in re.finditer(r"[^\W\d_][\w' ]{2,}", table))
        case _:
            pass


@pytest.mark.parametrize("code", CODES)
def test_every_rule_reads_every_word_that_it_knows_in_letters_that_fold_alike(code: str) -> None:
    tables = msgspec.toml.decode(files("memoryd_actors.texts.languages").joinpath(f"{code}.toml").read_bytes())
    known = list(dict.fromkeys(phrases(tables)))
    assert len(known) > 500
    text = ". ".join(known)
    for rule in RULES.values():
        for written in (text, text.upper(), text.translate(FOLDED)):
            with suppress(Refused, UnbalancedPrivate):
                rule(written)


def test_who_says_what_they_are_called_with_an_eszett_tells_it() -> None:
    assert telling("ich hei\u00dfe Anna", first_person=True) == ["ich hei\u00dfe Anna"]
    assert telling("\u0130 am called Anna", first_person=True) == []
