"""Standing instructions: what a user tells the assistant to do from now on, without asking to have it remembered.

A message of one or two short sentences that begins with `always`, `never` or `from now on` and tells the assistant what
to do. Among people the same words cheer up (`never give up`) and recount (`never had the chance`): what tells them
apart is the verb, which has to be one of an assistant's work, and that nothing else is said.
"""

import re

from memoryd_actors.capture.captured import Captured, says_something
from memoryd_actors.capture.kinds import RULE, is_everywhere
from memoryd_actors.capture.sentences import sentences
from memoryd_actors.recall.quoted import told_apart

LONGEST = 300
"""Characters of an instruction; a longer message describes a task, in which such words hold for the task only."""
MOST_SENTENCES = 2
FEWEST_WORDS = 4

_VERBS = {
    "en": """add address annotate answer apply ask assume avoid begin call check cite commit compile confirm convert
        create declare define delete document edit ensure explain export fix format give highlight import include
        indent install keep lint list log maintain mark mention merge modify name omit open order output prefer present
        print prioritise prioritize propose prove provide push put quote read refer reply report respond return review
        round run send show sign speak specify split squash start state suggest summarise summarize tailor test
        translate treat type update use validate verify wrap write""",
    "de": """antworte antworten benutze benutzen verwende verwenden nutze nutzen schreib schreibe schreiben formatiere
        formatieren nenne nennen gib geben zeige zeigen frage fragen prüfe prüfen teste testen füge committe commite
        pushe lösche löschen ändere ändern erkläre erklären verweise fasse sprich duze sieze übersetze runde""",
    "fr": """réponds répondre utilise utiliser utilisez écris écrire formate formater donne donner indique indiquer
        cite citer montre montrer demande demander vérifie vérifier teste tester ajoute ajouter inclus inclure explique
        expliquer traduis supprime supprimer modifie modifier parle""",
    "es": """responde responder usa usar utiliza utilizar escribe escribir formatea da dame incluye incluir indica
        muestra pregunta verifica prueba añade agrega explica traduce borres uses modifiques escribas cita""",
    "it": """rispondi rispondere usa usare utilizza utilizzare scrivi scrivere formatta dai dammi includi indica mostra
        chiedi verifica prova aggiungi spiega traduci cancellare modificare cita""",
}
_VERB = "|".join(dict.fromkeys(verb for verbs in _VERBS.values() for verb in verbs.split()))
_OPENS = (
    r"always|never|from now on|going forward|in (?:the )?future|immer|nie|niemals|ab jetzt|ab sofort|von nun an|künftig"
    r"|in zukunft|toujours|ne|jamais|désormais|dorénavant|à partir de maintenant|à l['\u2019]avenir|siempre|nunca|jamás"
    r"|a partir de ahora|de ahora en adelante|sempre|non|mai|d['\u2019]ora in poi|da ora in poi"
)
_INSTRUCTION = re.compile(
    rf"\W*(?:please |bitte |s['\u2019]il te plaît,? |por favor,? |per favore,? )?(?:{_OPENS})\b[\s,:]*"
    rf"(?:please |bitte |always |never |immer |nie |don['\u2019]t |do not |also |only |nur )?(?:{_VERB})\b",
    re.IGNORECASE,
)
_BELONGS = re.compile(r"\W*(?:please |bitte )?(?:ne|non) \w+ (?!(?:jamais|mai|plus|più)\b)", re.IGNORECASE)
_DONE = re.compile(r"\W*(?:never|always) (?:read|put)\b(?=.{0,60}\b(?:before|until|so)\b)", re.IGNORECASE)
"""`Never read that book before`: a past that looks like an instruction."""


def standing_instruction(message: str) -> Captured | None:
    """Return the standing instruction that a user's message is; None where it is anything else.

    The message without secrets and hidden blocks, as for `explicit`. Nothing is captured from a message that shows
    something besides: it speaks of what it shows.
    """
    if len(message) > LONGEST:
        return None
    told = told_apart(message)
    parts = sentences(told.said)
    if told.shown or not 1 <= len(parts) <= MOST_SENTENCES or any(one.bare.endswith("?") for one in parts):
        return None
    bare = parts[0].bare
    if not _INSTRUCTION.match(bare) or _BELONGS.match(bare) or _DONE.match(bare) or len(bare.split()) < FEWEST_WORDS:
        return None
    content = told.said.strip()
    if not says_something(content):
        return None
    return Captured(content=content, category=RULE, asked="", everywhere=is_everywhere("", content))
