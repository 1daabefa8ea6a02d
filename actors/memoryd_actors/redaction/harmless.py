"""What looks like a secret and is none: placeholders, references, hashes, identifiers.

A filter that redacts the commit a user talks about is turned off by its user; so each rule asks here last.
"""

import math
import re
from itertools import product
from operator import add, eq

from memoryd_actors.redaction.finding import MARKER

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(r"(?:0x)?[0-9a-f]+", re.IGNORECASE)
_DIGEST = re.compile(r"(?:sha\d{1,3}|md5|blake\d\w?)[-:$][A-Za-z0-9+/=]{16,}", re.IGNORECASE)
_VERSION = re.compile(r"[v^~=<>]{0,2}\d{1,5}(?:\.\d{1,6}){1,3}(?:[-+.][\w.]{1,24})?")
_QUANTITY = re.compile(
    r"[-+]?\d{1,10}(?:[.,]\d{1,6})?\s?[a-z%]{0,3}|\d{4}-\d\d-\d\d\S{0,24}|\d\d?:\d\d\S{0,8}", re.IGNORECASE
)
_REFERENCE = re.compile(
    r"""\$\{[^{}]{0,200}\}?            # ${NAME}, and what a quote inside left of one
    | \$\(.*  | \$\w+  | %\w+%  | \#\{.*\}  | \{\{.*\}\}  | \{[^{}]{1,80}\}  | <[^<>]{0,200}>?
    | \{base64\(.* | %[sdrv] | %\(\w+\)s | @\w+@ | \[[^\[\]]{0,60}\] | <%.*
    | (?:env|var|vault|op|ssm|secret|file|ref|arn|awsparamstore)(?::|\.|//)\S+
    | ENC\[.* | !\w+ .* | fn::.*""",
    re.VERBOSE | re.DOTALL,
)
_ATTRIBUTE = re.compile(
    r"[A-Za-z_$&*][A-Za-z_$]*\d{0,2}(?:(?:\?\.|\.|->|::)[A-Za-z_$][A-Za-z_$]*\d{0,2})+[(\[;,)\]]?.*", re.DOTALL
)
_CALL = re.compile(r"(?:new |await |&|\*)?[A-Za-z_$][\w$.]*(?:\([^)]*\)?.*|\[(?:['\"].*|\w+\].*|)$)", re.DOTALL)
_WITHIN_TEXT = (
    r"example|change[-_ ]?(?:me|it)|your|placeholder|dummy|fake|sample|redacted|replace[-_ ]?(?:me|this|with)|insert|"
    r"todo|fixme|goes[-_ ]here|here$|put[-_]|not[-_]?(?:set|real)"
)
_WHOLE_TEXT = (
    r"my[-_]|some[-_]?|(?:test|demo|mock)[-_]?\w{0,10}$|foo|bar$|"
    r"(?:(?:my|new|old|wrong|valid|invalid|correct|secure|strong|test|the|a|super|plain|hashed|user|db|admin)[-_]?){1,3}"
    r"(?:secret[-_]?)?(?:pass|password|passwd|secret|key|token|pwd)$|"
    r"\W*(?:none|null|nil|true|false|undefined|empty|unset|default|string|secret|password|token|pass|passwd|pwd|"
    r"user|admin|value|key|required|optional|hidden|masked|removed|omitted|n/a)\W*$"
)
# Without IGNORECASE `re` leaps to the next character that one of the words begins with: a third of the time.
_WITHIN = re.compile(_WITHIN_TEXT)
_WHOLE = re.compile(_WHOLE_TEXT)
_WITHIN_ANY_CASE = re.compile(_WITHIN_TEXT, re.IGNORECASE)
_WHOLE_ANY_CASE = re.compile(_WHOLE_TEXT, re.IGNORECASE)
_REFERENCE_SIGNS = frozenset("$%#{<@[!evosfraE")
"""What `_REFERENCE` begins with."""
_MEASURE_SIGNS = frozenset("v^~=<>-+")
"""What a version or quantity may begin with beside a digit."""
_SECRET_WORD = re.compile(
    r"(?:^|[-_ .])(?:pass|password|passwd|secret|secrets|token|key|credential|credentials|auth)(?:$|[-_ .])"
)
_CAMEL_WORD = re.compile(r"[Pp]ass(?:word)?|[Ss]ecret|[Tt]oken|[Kk]ey|[Cc]red|[Aa]uth|PASS|SECRET|TOKEN|KEY|CRED|AUTH")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z_\-./]*\d{0,2}")
_PROTECTED = re.compile(
    # What they begin with is looked for first, in a quarter of the time.
    r"""(?=[\[sdeEh])(?:\[redacted:[a-z0-9-]{1,48}\]
    | \bsha(?:1|224|256|384|512)[-:][A-Za-z0-9+/]{27,128}={0,2}
    | \bdata:[\w.+-]{1,40}/[\w.+-]{1,60}(?:;[\w=-]{1,40}){0,3},[A-Za-z0-9+/%=_-]{1,4000000}
    | \b(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3}|sk-ssh-ed25519@openssh\.com)[ ]AAAA[A-Za-z0-9+/]{16,4000}={0,2}
    | \bENC\[[^\[\]\s]{1,4000}\]
    | \bh1:[A-Za-z0-9+/]{43}=)""",
    re.VERBOSE,
)
_PROTECTED_SIGNS = ("[redacted:", "sha", "data:", "ssh-", "ecdsa-", "h1:", "ENC[")


