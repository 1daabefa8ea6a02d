"""The words with which people hand over a secret, in the languages they do it in."""

import re
from collections.abc import Iterable


def _by_first(alternatives: Iterable[str]) -> str:
    """Return one alternation, by first letters: `re` tries one alternative after the other."""
    groups: dict[str, list[str]] = {}
    for alternative in alternatives:
        groups.setdefault(alternative[0], []).append(alternative[1:])
    return "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in groups.items())


_QUALIFIERS = "api|access|secret|private|license|recovery|backup|encryption|signing|master|wi-?fi|network|root|auth"
_LOCKS = "2fa|security|login|door|alarm|gate|safe|unlock|verification"
_SUBJECTS = (
    # English
    r"pass[ -]?(?:words?|phrases?|codes?|wd)", "pass", "pwd", "pw", r"pins?(?: (?:code|number))?",
    *(rf"{qualifier}[ -](?:keys?|tokens?|codes?|phrases?)" for qualifier in _QUALIFIERS.split("|")),
    "secrets?", "tokens?", "seed phrase", "mnemonic",
    *(f"{lock}[ -]codes?" for lock in _LOCKS.split("|")),
    "credentials?", "creds", "logins?", "log(?:ged)? in", "sign in",
    # German, Dutch, Scandinavian
    "pass?w[oö]rt", "passwörter", "kennwort", "zugangscode", "geheimzahl", "geheimcode", "wachtwoord", "toegangscode",
    "lösenord(?:et)?", "passord(?:et)?", "adgangskoden?", "zugangsdaten", "api-schlüssel",
    # French, Spanish, Portuguese, Italian, Romanian
    "mots? de passe", "mdp", "identifiants", "code secret", r"clé (?:api|secrète|d['\u2019]accès)", "jeton",
    "contraseñas?", "clave", "senhas?", "palavra-passe", r"parola d['\u2019]ordine", "chiave (?:api|segreta)",
    "parolă", "parola",
    # Slavic, Hungarian, Finnish, Turkish, Greek
    "hasło", "hasłem", "heslo", "geslo", "lozinka", "парол(?:ь|я|ем|и)", "токен", "секретный ключ", "лозинка",
    "jelszó", "jelszav?am", "salasanan?i?", "şifrem?(?:iz|i)?", "parolam", "κωδικός",
    # Arabic, Hebrew, Hindi, Vietnamese, Indonesian
    "كلمة (?:المرور|السر)", "סיסמ(?:ה|תי|ת)", "पासवर्ड", "mật khẩu", "kata sandi",
)  # fmt: skip
_UNSPACED = "รหัสผ่าน|密码|密碼|口令|密钥|密鑰|パスワード|暗証番号|비밀번호|암호"
"""Subjects of languages that set no blanks between words: `wifi密码`."""
SUBJECT = re.compile(rf"(?:(?<![a-z0-9_./])(?:{_by_first(_SUBJECTS)})|{_UNSPACED})(?![a-z0-9_])")

_VERBS = _by_first(
    (
        r"is|was|are|were|will be|used to be|would be|should be|"
        r"remains|becomes|stays|reads|equals|set to|to|as|now|still|currently|again|just|"
        r"actually|en|par|c['\u2019]est|ist|lautet|heißt|heisst|war|auf|jetzt|nun|luidt|är|er|on|est|sera|était|devient|maintenant|"
        r"es|era|será|ahora|é|foi|agora|è|"
        r"era|adesso|este|to|brzmi|je|zní|это|был|теперь|це|είναι|هي|هو|היא|הוא|là|คือ|adalah|yang|nya"
    ).split("|")
)
_PREPOSITIONS = _by_first(
    (
        "for|of|to|on|at|in|from|für|zum|zur|von|im|vom|pour|de|du|del|della|per|para|van|voor|do|da|k|na|pro|dla|til|till|"
        "для|от|к"
    ).split("|")
)
COMPLEMENT = re.compile(rf"\s{{1,4}}(?:{_PREPOSITIONS})\s")
"""What may follow the subject: `for the staging box`; its words reach up to the link."""
_LINK = (
    rf"(?:\s{{0,4}}(?:[:\uff1a]|,(?= c['\u2019]est)|->|→|—|\u2013)|\s{{1,4}}-(?=\s)|['\u2019]s(?=\s)|"
    rf"\s{{0,3}}(?:は|が|是|为|為|는|은|이)|\s{{1,4}}(?:{_VERBS})(?![\w'\u2019]))"
    rf"(?:\s{{0,4}}[:\uff1a]|\s{{1,4}}(?:{_VERBS})(?![\w'\u2019])){{0,2}}"
    rf"(?:\s{{1,4}}|(?<=[:=\uff1aはが是為为는은이>]))"
)
LINKING = ":\uff1a,-→—\u2013'\u2019はが是为為는은이"
"""What a link begins with, beside white space."""
LINK = re.compile(_LINK)
"""From the subject, or from the end of its complement, to the value: a verb, a colon, an arrow."""
LINKS = re.compile(rf"(?=[\s{LINKING}])(?=({_LINK}))")
"""Every place where a link begins."""
COMMON = re.compile(
    rf" (?!(?i:{_VERBS}|{_PREPOSITIONS})(?![\w'\u2019]))[A-Za-z][a-z]+[.,;:!?)\]}}'\"\u2019”»*]*(?=\s|\Z)"
)
"""An ordinary word behind the subject, with what ends a clause: neither a link nor a secret."""
LONGEST_COMPLEMENT = 60
LONGEST_LINK = 120
"""More characters than any link and what has to follow it have."""
SEPARATING = re.compile(r"[.\n:;!?=\"]")
"""What no complement has."""

