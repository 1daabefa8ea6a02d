"""What was redacted lately, for those who ask again.

A message is redacted when it is written down, when a context brings it, when memory is recalled for it, and when it is
extracted from: 0.4 ms each time, most of what an append costs.
"""

from collections import OrderedDict
from hashlib import blake2b
from threading import Lock

from memoryd_actors.core.remembered import forgotten_with_texts
from memoryd_actors.redaction.redactor import redact
from memoryd_actors.redaction.rules import Rules

REMEMBERED = 512
LONGEST = 4_000
"""Characters. With `REMEMBERED`, 2 MB of ASCII at most."""
MOST_WORDS = 64
"""Of the user's own and of environment files: with more, to look a text up costs what it saves."""


class RememberedSecrets:
    """Redacted texts by the digest of what was given, so that no secret stays in memory; for many threads."""

    def __init__(self, most: int = REMEMBERED) -> None:
        """Prepare; of more than `most` texts those go that nobody asked for the longest."""
        self._most = most
        self._lock = Lock()
        self._known: OrderedDict[tuple[bytes, Rules], str] = OrderedDict()

    def redacted(self, text: str, rules: Rules) -> str:
        """Return what `redact` makes of a text, without what it found."""
        if len(text) > LONGEST or len(rules.words) + len(rules.environment) > MOST_WORDS:
            return redact(text, rules).text
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest(), rules
        with self._lock:
            if (known := self._known.get(key)) is not None:
                self._known.move_to_end(key)
                return known
        known = redact(text, rules).text
        with self._lock:
            self._known[key] = known
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        return known

    def forget(self) -> None:
        """Keep none of the texts."""
        with self._lock:
            self._known.clear()


_LATELY = RememberedSecrets()
forgotten_with_texts(_LATELY.forget)
redacted = _LATELY.redacted
"""As `functools.lru_cache` would make it, but for what it keeps of what it was given."""
