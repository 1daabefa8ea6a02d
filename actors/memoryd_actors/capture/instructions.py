"""What tells an instruction that holds from now on: how it begins, and a verb of an assistant's work."""

import re
from functools import cache

from memoryd_actors.capture.language import LANGUAGES, Language
from memoryd_actors.texts.languages import typed

FEWEST_WORDS = 3
_WORD = re.compile(r"[^\W\d_][\w./-]*")


class _Forms:
    """The compiled instructions of one language."""

    def __init__(self, language: Language) -> None:
        known = language.instructions
        verbs = rf"\b(?:{'|'.join(dict.fromkeys(known.verbs.split()))})\b"
        forms = "|".join(known.forms).replace("VERB", verbs)
        self.begins = re.compile(rf"\W*(?:{typed(forms)})", re.IGNORECASE)
        self.leads = re.compile(rf"\W*(?:(?:{typed(language.requests.lead)})(?!\w)\W*){{1,5}}", re.IGNORECASE)
        adverbs = _WORD.findall(language.wordings.from_now_on)
        self.idle = frozenset((*known.idle.split(), *known.verbs.split(), *adverbs))


@cache
def _all() -> tuple[_Forms, ...]:
    """Compile them when the first sentence is looked at: 30 ms of a start."""
    return tuple(map(_Forms, LANGUAGES))


def instructs(bare: str) -> bool:
    """Return whether a sentence tells an assistant what to do from now on; what it quotes is blotted out of it."""
    return any(_is(bare, forms) for forms in _all())


def lead(bare: str) -> int:
    """Return how far a sentence only leads to what it says: `ok, and`, `also`; all of `Good.` does."""
    return max((found.end() for forms in _all() if (found := forms.leads.match(bare))), default=0)


def _is(bare: str, forms: _Forms) -> bool:
    found = forms.begins.match(bare)
    if found is None:
        return False
    words = [word.lower().rstrip(".-/") for word in _WORD.findall(bare)]
    # What is to be done must be said, too: `always run` and `never say that` mean nothing to another session.
    said = [word for word in words if word not in forms.idle]
    return len(bare.split()) >= FEWEST_WORDS and bool(said)