def protected_spans(text: str) -> list[tuple[int, int]]:
    """Return the places that no rule may touch, in order: markers, integrity hashes, embedded images, public keys."""
    if not any(sign in text for sign in _PROTECTED_SIGNS):
        return []
    return [match.span() for match in _PROTECTED.finditer(text)]


_MASKS = tuple(6 * sign for sign in "xX*.#•-_?0")
_ASCENDING = 15
"""Steps of a run in order. Shorter ones occur inside keys that people typed; a drawn token of base 36 hardly has 5."""
_HALFWAY = _ASCENDING // 2 + 1
_RUN = _ASCENDING * b"\1"


_LONG = 48
"""Characters from which arithmetic on all of them is faster than comparing one with the next."""


def degenerate(value: str) -> bool:
    """Return whether no generator drew this: one character again and again, a mask, or the alphabet in order."""
    repeats = _repeats(value)
    return (
        repeats * 9 >= len(value) * 4
        or (repeats >= 5 and any(mask in value for mask in _MASKS))
        or (len(value) > _ASCENDING and _ascends(value))
    )


def _repeats(value: str) -> int:
    """Return how many characters are the one before."""
    if len(value) < _LONG or not value.isascii():
        return sum(map(eq, value, value[1:]))
    code = value.encode()
    difference = int.from_bytes(code[1:]) ^ int.from_bytes(code[:-1])
    return difference.to_bytes(len(code) - 1).count(0)


def _ascends(value: str) -> bool:
    """Return whether sixteen characters in a row are in order."""
    if value.isascii():
        # One step in eight is looked at: a run of fifteen holds one, wherever it begins.
        if IN_ORDER.isdisjoint(map(add, value[_HALFWAY - 1 :: _HALFWAY], value[_HALFWAY::_HALFWAY])):
            return False
        return _RUN in bytes(map(IN_ORDER.__contains__, map(add, value, value[1:])))
    codes = list(map(ord, value))
    sampled = map(eq, map((1).__add__, codes[_HALFWAY - 1 :: _HALFWAY]), codes[_HALFWAY::_HALFWAY])
    if "90" not in value and not any(sampled):
        return False
    higher = bytes(map(eq, map((1).__add__, codes), codes[1:]))
    return (_RUN in higher or "90" in value) and _RUN in bytes(map(follows, value, value[1:]))


def follows(left: str, right: str) -> bool:
    """Return whether a letter or digit is the one after another; 0 comes after 9."""
    return right.isalnum() and (ord(right) - ord(left) == 1 or (left == "9" and right == "0"))


IN_ORDER = frozenset(left + right for left, right in product(map(chr, range(128)), repeat=2) if follows(left, right))
"""Pairs of ASCII characters in order: a third of the time that comparing them takes."""


def placeholder(value: str) -> bool:
    """Return whether the value stands for one: empty, masked, a marker, a variable, `changeme`."""
    bare = value.strip("\"'` ")
    if not bare.strip("*.•#-_x X?=!"):
        return True
    return (
        (
            (bare[0] in _REFERENCE_SIGNS or ":" in bare or "." in bare or "//" in bare or "ENC[" in bare)
            and (MARKER.fullmatch(bare) or _REFERENCE.fullmatch(bare)) is not None
        )
        or (len(bare) <= 64 and _says_so(bare))
        or bare.endswith("...")
        or bare.endswith("…")
        or "[Redacted]" in bare
        or degenerate(bare)
    )


def _says_so(bare: str) -> bool:
    if bare.isascii():
        low = bare.lower()
        return _WITHIN.search(low) is not None or _WHOLE.match(low) is not None
    return _WITHIN_ANY_CASE.search(bare) is not None or _WHOLE_ANY_CASE.match(bare) is not None


def reference(value: str, *, quoted: bool) -> bool:
    """Return whether the value names a secret instead of being one: `db_password`, `os.environ["X"]`, a path."""
    if value.startswith(("http://", "https://", "/", "./", "~/", "../")) and not value.startswith("//"):
        return True
    if quoted:
        return _IDENTIFIER.fullmatch(value) is not None and _SECRET_WORD.search(value.lower()) is not None
    return expression(value) or (_IDENTIFIER.fullmatch(value) is not None and _CAMEL_WORD.search(value) is not None)


def expression(value: str) -> bool:
    """Return whether the value is code that yields one: `settings.token`, `getpass()`, `<em>`."""
    return (
        (("." in value or "->" in value or "::" in value) and _ATTRIBUTE.fullmatch(value) is not None)
        or (("(" in value or "[" in value) and _CALL.fullmatch(value) is not None)
        or "</" in value
        or "/>" in value
    )


def identifier(value: str) -> bool:
    """Return whether the value is public by its form: UUID, bare hexadecimal, digest, version, number, date."""
    return bool(_UUID.fullmatch(value) or _HEX.fullmatch(value) or _DIGEST.match(value) or measure(value))


def measure(value: str) -> bool:
    """Return whether the value is a version, a quantity, a date or a time."""
    first = value[:1]
    if not (first.isdecimal() or first in _MEASURE_SIGNS):
        return False
    return bool(_VERSION.fullmatch(value) or _QUANTITY.fullmatch(value))


def entropy(value: str) -> float:
    """Return the Shannon entropy of the characters, in bits per character."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in map(value.count, set(value))) if size else 0.0
