"""Words and forms that are one, wherever they stand: spellings, short names, numbers written out."""

from typing import Final

from memoryd_actors.comparison.numerals import numeral

_WORDS = str.split

_GROUPS: Final = (
    "film movie",
    "films movies",
    "sofa couch",
    "car automobile",
    "cars automobiles",
    "buy purchase",
    "buys purchases",
    "bought purchased",
    "buying purchasing",
    "uses utilizes utilises",
    "use utilize utilise",
    "used utilized utilised",
    "using utilizing utilising",
    "trash garbage rubbish",
    "lawyer attorney",
    "someone somebody",
    "everyone everybody",
    "child kid",
    "children kids",
    "perhaps maybe",
    "directory folder",
    "directories folders",
    "repository repo",
    "repositories repos",
    "database db",
    "databases dbs",
    "configuration config",
    "application app",
    "applications apps",
    "production prod",
    "documentation docs",
    "information info",
    "television tv",
    "photo photograph",
    "photos photographs",
    "starts begins",
    "started began",
    "starting beginning",
    "big large",
    "speaks talks",
    "speaking talking",
    "quick fast rapid",
    "quickly rapidly",
    "likes enjoys",
    "liked enjoyed",
    "needs requires",
    "needed required",
    "helps assists",
    "choose pick",
    "chooses picks",
    "reply respond",
    "replies responds",
    "favorite favourite",
    "color colour",
    "colors colours",
    "behavior behaviour",
    "center centre",
    "gray grey",
    "license licence",
    "organization organisation",
    "organize organise",
    "analyze analyse",
    "optimize optimise",
    "canceled cancelled",
    "motorcycle motorbike",
    "smartphone cellphone",
    "chopping cutting slicing",
    "nutzt benutzt verwendet",
    "nutze benutze verwende",
    "nutzen benutzen verwenden",
    "wohnt lebt",
    "utilise emploie",
    "habite vit",
)
_SAME: Final = {word: group.split()[0] for group in _GROUPS for word in group.split()}
_NAMED: Final = {
    "PostgreSQL": "postgres",
    "Postgres": "postgres",
    "postgresql": "postgres",
    "JS": "javascript",
    "JavaScript": "javascript",
    "TypeScript": "typescript",
    "K8s": "kubernetes",
    "k8s": "kubernetes",
    "Kubernetes": "kubernetes",
    "TV": "television",
    "TVs": "televisions",
    "OK": "ok",
}
"""Names that are written in more than one way, case included."""
_ORDINALS: Final = {
    word: f"#{value}"
    for value, word in enumerate(_WORDS("first second third fourth fifth sixth seventh eighth ninth tenth"), 1)
}
_EITHER: Final = _WORDS(
    "open/closed enabled/disabled valid/invalid possible/impossible active/inactive available/unavailable true/untrue "
    "visible/invisible correct/incorrect supported/unsupported true/false installed/uninstalled complete/incomplete "
    "reachable/unreachable encrypted/unencrypted alive/dead legal/illegal known/unknown used/unused married/unmarried "
    "locked/unlocked signed/unsigned defined/undefined finished/unfinished tested/untested documented/undocumented"
)
"""Pairs of which one is true where the other is not."""
_DENIED: Final = _WORDS(
    "fair/unfair important/unimportant sure/unsure certain/uncertain necessary/unnecessary relevant/irrelevant "
    "usual/unusual clear/unclear acceptable/unacceptable reliable/unreliable stable/unstable secure/insecure "
    "safe/unsafe consistent/inconsistent compatible/incompatible accurate/inaccurate ready/unready real/unreal "
    "significant/insignificant truthful/untruthful natural/unnatural normal/abnormal truthful/untruthful "
    "sufficient/insufficient"
)
"""Pairs of which the second says that the first is not so; `not unusual` is less than `usual`."""
COMPLEMENTS: Final = {
    one: other
    for pair in (*_EITHER, *("/".join(pair.split("/")[::-1]) for pair in _EITHER[::-1]), *_DENIED)
    for one, other in (pair.split("/"),)
}
"""Words with what `not` before them makes of them."""


def canonical(word: str) -> str:
    """Return the spelling that stands for a word in lower case; itself where it has but one."""
    return _SAME.get(word, word)


def written(name: str) -> str:
    """Return the spelling that stands for a name, case included; empty where it has but one."""
    return _NAMED.get(name, "")


def number(word: str) -> str:
    """Return the figure that a word in lower case stands for, `#3` for third; empty where it is none."""
    value = numeral(word)
    return str(value) if value is not None else _ORDINALS.get(word, "")
