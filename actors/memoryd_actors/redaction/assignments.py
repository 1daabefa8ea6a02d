"""A name that announces a secret, and its value: in code, environment files, JSON, YAML, XML, headers, flags.

The text is read from each name outwards: what joins it to a value (`=`, `:`, a comma, a tag, a call), then the value,
quoted or bare. Nothing is searched further than a few hundred characters from the name, so the time is linear.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from memoryd_actors.redaction.doubt import clocked, names_a_thing, stub
from memoryd_actors.redaction.finding import MARKER, SecretFinding
from memoryd_actors.redaction.harmless import entropy, measure, placeholder, reference
from memoryd_actors.redaction.names import STEM, Kind, classify
from memoryd_actors.redaction.traits import has_digit, has_letter, symbols

_NAME_CHARS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.ñ"
_LONGEST_NAME = 64
_REST = re.compile(r"[\w.\-]{0,64}")
_JOIN = re.compile(
    r"""(?:\[\d{0,5}\])?
    (?P<closed>\\?["'`]?)\]?
    (?: (?P<assign>
            (?:[ \t]{0,4}:[ \t]{0,4}(?:Optional\[|Final\[)?
                (?:str|String|string|bytes|SecretStr|&(?:'\w+[ ])?str)\b[\w\[\]|, .]{0,24}(?==)
              |[ \t]{1,4}(?:string|String|str|varchar))?
            [ \t]{0,40}(?:=>|->|[:?!+|]{0,3}={1,3}(?:\\\n)?
              |:{1,2}(?:[ \t]{0,8}[|>][+-]?[ \t]{0,8}\n(?=[ \t]))?)[ \t]{0,40})
      | (?P<listed>\s{0,8},\s{0,8}\\?["']value\\?["']\s{0,8}:\s{0,8}(?=\\?["']))
      | (?P<pair>\s{0,8},\s{0,8}(?=\\?["'`]))
      | (?P<call>\(\s{0,8}(?=\\?["'`]))
      | (?P<attribute>\s{1,8}value\s{0,4}=\s{0,4}(?=["']))
      | (?P<element>>\s{0,40})
      | (?P<next>\s{0,8}\n[ \t]{0,40}["']?(?:secret_?)?[vV]alue["']?[ \t]{0,8}[:=][ \t]{0,8})
      | (?P<said>[ \t]{1,3}(?:to|is|was|as)[ \t]{1,3}(?=\S))
      | (?P<gap>[ \t]{1,4}(?=\\?["'`A-Za-z0-9$!-]))
    )""",
    re.VERBOSE,
)
_JOINING = frozenset("[]\\\"'`:?!+|=->,(")
"""What `_JOIN` begins with, beside white space."""
_AFTER_EQUALS = frozenset({"", "=", ">", " ", "\t", "\\"})
"""What follows `=` where it is not all that joins a name to its value."""
_JOINING_WORDS = frozenset({"str", "Str", "var", "val", "was"})
"""Beginnings of the words of three letters and more that join a name to its value."""
_COMPARING = frozenset(" \t\n=")
"""What stands before a name where `_COMPARED` ends; `$` is before a last line break, too."""
_COMPARED = re.compile(r"\\?([\"'`])[ \t]{0,4}[!=]={1,2}[ \t]{0,4}$")
_OPEN = re.compile(r"(?:@|[rbufL$]{1,2}(?=[\"']))?(\\?(?:\"\"\"|'''|[\"'`]))")
_BARE = re.compile(r"(?:\\(?![nrt\"'])|[^\s\"'`<\\]){1,1024}")
_PLAIN = re.compile(r"[^\s\"'`<\\]{1,1024}")
"""`_BARE` of a text without backslashes: a fifth of the time."""
_RUN = re.compile(r"[^\s\"'`<\\,;&]+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z-]{2,15}[ \t]{1,8}(?=[^\s\"'])")
_NEXT_FIELD = re.compile(r"[;,&](?=[A-Za-z_][\w .-]{0,40}=)")
_LONGEST_VALUE = 4096
_LONGEST_BARE, _LONG, _MOST_REFUSED = 1024, 128, 16
_CLOSERS = {")": "(", "]": "[", "}": "{"}
_SETTERS = frozenset({"assign", "set", "put", "append", "equals", "setValue", "get", "strcpy"})
_VERBS = frozenset({"pass", "login", "key"})
_CODE_WORDS_TEXT = """
str string bytes int float bool any object true false none null nil undefined self this value values val data result
input output args kwargs params param user config settings env environ default request response res req getpass
getenv text content body payload field form required optional missing invalid expired valid empty new old the and
for not with from when what which that your their his her our one two all see use used using via per must should
will can are was were has have had been being is in on at to of or as by it if so no yes ok rotated revoked refresh
refreshed access login logout reset change changed update updated create created auto opaque basic bearer oauth jwt
password secret token key saved stored here there manual never always generated unknown unset hidden redacted random
same wrong correct
"""
_CODE_WORDS = frozenset(_CODE_WORDS_TEXT.split())


class _Value(NamedTuple):
    start: int
    end: int
    quote: str


class _Name(NamedTuple):
    word: str
    lowered: str
    kind: Kind


def find_assignments(text: str, lowered: str) -> Iterator[SecretFinding]:
    """Yield the values of names that announce a secret. `lowered` is the text in lower case, of the same length."""
    done = at = 0
    names: dict[str, _Name | None] = {}
    judged = _Judged()
    while stem := STEM.search(lowered, at):
        start, end = _name_around(text, stem, done)
        at = end
        compares = text[start - 1 : start] in _COMPARING
        joins = _may_join(text, start, end)
        if not (joins or compares):
            continue
        word = text[start:end]
        if word not in names:
            kind = classify(word)
            names[word] = _Name(word, word.lower(), kind) if kind is not None else None
        name = names[word]
        if name is None:
            continue
        value = _compared(text, start) if compares else None
        if value is None and joins:
            value = _joined(text, name, end, judged)
        if value is not None:
            done = max(at, value.end)
            at = max(at, value.end)
            yield SecretFinding(_RULES[name.kind], value.start, value.end)


_RULES = {Kind.PASSWORD: "password", Kind.TOKEN: "token", Kind.KEY: "key"}


def _name_around(text: str, stem: re.Match[str], done: int) -> tuple[int, int]:
    start, end = stem.span()
    before = text[max(done, start - _LONGEST_NAME, 0) : start]
    start -= len(before) - len(before.rstrip(_NAME_CHARS))
    rest = _REST.match(text, end)
    return start, end + len(rest.group().rstrip(".-")) if rest else end


def _may_join(text: str, start: int, end: int) -> bool:
    """Return whether it is worth asking `_JOIN` and `_joins`: three of four names in prose have a word behind them."""
    follows = text[end : end + 1]
    if follows in {"=", ":"} and text.startswith("[redacted:", end + 1):
        # Replaced already: nearly all that the last round looks at.
        marker = MARKER.match(text, end + 1)
        return marker is None or not (text[marker.end() : marker.end() + 1] or " ").isspace()
    if follows == "]":
        end += 1
        follows = text[end : end + 1]
    if follows == " ":
        word = text[end + 1 : end + 4]
        return not word.isalpha() or len(word) < 3 or word in _JOINING_WORDS or text[start] == "-"
    return follows in _JOINING or follows.isspace()


def _compared(text: str, start: int) -> _Value | None:
    """Return the literal in `"..." == name`."""
    if "=" not in text[max(0, start - 6) : start]:
        return None
    operator = _COMPARED.search(text, max(0, start - 14), start)
    if operator is None:
        return None
    close = operator.start()
    opening = text.rfind(operator.group(1), max(0, close - 256), close)
    if opening < 0 or "\n" in text[opening:close] or close - opening < 5 or placeholder(text[opening + 1 : close]):
        return None
    return _Value(opening + 1, close, operator.group(1))


def _joined(text: str, name: _Name, end: int, judged: "_Judged") -> _Value | None:
    """Return the value that the name is joined to, if it is a secret. `judged` is what is known about values."""
    if text[end] == "=" and text[end + 1 : end + 2] not in _AFTER_EQUALS:
        at, form, tight = end + 1, "assign", True
    else:
        join = _JOIN.match(text, end)
        if join is None or not _joins(text, name, join):
            return None
        at, form = join.end(), join.lastgroup or ""
        # `NAME=word`, `--name word`, `<name>word</name>`: nothing but a value can stand there.
        tight = join.group("assign") == "=" or form == "element" or (form == "gap" and name.word[0] == "-")
    if "authorization" in name.lowered or (form == "assign" and name.lowered.endswith("bearer")):
        scheme = _SCHEME.match(text, at)
        at = scheme.end() if scheme else at
    value = _read(text, at, judged.longest)
    if value is None or (form == "element" and not text[value.end : value.end + 44].lstrip().startswith("</")):
        return None
    content = text[value.start : value.end]
    known = (content, name.kind.name, value.quote, form, "tight" if tight else "")
    if known not in judged.secret:
        credible = _credible(content, name.kind, value.quote, form, tight=tight)
        judged.secret[known] = credible and not _doubtful(content, name.kind)
    if not judged.secret[known]:
        judged.refused += len(content) >= _LONG
        return None
    run = _RUN.match(text, value.end) if not value.quote and len(content) >= judged.longest - 24 else None
    return value._replace(end=run.end()) if run else value


def _joins(text: str, name: _Name, join: re.Match[str]) -> bool:
    """Return whether what follows the name can lead to its value."""
    match join.lastgroup:
        case "pair" | "listed" | "attribute":
            return bool(join.group("closed"))
        case "call":
            return "." not in name.word or name.word.rpartition(".")[2] in _SETTERS
        case "gap":
            return name.word[0] == "-" or (name.lowered not in _VERBS and _OPEN.match(text, join.end()) is not None)
        case "said":  # `set DB_PASSWORD to ...`
            return "_" in name.word
        case "assign" | "element" | "next":
            return True
        case _:
            return False


class _Judged:
    """What is known about the values of one text."""

    def __init__(self) -> None:
        self.secret: dict[tuple[str, ...], bool] = {}
        self.refused = 0
        """Long values that were none."""

    @property
    def longest(self) -> int:
        """How much of a bare value is read: less where one long run without blanks is the value of many names.

        Each of them would be looked at as far as 1,024 characters, which took 15 ms for each kB of `api_key:/é.1`.
        """
        return _LONGEST_BARE if self.refused < _MOST_REFUSED else _LONG


def _read(text: str, at: int, longest: int) -> _Value | None:
    opening = _OPEN.match(text, at)
    if opening:
        quote = opening.group(1)
        start = opening.end()
        stop = min(len(text), start + _LONGEST_VALUE)
        close = text.find(quote, start, stop)
        while close > start and quote[0] != "\\" and text[close - 1] == "\\" and text[close - 2] != "\\":
            close = text.find(quote, close + 1, stop)
        if close >= 0 and "\n" not in text[start:close]:
            formatted = "f" in text[at : opening.start(1)] and "{" in text[start:close]
            return None if formatted else _Value(start, close, quote)
        at = start
    bare = _PLAIN.match(text, at, at + longest)
    if bare is None or text[bare.end() : bare.end() + 1] == "\\":
        bare = _BARE.match(text, at, at + longest)
    if bare is None:
        return None
    content = bare.group()
    cut = _NEXT_FIELD.search(content)
    if cut:
        content = content[: cut.start()]
    content = _trimmed(content)
    return _Value(at, at + len(content), "") if content else None


def _trimmed(value: str) -> str:
    """Return a bare value without the punctuation that belongs to what surrounds it."""
    while value:
        last = value[-1]
        opener = _CLOSERS.get(last)
        if last in ",;:" or (opener and value.count(last) > value.count(opener)):
            value = value[:-1]
        else:
            break
    return value


def _credible(value: str, kind: Kind, quote: str, form: str, *, tight: bool) -> bool:
    """Return whether the value is a secret, given what its name promises."""
    # What is told at a glance comes first: in a run without blanks each of the names in it has a value of 1,024.
    if (
        len(value) < _SHORTEST[kind]
        or (kind is Kind.KEY and ("/" in value or not (has_digit(value) and has_letter(value))))
        or reference(value, quoted=bool(quote))
        or placeholder(value)
    ):
        return False
    traits = _Traits(
        digits=has_digit(value),
        symbols=symbols(value),
    )
    if form in {"gap", "call", "pair", "said"} and not traits.digits and not traits.symbols:
        return False
    if quote and " " in value:
        sentence = value[0].isupper() or value[-1] in ".!?:…" or form != "assign" or quote == "`"
        return not sentence and kind is not Kind.KEY and not _speaks(value)
    match kind:
        case Kind.PASSWORD:
            return _password(value, traits, quoted=bool(quote), tight=tight)
        case Kind.TOKEN:
            return _token(value, traits)
        case Kind.KEY:
            return entropy(value) >= 2.8


def _doubtful(value: str, kind: Kind) -> bool:
    """Return whether something speaks against a credible value."""
    match kind:
        case Kind.PASSWORD:  # people type them, count in them and keep them short
            return False
        case Kind.TOKEN:
            return stub(value) or clocked(value)
        case Kind.KEY:
            return stub(value) or names_a_thing(value)


class _Traits(NamedTuple):
    digits: bool
    symbols: int


_SHORTEST = {Kind.PASSWORD: 4, Kind.TOKEN: 8, Kind.KEY: 14}


def _password(value: str, traits: _Traits, *, quoted: bool, tight: bool) -> bool:
    if measure(value):
        return value.isdigit() and tight
    if quoted or traits.digits or traits.symbols:
        return True
    return value.lower() not in _CODE_WORDS and (tight or value.islower()) and len(value) >= 6


def _token(value: str, traits: _Traits) -> bool:
    if measure(value) or (value.isdigit() and len(value) < 12):
        return False
    mixed = len(value) >= 16 and any(char.islower() for char in value) and any(char.isupper() for char in value)
    return traits.digits or traits.symbols >= 2 or mixed


def _speaks(value: str) -> bool:
    """Return whether a quoted phrase talks about the secret, as messages in a user interface do."""
    words = value.lower().split()
    return any(word.strip(".,:;!?'") in _ABOUT_SECRETS for word in words)


_ABOUT_SECRETS_TEXT = """
password passwort token key secret must please enter invalid expired required missing is are was your the a an
kennwort contraseña mot passe forgot
"""
_ABOUT_SECRETS = frozenset(_ABOUT_SECRETS_TEXT.split())
