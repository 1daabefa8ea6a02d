"""Who may change what is known about the person.

What the user says of themselves counts at once. What anybody else gathers about them is a proposal: a benign field
waits for a second session that says the same, every other one for an explicit yes.
"""

import unicodedata
from typing import Annotated, Final, Literal

import msgspec

from memoryd_actors.memory.personal_matters import matter_of
from memoryd_actors.texts.normal_form import normalized
from memoryd_client.wire.memory import PERSONAL, Memory, Source

CONSENT: Final = "CONSENT"
"""The event of every decision, in the history."""
ADDED: Final = "_add"
"""A field that ends so has many values: a new one retires none."""

Decision = Literal["apply", "propose", "wait_for_signal"]
Field = Annotated[str, msgspec.Meta(min_length=1, max_length=60)]


class ConsentSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may be changed about the person, and by whom: fields are titles of memories of category `profile`."""

    sensitive: tuple[Field, ...] = ("preferred_name", "pronouns", "city", "language")
    """Fields that only the user's yes changes, whoever brings them; of others that holds for agents and models."""
    benign: tuple[Field, ...] = ("tone", "goals_add")
    """Fields that change once enough sessions agree. One that ends in `_add` gathers values instead of replacing."""
    days: Annotated[int, msgspec.Meta(ge=1, le=365)] = 7
    """How long a proposal waits; then it lapses."""
    signals: Annotated[int, msgspec.Meta(ge=1, le=20)] = 2
    """Sessions that have to agree on a benign field; of what one and the same agent stores itself, one counts."""


CONFIDENT = 0.8
"""Trust from which a single proposal of a benign field is enough."""
_WHOSE = frozenset({"user", "users", "my", "the", "their", "current", "preferred", "home", "native", "primary"})
_MEANINGS = {
    "preferred_name": "name full_name first_name last_name given_name family_name surname nickname nick called vorname"
    " nachname rufname nombre apellido prenom nom surnom nome cognome apelido naam voornaam achternaam",
    "pronouns": "pronoun gender gender_pronouns pronomen pronombres pronoms genero genre geschlecht",
    "city": "city town location place address residence home hometown lives_in country region based_in wohnort"
    " stadt adresse land ciudad direccion pais ville pays citta indirizzo cidade endereco stad woonplaats",
    "language": "language languages tongue mother_tongue locale spoken_language speaks sprache"
    " muttersprache idioma lengua langue lingua taal",
}
_MEANT = {word: field for field, words in _MEANINGS.items() for word in words.split()}
"""Other names of the fields that are sensitive unless the settings say otherwise."""

_ONE_VALUE = frozenset({*_MEANINGS, *_MEANT})
"""Fields that have one value, although they may end as those that have many."""


_GATHERED = {"goal": "goals_add", "goals": "goals_add"}
"""Other names of a field that gathers values."""


def field_of(category: str, title: str) -> str:
    """Return the field of the person that a memory is about; empty where it is about none."""
    field = spelled(title) if category in PERSONAL else ""
    return _GATHERED.get(field, field)


def spelled(field: str) -> str:
    """Return a field's name as names are compared: `Preferred name` is `preferred_name`, `Prénom` is `prenom`."""
    letters = (char for char in normalized("NFKD", field) if not unicodedata.combining(char))
    return "_".join("".join(letters).casefold().replace("-", " ").replace("_", " ").split())


def is_sensitive(field: str, settings: ConsentSettings) -> bool:
    """Return whether only the user's yes changes a field, in whatever words it is named: `home city`, `my name`."""
    if not field:
        return False
    fields = set(map(spelled, settings.sensitive))
    words = field.split("_")
    while len(words) > 1 and words[0] in _WHOSE:
        words = words[1:]
    base = "_".join(words)
    return bool({field, base, _MEANT.get(base, "")} & fields)


def needs_consent(category: str, title: str, settings: ConsentSettings) -> bool:
    """Return whether only the user's yes changes a memory: it is about a field of the person that is not benign.

    Whoever names a field names it as they like: `health` is none that the settings know. Without a title, what it says
    may be of any field.
    """
    field = field_of(category, title)
    return category in PERSONAL and (field not in map(spelled, settings.benign) or is_sensitive(field, settings))


def asked_field(memory: Memory, *, own_word: bool = True, told: frozenset[str] = frozenset()) -> str:
    """Return under which name the user is asked about a memory: its field, what it is about, or its category."""
    matter = "" if memory.category in PERSONAL else matter_of(memory, own_word=own_word, told=told)
    return field_of(memory.category, memory.title) or matter or memory.category


def decide(
    memory: Memory, settings: ConsentSettings, *, own_word: bool = True, told: frozenset[str] = frozenset()
) -> Decision | None:
    """Return what is to be done with a new memory; None where it is about no field that is watched over.

    A field on both lists is sensitive. What a model read, or an agent stores, about a person's name, home or health is
    a proposal under whatever category it is filed, unless the user `told` its sentences in the conversation.
    `own_word`: whether it is known that the user said it, where it says so; that an agent says so proves nothing.
    """
    if memory.category not in PERSONAL and matter_of(memory, own_word=own_word, told=told):
        return "propose"
    if memory.category not in PERSONAL:
        return None
    field = field_of(memory.category, memory.title)
    asked = needs_consent(memory.category, memory.title, settings)
    if memory.source is Source.USER and own_word:
        return "apply"
    if asked and field and not is_sensitive(field, settings) and own_word and memory.source is Source.IMPORTED:
        return None
    if asked:
        return "propose"
    return "apply" if memory.trust >= CONFIDENT or settings.signals == 1 else "wait_for_signal"


def replaces(field: str) -> bool:
    """Return whether a new value of a field takes the place of the old one: `hobbies` and `goals_add` have many."""
    has_many = field.endswith("s") and not field.endswith(("ss", "us", "is")) and field not in _ONE_VALUE
    return bool(field) and not field.endswith(ADDED) and not has_many