LABEL = re.compile(r"[ \t][^.\n:;!?=\"]{1,60}?[ \t]{0,4}[:\uff1a]\s{1,4}")
"""From the subject to the value when any words and a colon are between (`the token you asked for: ...`)."""

_ARTICLES = "my|our|the|your|a|its|mein|unser|das|mon|le|notre|mi|la|nuestra|minha|nossa|mijn|het|mitt|mit"
ARTICLE = re.compile(rf" (?:{_ARTICLES}|as|als|comme|como)")
"""One of these, or what needs none, is before the subject, or nothing before it is worth a look."""
REVERSED = re.compile(
    r"\s{1,3}(?:(?:is|was|as|ist|als|est|comme|es|como|é|è|come|är|er|to)"
    rf"\s{{1,3}}(?:{_ARTICLES})|as|als|comme|como)\s{{1,3}}(?:[\w-]{{1,20}}\s{{1,3}}){{0,2}}$"
)
"""From a value to the subject, `hunter2 is my password`: verb, article, at most two words."""
LONGEST_REVERSED = 70
HANDED = re.compile(r"(?:^|[\s\"'“„«\u2018(`])([^\s\"'“”„«»\u2018\u2019`()]{4,64})[\"'”“»\u2019`]?\Z")
"""The value before that, quoted or not."""
LONGEST_HANDED = 66

POSSESSIVE = re.compile(
    r"(?:\b(?:my|our|his|her|their|wi-?fi|mein|meine|unser|mon|notre|ma|mi|nuestra|minha|nossa|mio|mia|nostra|mijn|ons|moje|moim|mitt|"
    r"min|mit|vårt|мой|наш|our team)|我的|私の|내|제)[\s\w-]{0,24}$"
)

_WORDS = """
a an and any are as at be been being by can could did do does for from had has have he her here his how i if in into
is it its like me must need needs never no nor not now of off on once one only or our out over same she should so
some such than that the their them then there these they this those through to too two under until up us use used
uses was we were what when where which while who why will with without would yes yet you your also always again
already about above across after all another before behind below between both case correct current different easy
empty enough essential every false fine first free gone good great hard harmless hashed hidden important incorrect
insecure invalid known last leaked less local long lost mandatory missing mixed more most much necessary new next
none null obvious ok okay old optional outdated plain possible private probably public random ready real required
right safe salted sane secret secure sensitive short simple static stale still strong temporary tricky true unique
unknown unsafe useless valid visible wrong weak worse hopefully there's elsewhere somewhere expired compromised
stored saved exposed rotated reset changed broken forgotten encrypted bad terrible password token passphrase key
default mine yours ours theirs falsch richtig abgelaufen leer unbekannt geheim sicher unsicher neu alt lang kurz
nicht kein keine gut schlecht hier dort im faux expiré vide inconnu nouveau ancien court pas ici dans le la les un
une bon mauvais trop incorrecta correcta secreta segura larga corta nueva vieja inválida en el los una muy errada
incorreta longa curta nova velha muito sbagliata corretta sicura nuova vecchia troppo molto fout verkeerd juist
veilig nieuw oud verlopen leeg niet fel feil fejl niepoprawne tajne неверный неправильный простой сложный не
"""
NO_SECRETS = frozenset(_WORDS.split())
"""Words that follow `the password is` without being one."""
