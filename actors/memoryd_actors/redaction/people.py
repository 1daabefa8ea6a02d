"""Names of people, as far as their surroundings show them: on demand.

A name is one after a title or where somebody is introduced, or a given name with a capitalised word after it; a given
name alone is not, as `Mark`, `Rose` and `Will` are words as well. What no rule can know is a matter for
`privacy.replace`. Every pattern is bounded, and the time is linear in the text.
"""

import re
import unicodedata
from collections.abc import Iterator
from importlib.resources import files

from memoryd_actors.redaction.finding import SecretFinding

_APOSTROPHE = r"['\u2019]"
_CAPITAL = r"[A-ZÄÖÜÉÀÁÇØŁŠŽ][\w'\u2019-]{0,30}"
_FULL = rf"{_CAPITAL}(?:[ ](?:von|van|de|da|del|di|der|den|bin|al)){{0,2}}(?:[ ]{_CAPITAL}){{0,2}}"
_TITLED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Herrn?|Frau|Monsieur|Madame|Mme|Mlle|Señor(?:a|ita)?|Sra|Signora?|Senhora?"
    rf"|Meneer|Mevrouw)\.?[ ](?:(?:Dr|Prof)\.?[ ]){{0,2}}({_FULL})"
)
_KIN_TEXT = (
    "wife|husband|spouse|partner|girlfriend|boyfriend|fianc[eé]e?|(?:step|grand)?(?:son|daughter)|child|baby|mother|father|mum"
    "|mom|dad|grandmother|grandfather|grandma|grandpa|brother|sister|uncle|aunt|cousin|niece|nephew|friend|neighbou?r|flatmate"
    "|roommate|boss|manager|colleague|coworker|landlord|landlady|doctor|dentist|therapist|lawyer|teacher"
)
_WHOSE = (
    rf"(?:my|his|her|their|our|(?:the[ ])?user{_APOSTROPHE}s)[ ](?:(?:{_KIN_TEXT}){_APOSTROPHE}s[ ])?"
    rf"(?:(?:full|first|middle|last|family|maiden|real|legal|given|preferred)[ ])?(?:name|surname)"
    rf"(?:[ ](?:is|was)|{_APOSTROPHE}s)"
)
_CALLED = rf"(?:i[ ]am|i{_APOSTROPHE}m|is|was|are)[ ](?:called|named)|(?:please[ ])?call[ ]me"
_GERMAN_NAME = "mein[ ](?:name|vorname|nachname)[ ]ist|ich[ ]hei(?:ß|ss)e|hei(?:ß|ss)t"
_ELSEWHERE_NAME = (
    rf"mi[ ]chiamo|je[ ]m{_APOSTROPHE}appelle|me[ ](?:llamo|chamo)|ik[ ]heet"
    "|(?:mi[ ]nombre|mon[ ]nom|meu[ ]nome|il[ ]mio[ ]nome|mijn[ ]naam)[ ](?:es|est|é|è|is)"
)
_INTRODUCED = re.compile(rf"(?i:\b(?:{_WHOSE}|{_CALLED}|{_GERMAN_NAME}|{_ELSEWHERE_NAME})[ ])({_FULL})")
_THING = re.compile(
    r"\A\W*(?:(?:and|but|und|aber)[ ])?"
    r"(?:the|this|that|our|my|your|an?|der|die|das|dem|diese[rms]?|unsere?|meine?|eine?)[ ]"
    r"(?:[\w-]+[ ]){0,2}?[\w-]*?"
    r"(?:server|vm|machine|laptop|computer|box|node|cluster|network|router|printer|device|disk|project|repo(?:sitory)?"
    r"|database|db|branch|service|app|application|program|library|package|module|table|column|queue|job|file|folder|container"
    r"|image|system|tool|function|method|class|variable|team|product|release|version|channel|company|script|bot|plugin|bucket"
    r"|environment|website|page|domain|workflow|pipeline|runner|test|command|projekt|datenbank|zweig|dienst|anwendung|programm"
    r"|bibliothek|paket|modul|tabelle|spalte|datei|ordner|netz(?:werk)?|drucker|rechner|maschine|gerät|werkzeug|funktion"
    r"|methode|klasse|variable|produkt|kanal|firma|skript|umgebung|seite|befehl)"
    r"(?:\W*\Z|[ ](?:of|in|on|at|for|from|with|that|which|von|der|des|im|auf|am|bei|für|mit)\b)",
    re.IGNORECASE,
)
"""The subject of a clause, where it is a thing: what that is called is no person's name; `our test lead` is one."""
_LONGEST_SUBJECT = 80
_CLAUSE_END = re.compile(r"[.!?;,:\n]")
_KIN = re.compile(
    r"\b(?i:(?:my|his|her|their|our|user'?s|meine?|seine?|ihre?|ma|mon|sa|son|mia|mio|mi|su|minha|meu|mijn|zijn|haar)"
    rf"[ ](?:{_KIN_TEXT}|mann|ehemann|ehefrau|freundin|freund"
    r"|sohn|tochter|mutter|vater|bruder|schwester|kollegin|kollege|chefin|chef|femme|mari|fils|fille|amie?|frère|sœur|moglie"
    r"|marito|figli[oa]|amic[oa]|fratello|sorella|esposa|esposo|marido|mujer|hij[oa]|herman[oa]|amig[oa]|mulher|filh[oa]"
    rf"|irmã|irmão|vrouw|zoon|dochter|broer|zus|vriendin?))[ ]({_FULL})"
)
"""Whose name it is shows a given name alone, and one that is a word as well."""
_IS_KIN = re.compile(
    rf"\b(?i:(?:my|his|her|their|our|user{_APOSTROPHE}s)[ ](?:{_KIN_TEXT})s?[ ](?:(?:is|are)[ ])?)({_CAPITAL})"
)
"""Here what follows may be a nationality or a job (`my wife is German`): it has to be a given name."""
_CLOSING = (
    "(?:best|kind|warm|many)?[ ]?(?:regards|wishes|greetings)|(?:all[ ]the[ ])?best|cheers|love|(?:many[ ])?thanks"
    "|thank[ ]you"
    "|(?:yours[ ])?(?:sincerely|faithfully|truly)|yours"
    "|(?:viele|liebe|beste|schöne)[ ]grüße|mit[ ](?:freundlichen|besten|lieben|herzlichen)[ ]grüßen|lg|vg|mfg|danke"
    "|cordialement|(?:un[ ])?saludos?|cordiali[ ]saluti|met[ ]vriendelijke[ ]groet(?:en)?"
)
_SIGNED = re.compile(
    rf"^[ \t]{{0,8}}(?i:{_CLOSING})[,.!]?\s{{1,3}}(?:[-\u2013\u2014][ ]?)?"
    rf"({_CAPITAL}(?:[ ]{_CAPITAL}){{0,2}})[ \t]{{0,8}}$",
    re.MULTILINE,
)
"""The end of a letter."""
_LABELLED = re.compile(
    r"^[ \t]{0,8}(?:[A-Z][a-z]{1,12}-(?:[a-z]{1,8}-)?by|From|To|Cc|Bcc|Author|Attn)[:][ \t]{1,4}"
    rf"({_CAPITAL}(?:[ ](?:von|van|de|da|del|di|der|den|bin|al)){{0,2}}(?:[ ]{_CAPITAL}){{1,2}})[ \t]{{0,8}}(?=<|,|$)",
    re.MULTILINE,
)
"""The head of a letter and of a commit; a single word there may be a program or a list."""
_GIVEN = frozenset(files("memoryd_actors.redaction").joinpath("given_names.txt").read_text(encoding="utf-8").split())
"""Given names that are no English or German words."""
_TWO = re.compile(rf"\b({_CAPITAL})(?:[ ][A-Z]\.)?[ ]((?:(?:von|van|de|da|del|di|der|den)[ ]){{0,2}}{_CAPITAL})")
_NO_NAME = frozenset(
    " I I'm I'll The A An And But Or It He She They We You This That These Those Is Was Are At In On Of For"
    " From With Who What When Where Why How Not No Yes If Then So As My Your His Her Our Their Der Die Das Und"
    " Aber Ist Hat Will Can May Should Monday Tuesday Wednesday Thursday Friday Saturday Sunday January"
    " February March April June July August September October November December Street Road Avenue Cloud Code"
    " Desktop Studio Server User Project Team Regards Wishes Support Bot".split()
)


