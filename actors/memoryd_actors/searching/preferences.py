"""What holds until it is taken back: rules and preferences, and the questions for which they count.

"Always give amounts in euros" has hardly a word or a meaning in common with the question that it is for. It applies all
the same, and a preference does wherever advice is asked for. Together they are worth two to three points on BEAM's user
messages, and change nothing on LoCoMo, where nobody gives orders.
"""

import re

from memoryd_actors.texts.languages import pattern_of, words_of

_READ = 1_000
"""Characters of a text that are looked at."""
_RULES = frozenset({"rule", "constraint", "procedure", "procedural"})
_RULE = re.compile(rf"\W*{pattern_of('searching', 'rules')}\b", re.IGNORECASE)
_PREFERENCE = re.compile(rf"\b{pattern_of('searching', 'prefers')}\b")
_PREFERENCES = tuple(sorted(words_of("searching", "preferences")))
"""One of them is in every text that `_PREFERENCE` finds. Looking for them first takes a twentieth of the time."""
_ADVICE = re.compile(rf"\b{pattern_of('searching', 'advice')}\b", re.IGNORECASE)


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
    """Return whether a question is about what to do rather than about what was."""
    return _ADVICE.search(question[:_READ]) is not None
