"""Words by which a statement says that something is no longer what it was."""

import re
from functools import lru_cache
from typing import Final

_CUE: Final = re.compile(
    r"\b(?:now|no longer|any ?more|instead|actually|changed|switched|moved (?:to|from)|migrated|replaced|renamed|"
    r"rescheduled|postponed|updated?|upgraded|downgraded|bumped|revised|corrected|correction|recently|lately|newly|"
    r"as of|from now on|since then|not any ?more|used to|previously|formerly|up from|down from|"
    r"(?:has|have|had)?\s*(?:further )?(?:increased|decreased|improved|grown|risen|dropped|reduced|raised|lowered|"
    r"reached|expanded|extended|shortened|adjusted)|"
    r"new (?:deadline|date|quota|limit|budget|address|job|plan|goal|total)|"
    r"turns out|scratch that|forget (?:that|what)|"
    r"jetzt|nun|inzwischen|mittlerweile|nicht mehr|kein\w* mehr|stattdessen|eigentlich|doch nicht|geändert|gewechselt|"
    r"verschoben|umgestellt|umgezogen|ersetzt|umbenannt|aktualisiert|neuerdings|ab sofort|früher|erhöht|gesenkt|"
    r"gestiegen|gesunken|korrektur|"
    r"maintenant|désormais|dorénavant|ne \w+ plus|n'\w+ plus|plutôt|finalement|en fait|changé|déplacé|reporté|repoussé|"
    r"remplacé|renommé|migré|passé à|mis à jour|auparavant|augmenté|réduit|baissé|rectification|"
    r"ahora|ya no|en lugar de|en vez de|cambi(?:é|ó|ado)|mud(?:é|ó|ado)|actualizado|reemplazado|sustituido|renombrado|"
    r"aplazado|anteriormente|aumentado|reducido|corrección)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=2048)
def update_cue(text: str) -> str:
    """Return the first word with which a text announces a change; empty without one.

    In English, German, French and Spanish. The last 2,048 are kept, as the readings are.
    """
    match = _CUE.search(text)
    return " ".join(match.group().lower().split()) if match else ""


def update_cues(text: str) -> tuple[tuple[int, int], ...]:
    """Return where the words stand with which a text announces a change: begin and end of each, in order."""
    return tuple(match.span() for match in _CUE.finditer(text))