def _unmarked(name: str) -> str:
    """Return a name in lower case without accents."""
    return "".join(char for char in unicodedata.normalize("NFKD", name.lower()) if not unicodedata.combining(char))


_GIVEN_UNMARKED = frozenset(map(_unmarked, _GIVEN))


def find_names(text: str) -> Iterator[SecretFinding]:
    """Yield names of people, without their titles."""
    for pattern in (_TITLED, _INTRODUCED, _KIN):
        for match in pattern.finditer(text):
            if match[1] not in _NO_NAME and not (pattern is _INTRODUCED and _is_of_thing(text, match.start())):
                yield SecretFinding("name", *match.span(1))
    for pattern in (_SIGNED, _LABELLED):
        for match in pattern.finditer(text):
            if not _NO_NAME.intersection(match[1].split()):
                yield SecretFinding("name", *match.span(1))
    for match in _IS_KIN.finditer(text):
        if _is_given(match[1]):
            yield SecretFinding("name", *match.span(1))
    at = 0
    while (pair := _TWO.search(text, at)) is not None:
        given, family = pair[1], pair[2].rsplit(" ", 1)[-1]
        # The second word may begin the next pair: it is looked at once more.
        at = pair.start(2)
        if _is_given(given) and family not in _NO_NAME:
            yield SecretFinding("name", *pair.span())
            at = pair.end()


def _is_of_thing(text: str, end: int) -> bool:
    """Return whether the clause whose verb begins at `end` is about a thing: `the server is called Hafner`."""
    return _THING.match(_CLAUSE_END.split(text[max(end - _LONGEST_SUBJECT, 0) : end])[-1]) is not None


def _is_given(name: str) -> bool:
    # Of a name in two parts the first is a name, too: Jean-Pierre.
    return _unmarked(name.partition("-")[0]) in _GIVEN_UNMARKED
