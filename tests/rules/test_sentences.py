"""Where a sentence ends, and where a full stop is only that of an abbreviation or an ordinal."""

import pytest

from memoryd_actors.capture import explicit
from memoryd_actors.texts.sentences import sentences

WHOLE = [
    "Our lease ends on Sept. 30 and the new one starts on Oct. 1 in Bern.",
    "Ask Dr. Weiss or Mrs. Okoye before you touch the N.H.S. data.",
    "The train leaves at 7 a.m. every day.",
    "Invoices from Acme Inc. and Beta Ltd. are paid by the U.S. branch.",
    "See p. 12 and fig. 3 of the paper by J. R. Smith.",
    "Tickets are approx. 20 euros, i.e. cheap, vs. 40 before.",
    "She has a Ph.D. in physics from M.I.T. in Boston.",
    "The office on 5 Main St. near the park is closed on Mon. and Wed. mornings.",
    "Only ticket no. 7 counts.",
    "We use tox, pytest etc. in every project.",
    "Unser Hochzeitstag ist der 14. Juni.",
    "Wir wohnen im 4. Bezirk, und zwar im 1. Stock.",
    "Der Kurs geht vom 2. bis 9. September.",
    "Am 24.12. um 18 Uhr gibt es Fisch.",
    "Das ist ihr 2. Kind und sein 3. Versuch.",
    "Jeden 1. Freitag im Monat ist Backup.",
    "Ich mag z. B. Tee, d. h. grünen, bzw. Kaffee.",
    "Die Firma zahlt ca. 3 Mio. Euro inkl. MwSt. pro Jahr.",
    "Hr. Maier und Prof. Dr. Lang kommen am 5. und 6. März.",
    "Treffpunkt ist die Bahnhofstr. in Graz, Nr. 4, Tel. 555 im Büro.",
    "Die Sprechstunde ist Di. und Do. am Vormittag.",
]
TWO = [
    ("I grew up in the U.S.", "My wife is from Peru."),
    ("The shop closes at 5 p.m.", "It opens at nine."),
    ("I am 42.", "Tom is 40."),
    ("my son is 7.", "he plays chess"),
    ("we ship to the e.u.", "please keep that in mind"),
    ("The answer is no.", "We never ship on Fridays."),
    ("It needs Python 3.12.", "Docker is optional."),
    ("She works at Acme Inc.", "They make tools."),
    ("i like the sun.", "it is warm"),
    ("Die Sitzung ist am 3.", "Danach bin ich weg."),
    ("Die Miete beträgt 900.", "Strom kommt dazu."),
    ("Wir kaufen Brot, Milch usw.", "Das reicht."),
]


@pytest.mark.parametrize("text", WHOLE)
def test_an_abbreviation_or_an_ordinal_ends_no_sentence(text: str) -> None:
    assert [one.text for one in sentences(text)] == [text]


@pytest.mark.parametrize(("first", "second"), TWO)
def test_a_sentence_ends_where_the_next_begins(first: str, second: str) -> None:
    assert [one.text for one in sentences(f"{first} {second}")] == [first, second]


@pytest.mark.parametrize("text", WHOLE)
def test_what_is_asked_to_be_remembered_is_kept_whole(text: str) -> None:
    assert [one.content for one in explicit(f"Remember that {text}")] == [text]
    assert [one.content for one in explicit(f"Merk dir, dass {text} Danke!")] == [text]
