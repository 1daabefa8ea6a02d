"""What looks like a secret and is none: placeholders, references, hashes, identifiers.

A filter that redacts the commit a user talks about is turned off by its user; so each rule asks here last.
"""

import math
import re

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
_PLACEHOLDER = re.compile(
    r"example|change[-_ ]?(?:me|it)|your|placeholder|dummy|fake|sample|redacted|replace[-_ ]?(?:me|this|with)|insert|"
    r"todo|fixme|goes[-_ ]here|here$|^my[-_]|put[-_]|^some[-_]?|^(?:test|demo|mock)[-_]?\w{0,10}$|^foo|^bar$|"
    r"not[-_]?(?:set|real)|"
    r"^(?:(?:my|new|old|wrong|valid|invalid|correct|secure|strong|test|the|a|super|plain|hashed|user|db|admin)[-_]?){1,3}"
    r"(?:secret[-_]?)?(?:pass|password|passwd|secret|key|token|pwd)$|"
    r"^\W*(?:none|null|nil|true|false|undefined|empty|unset|default|string|secret|password|token|pass|passwd|pwd|"
    r"user|admin|value|key|required|optional|hidden|masked|removed|omitted|n/a)\W*$",
    re.IGNORECASE,
)
_SECRET_WORD = re.compile(
    r"(?:^|[-_ .])(?:pass|password|passwd|secret|secrets|token|key|credential|credentials|auth)(?:$|[-_ .])"
)
_CAMEL_WORD = re.compile(r"[Pp]ass(?:word)?|[Ss]ecret|[Tt]oken|[Kk]ey|[Cc]red|[Aa]uth|PASS|SECRET|TOKEN|KEY|CRED|AUTH")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z_\-./]*\d{0,2}")
_PROTECTED = re.compile(
    r"""\[redacted:[a-z0-9-]{1,48}\]
    | \bsha(?:1|224|256|384|512)[-:][A-Za-z0-9+/]{27,128}={0,2}
    | \bdata:[\w.+-]{1,40}/[\w.+-]{1,60}(?:;[\w=-]{1,40}){0,3},[A-Za-z0-9+/%=_-]{1,4000000}
    | \b(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3}|sk-ssh-ed25519@openssh\.com)[ ]AAAA[A-Za-z0-9+/]{16,4000}={0,2}
    | \bENC\[[^\[\]\s]{1,4000}\]
    | \bh1:[A-Za-z0-9+/]{43}=""",
    re.VERBOSE,
)
_PROTECTED_SIGNS = ("[redacted:", "sha", "data:", "ssh-", "ecdsa-", "h1:", "ENC[")


def protected_spans(text: str) -> list[tuple[int, int]]:
    """Return the places that no rule may touch, in order: markers, integrity hashes, embedded images, public keys."""
    if not any(sign in text for sign in _PROTECTED_SIGNS):
        return []
    return [match.span() for match in _PROTECTED.finditer(text)]


def degenerate(value: str) -> bool:
    """Return whether no generator drew this: one character again and again, or the alphabet in order.

    Sixteen in a row: shorter runs occur inside keys that people typed, and a drawn token of base 36 hardly has five.
    """
    repeats = run = longest_same = same = 0
    before = ""
    for char in value:
        if char == before:
            repeats += 1
            same += 1
        else:
            same = 0
        longest_same = max(longest_same, same)
        ascending = before and char.isalnum() and (ord(char) - ord(before) == 1 or (before, char) == ("9", "0"))
        run = run + 1 if ascending else 0
        if run >= 15:
            return True
        if same >= 5 and char in "xX*.#•-_?0":
            return True
        before = char
    return repeats * 9 >= len(value) * 4


def placeholder(value: str) -> bool:
    """Return whether the value stands for one: empty, masked, a marker, a variable, `changeme`."""
    bare = value.strip("\"'` ")
    return (
        not bare.strip("*.•#-_x X?=!")
        or MARKER.fullmatch(bare) is not None
        or _REFERENCE.fullmatch(bare) is not None
        or (len(bare) <= 64 and _PLACEHOLDER.search(bare) is not None)
        or bare.endswith("...")
        or bare.endswith("…")
        or "[Redacted]" in bare
        or degenerate(bare)
    )


def reference(value: str, *, quoted: bool) -> bool:
    """Return whether the value names a secret instead of being one: `db_password`, `os.environ["X"]`, a path."""
    if value.startswith(("http://", "https://", "/", "./", "~/", "../")) and not value.startswith("//"):
        return True
    if quoted:
        return _IDENTIFIER.fullmatch(value) is not None and _SECRET_WORD.search(value.lower()) is not None
    return expression(value) or (_IDENTIFIER.fullmatch(value) is not None and _CAMEL_WORD.search(value) is not None)


def expression(value: str) -> bool:
    """Return whether the value is code that yields one: `settings.token`, `getpass()`, `<em>`."""
    return bool(_ATTRIBUTE.fullmatch(value) or _CALL.fullmatch(value)) or "</" in value or "/>" in value


def identifier(value: str) -> bool:
    """Return whether the value is public by its form: UUID, bare hexadecimal, digest, version, number, date."""
    return bool(_UUID.fullmatch(value) or _HEX.fullmatch(value) or _DIGEST.match(value) or measure(value))


def measure(value: str) -> bool:
    """Return whether the value is a version, a quantity, a date or a time."""
    return bool(_VERSION.fullmatch(value) or _QUANTITY.fullmatch(value))


def entropy(value: str) -> float:
    """Return the Shannon entropy of the characters, in bits per character."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in map(value.count, set(value))) if size else 0.0
