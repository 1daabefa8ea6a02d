"""What holds until it is taken back: rules and preferences, and the questions for which they count.

"Always give amounts in euros" has hardly a word or a meaning in common with the question that it is for. It applies all
the same, and a preference does wherever advice is asked for. Together they are worth two to three points on BEAM's user
messages, and change nothing on LoCoMo, where nobody gives orders.
"""

import re

_READ = 1_000
"""Characters of a text that are looked at."""
_RULES = frozenset({"rule", "constraint", "procedure", "procedural"})
_RULE = re.compile(
    r"\W*(?:please\s+|bitte\s+)?(?:always|never|from now on|whenever|immer|niemals|nie|ab jetzt|toujours|jamais"
    r"|désormais|dorénavant)\b",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\b(?:(?:i|we)(?:['\u2019]d)?\s+(?:\w+\s+)?prefer|my preference|(?:ich|wir)\s+bevorzugen?|(?:ist|sind) mir lieber"
    r"|(?:je|nous) préf[éè]r\w+)\b"
)
_PREFERENCES = ("prefer", "bevorzug", "lieber", "préf")
"""One of them is in every text that `_PREFERENCE` finds. Looking for them first takes a twentieth of the time."""
_ADVICE = re.compile(
    r"\b(?:suggest|recommend|advice|advise|should|help me|show me|how (?:can|do) (?:i|we)|could you|what are some"
    r"|any tips|best way|i['\u2019]m (?:looking|planning|trying|about|thinking)|i want to"
    r"|soll(?:te|en|ten)?|empfiehl|empfehl\w+|rätst|hilf mir|wie (?:kann|mache) ich"
    r"|devrais|conseil\w*|recommand\w+|aide[- ]moi|comment (?:puis-je|faire))\b",
    re.IGNORECASE,
)


def is_rule(text: str, category: str) -> bool:
    """Return whether a memory says what is to be done from now on: by its category, or by how it begins."""
    return category in _RULES or _RULE.match(text[:_READ]) is not None


def is_preference(text: str, category: str) -> bool:
    """Return whether somebody says what they prefer."""
    if category == "preference":
        return True
    read = text[:_READ].lower()
    return any(word in read for word in _PREFERENCES) and _PREFERENCE.search(read) is not None


def asks_for_advice(question: str) -> bool:
    """Return whether a question is about what to do, in English, German or French, rather than about what was."""
    return _ADVICE.search(question[:_READ]) is not None
