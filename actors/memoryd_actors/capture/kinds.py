"""What kind of thing is to be remembered, and where it is to hold: by how it is worded."""

import re
from typing import Final

CORRECTION: Final = "correction"
PREFERENCE: Final = "preference"
RULE: Final = "rule"
FACT: Final = "fact"

_CORRECTS = re.compile(
    r"\W*(?:no|nope|wrong|incorrect|that(?:'s| is)(?: not| n't)? (?:wrong|incorrect|right|correct|true)|not quite"
    r"|actually"
    r"|correction|nein|falsch|das stimmt nicht|stimmt nicht|korrektur|tatsächlich|eigentlich|non|c'est faux|faux"
    r"|en fait"
    r"|en réalité|correction|en realidad|incorrecto|eso no es (?:cierto|correcto)|in realtà|sbagliato|non è (?:vero"
    r"|così))"
    r"(?=\s*[,.:;!\u2013\u2014-]| actually\b)|\W*actually\b",
    re.IGNORECASE,
)
_FROM_NOW_ON = (
    r"from now on|going forward|in future\b|ab jetzt|ab sofort|von nun an|künftig|in zukunft|désormais|dorénavant"
    r"|à partir de maintenant|à l'avenir|de ahora en adelante|a partir de ahora|en adelante|d'ora in poi|da ora in poi"
)
_RULES = re.compile(
    rf"\W*(?:please |bitte |to )?(?:always|never|immer|nie|niemals|toujours|jamais|siempre|nunca|jamás|sempre|mai"
    rf"|whenever"
    rf"|{_FROM_NOW_ON})\b|.{{0,200}}\b(?:{_FROM_NOW_ON})\b"
    r"|\W*(?:you|du|tu|vous|usted)\b.{0,60}?\b(?:must|should|always|never|may not|have to|need to|sollst|musst|darfst"
    r"|immer|nie"
    r"|niemals|dois|devez|toujours|jamais|debes|tienes que|siempre|nunca|devi|sempre|mai)\b"
    r"|\W*(?:do not|don't) (?!know|have|like|want|think|care)\w+",
    re.IGNORECASE,
)
_PREFERS = re.compile(
    r"\b(?:(?:i|we)(?:'d)? (?:\w+ )?(?:prefer|like|love|hate|dislike|want|can't stand|would rather)\b|(?:i"
    r"|we)'d rather\b"
    r"|(?:i|we) (?:don't|do not) (?:like|want)\b"
    r"|(?:my|our) (?:favou?rite|preference|preferred)|(?:ich|wir) (?:bevorzugen?|mögen?|hassen?|mag|will|wollen)\b"
    r"|(?:ich|wir) .{1,80}\b(?:bevorzugen?|mag|lieber|vorziehen?|will|möchte)\b|ist mir lieber|(?:je|nous) préf[éè]r\w+"
    r"|j'(?:aime|adore|aimerais)|je (?:déteste|n'aime pas|veux)\b|prefiero|preferimos|me gustan?\b|no me gustan?\b"
    r"|odio\b"
    r"|preferisco|preferiamo|mi piac(?:e|ciono)|non mi piac(?:e|ciono))",
    re.IGNORECASE,
)
_EVERYWHERE = re.compile(
    r"\b(?:(?:in|for|across) all (?:of )?(?:my |our |the )?projects|in every project|in allen (?:meinen "
    r"|unseren )?projekten"
    r"|für alle (?:meine |unsere )?projekte|(?:dans|pour) tous (?:mes|nos|les) projets"
    r"|(?:en|para) todos (?:mis|nuestros|los) proyectos|(?:in|per) tutti (?:i miei |i nostri |i )?progetti)\b",
    re.IGNORECASE,
)
_EVERYWHERE_ASKED = re.compile(
    r"\b(?:everywhere|globally|überall|global|partout|en todas partes|globalmente|ovunque)\b", re.IGNORECASE
)


def category_of(content: str, before: str) -> str:
    """Return the category of a content; `before` is what was said in front of the request."""
    if _CORRECTS.match(before) or _CORRECTS.match(content):
        return CORRECTION
    if _RULES.match(content):
        return RULE
    return PREFERENCE if _PREFERS.search(content) else FACT


def is_everywhere(asked: str, content: str) -> bool:
    """Return whether it is to hold in every project: by the request, or by what is to be remembered itself.

    A content that says `globally` alone may speak of a flag; a request that does can only mean the memory.
    """
    return bool(_EVERYWHERE_ASKED.search(asked) or _EVERYWHERE.search(asked) or _EVERYWHERE.search(content))
