"""Names that announce a secret: `db_password`, `--api-key`, `X-Auth-Token`, `passwort`."""

import re
from enum import IntEnum

from memoryd_actors.core.remembered import remembered
from memoryd_actors.redaction.doubt import denies

# By their first letter, so that `re` leaps from one to the next.
STEM = re.compile(
    r"p(?:ass|wd|w(?==))|_pw\b|s(?:ecret|enha)|token|k(?:ey|ennwort)|login|a(?:uth|ccess[_-]?id)|c(?:red|lient[_-]?id|ontrase)|"
    r"bearer|motdepasse|wachtwoord"
)
"""What is in every such name."""


class Kind(IntEnum):
    """How much a name promises, and so how little its value needs to look like a secret."""

    PASSWORD = 3
    """Whatever stands there is one."""
    TOKEN = 2
    """Something that a machine drew, or at least no word."""
    KEY = 1
    """Maybe; the value must be long and random."""


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PASSWORD = re.compile(
    r"passw(?:or)?d(?!less)|passwort|passphrase|passcode|kennwort|motdepasse|contrase[nñ]a|senha|wachtwoord|secrete?(?!ar|ion|s?manager)"
    r"|credential|userpass|dbpass|_pass_|_pwd_|_pw_|_userpwd_|_passwrd_|_authpass"
)
_TOKEN = re.compile(
    r"token(?!i[sz]|s_|s$)|api_?key|(?:access|account|private|secret|auth|admin|master|signing|signature|encryption|shared|"
    r"sharedaccess|license|deploy|service|session|client|consumer|webhook|app|storage|root|hmac|cookie|jwt)_?key|"
    r"_authorization_|_bearer_|_auth_$|_apikey"
)
_KEY = re.compile(r"_key_|(?<!mon)(?<!hoc)(?<!tur)(?<!don)(?<!whis)(?<!joc)key_$|_login_|access_?id_|client_?id_")
_PUBLIC = re.compile(
    r"_(?:public|pub|primary|foreign|cache|sort|partition|index|idempotency|group|row|hash|lookup|object|translation|i18n|"
    r"answer|host|map|dict|json|shortcut|hot|arrow)_?key_|^_key_$"
)
_ABOUT_WORDS = (
    r"(?:count|limit|length|len|size|url|uri|endpoint|path|file|filename|name|type|ttl|expiry|expires|expiration|timeout|"
    r"field|label|placeholder|hint|policy|prompt|regex|pattern|usage|budget|per|num|number|total|cost|price|rate|"
    r"error|errors|message|description|title|text|help|format|version|status|state|ref|arn|prefix|suffix|column|table|"
    r"input|form|page|reset|rotation|strength|validator|required|enabled|exists|class|container|fingerprint|store|scheme|header|hash|hashed|"
    r"digest|salt|index|position|event|link|manager|provider|ids|in|out|at|mode|changed|level|max|min|s)"
)
_ABOUT = re.compile(
    rf"_{_ABOUT_WORDS}_$|(?:word|secret|token|key|pass|auth|credential|login)_{_ABOUT_WORDS}_|"
    r"^_(?:max|min|num|total|is|has|show|forgot|reset|change|validate|check|verify|hash)_"
)


@remembered(512)
def classify(name: str) -> Kind | None:
    """Return what a name announces; None for names that only speak about secrets (`password_hint`, `token_count`)."""
    words = "_".join(_WORD.findall(name)).lower()
    padded = f"_{words}_"
    kind = (
        Kind.PASSWORD
        if _PASSWORD.search(padded)
        else Kind.TOKEN
        if _TOKEN.search(padded)
        else Kind.KEY
        if _KEY.search(padded) and not _PUBLIC.search(padded)
        else None
    )
    if kind is None or _ABOUT.search(padded) or "public_key" in padded or denies(words):
        return None
    return kind
