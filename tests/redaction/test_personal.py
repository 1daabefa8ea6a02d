"""Personal data by its form, with its check digits; what only looks like it; the user's own words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.redaction import Rules, redact
from memoryd_actors.redaction.personal import DEFAULT_KINDS, KINDS, kinds_of
from memoryd_actors.redaction.rules import Variable

ALL = Rules(personal_data=frozenset(KINDS))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pay with 4539 1488 0343 6467, please", "pay with [redacted:card-number], please"),
        ("Visa 4539148803436467", "Visa [redacted:card-number]"),
        ("Amex 3714-496353-98449 expired", "Amex [redacted:card-number] expired"),
        ("IBAN DE89 3704 0044 0532 0130 00 BITTE", "IBAN [redacted:iban] BITTE"),
        ("auf GB29NWBK60161331926819.", "auf [redacted:iban]."),
        ("FR14 2004 1010 0505 0001 3M02 606", "[redacted:iban]"),
        ("her SSN is 219-09-9999", "her SSN is [redacted:national-id]"),
        ("NINO AB 12 34 56 C", "NINO [redacted:national-id]"),
        ("meine Steuer-ID ist 86 095 742 719", "meine Steuer-ID ist [redacted:national-id]"),
        ("n° 2 55 08 14 168 025 38", "n° [redacted:national-id]"),
    ],
)
def test_cards_accounts_and_national_ids_are_replaced(text: str, expected: str) -> None:
    assert redact(text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "4539 1488 0343 6468 fails the check",
        "the test card 4242 4242 4242 4242 works",
        "at 1700000000000 ms",
        "order 1234567890123456",
        "0.4539148803436467",
        "sha 4539148803436467abcdef",
        "/orders/4539148803436467",
        "DE89 3704 0044 0532 0130 01",
        "XX89370400440532013000",
        "000-12-3456 and 123-00-4567 and 1219-09-9999",
        "2026-01-02 10:00:00 and 192.168.100.200",
        "86 095 742 719 without its name",
        "0000 0000 0000 0000",
    ],
)
def test_numbers_that_only_look_like_it_stay(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("call +49 30 901820", "call [redacted:phone]"),
        ("phone: 030 901820-12, ask", "phone: [redacted:phone], ask"),
        ("Tel. (030) 901 82 00", "Tel. [redacted:phone]"),
        ("write to ana.lopez+x@mail.firm.org.", "write to [redacted:email]."),
    ],
)
def test_phone_numbers_and_addresses_are_replaced_on_demand_only(text: str, expected: str) -> None:
    assert redact(text, ALL).text == expected
    assert redact(text).text == text


@pytest.mark.parametrize(
    "number",
    """(212) 736-5000
212-736-5000
1-800-273-8255
0170 1234567
01701234567
020 7946 0958
+49 (0)170 1234567
0043 664 1234567
06 12 34 56 78
01.42.68.53.00
0664/1234567
+34 912 345 678
06 6982 1234
(+49) 170-1234567
0170\u00a01234567
0170\u20131234567""".splitlines(),
)
def test_phone_numbers_are_known_as_they_are_written_in_their_country(number: str) -> None:
    assert redact(f"Ask Anna, {number}, or {number}.", ALL).text == "Ask Anna, [redacted:phone], or [redacted:phone]."
    assert redact(f"{number} {number}", ALL).text == "[redacted:phone] [redacted:phone]"


@pytest.mark.parametrize("number", ["347 1234567", "347-1234567", "347 123 4567"])
def test_mobile_numbers_of_italy_begin_with_no_zero(number: str) -> None:
    assert redact(f"Ask Anna, {number}.", ALL).text == "Ask Anna, [redacted:phone]."


@pytest.mark.parametrize(
    "text",
    """version 1.2.3.4567 of 2026-03-14 10:20:30, 14.03.2026 09:30, 20260314102030
at 1700000000 or 1700000000000, port 5432, 192.168.178.20, 010.020.030.040
order 0123456789, Bestellnummer 0451234567, ISBN 978-3-16-148410-0, EAN 0012345678905
DE00 1234 5678 9012 3456 78, IBAN 0532 0130 00
commit 0912345678, 9f86d081884c7d65, 550e8400-e29b-41d4-a716-446655440000
10 20 30 40 50 60, 0.1 0.2 0.3 0.4, 12 345 678 people, +1000000 lines, chmod 0644 0755 0700
id=01701234567, /users/01701234567, 0000000000, 1234567890, 02.11.2025 - 05.11.2025""".splitlines(),
)
def test_a_number_of_another_kind_is_no_phone_number(text: str) -> None:
    assert redact(text, Rules(personal_data=frozenset({"phone"}))).text == text


@pytest.mark.parametrize(
    "text",
    """git clone git@git.firm.com:team/app.git
ssh -i ~/.ssh/id_ed25519 anna@box.firm.de, or ssh://anna@box.firm.de/repo
scp -r ./dist anna@box.firm.de:/var/www as root@server.firm.com
anna@web01.firm.net:~/src$ ls
icon@3x.png and bg@2x.min.jpg
@angular/core@17.0.0-next.beta, pkg@v2.0.0-rc.one, getty@tty1.service
y = x@w.transpose(0)""".splitlines(),
)
def test_what_has_an_at_sign_and_is_no_address_stays(text: str) -> None:
    assert redact(text, Rules(personal_data=frozenset({"email"}))).text == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("jana.k (at) firm-one.de", ""),
        ("jana [at] firm [dot] de is hers", " is hers"),
        ("jana(at)firm.de, please", ", please"),
    ],
)
def test_an_address_is_one_as_people_write_it_against_machines(text: str, left: str) -> None:
    assert redact(text, Rules(personal_data=frozenset({"email"}))).text == f"[redacted:email]{left}"


@pytest.mark.parametrize("text", ["meet (at) noon", "x[at] = y.z", "jana (at) example.org", "rows[at].json"])
def test_what_is_written_like_one_is_none(text: str) -> None:
    assert redact(text, Rules(personal_data=frozenset({"email"}))).text == text


@pytest.mark.parametrize("before", ["ssh keys go to ", "mailto:", "I use git with ", "<"])
def test_an_address_is_one_beside_such_words(before: str) -> None:
    assert redact(f"{before}jürgen@müller.de", ALL).text == f"{before}[redacted:email]"
    assert redact(f"{before}anna@1und1.de: she knows", ALL).text == f"{before}[redacted:email]: she knows"


@pytest.mark.parametrize(
    "text",
    ["bob@example.com", "git@localhost:x", "@decorator", "phone 12 is broken", "mobile first", "v+1 2 3", "a@b"],
)
def test_what_is_no_phone_number_and_no_address_stays(text: str) -> None:
    assert redact(text, ALL).text == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She lives at 12 Old Mill Lane now.", "She lives at [redacted:street] now."),
        ("221B Baker Street, Apt 4, London", "[redacted:street], London"),
        ("Er wohnt in der Hauptstraße 5a.", "Er wohnt in der [redacted:street]."),
        ("Lendplatz 17/2 and Kärntner Ring 12", "[redacted:street] and [redacted:street]"),
        ("rue de la Paix 3 in Paris", "[redacted:street] in Paris"),
        ("Ask Ann Smith and Dr. Jane van Dyke.", "Ask [redacted:name] and Dr. [redacted:name]."),
        ("My name is Priya. Frau Haberl pays.", "My name is [redacted:name]. Frau [redacted:name] pays."),
        ("ich heiße Jürgen Müller", "ich heiße [redacted:name]"),
        ("My name's Okonkwo, my son's name is Emil.", "My name's [redacted:name], my son's name is [redacted:name]."),
        ("Her maiden name was Carrington.", "Her maiden name was [redacted:name]."),
        ("My wife is Ulrike.", "My wife is [redacted:name]."),
        ("Ask our landlord Nowak.", "Ask our landlord [redacted:name]."),
        ("Bis morgen.\nViele Grüße\nTomasz Kowalczyk", "Bis morgen.\nViele Grüße\n[redacted:name]"),
        ("Reviewed-by: Chen Wei <1@2>", "Reviewed-by: [redacted:name] <1@2>"),
    ],
)
def test_streets_and_names_are_replaced_on_demand_only(text: str, expected: str) -> None:
    assert redact(text, ALL).text == expected
    assert redact(text).text == text


@pytest.mark.parametrize(
    "street",
    """7 Harbour Drive
221B Baker St
Ringstraße 4b
Keizersgracht 123-II
Prins Hendrikkade 33
Laan van Meerdervoort 12
10 rue de Rivoli
8 place de la Concorde
Via Dante Alighieri 7
Piazza del Duomo 1
Calle de Alcalá, 45
Plaza Mayor 3
Rua das Flores 18""".splitlines(),
)
def test_streets_are_known_as_they_are_written_in_their_country(street: str) -> None:
    assert (
        redact(f"She lives there: {street}, with a cat.", ALL).text == "She lives there: [redacted:street], with a cat."
    )


def test_a_street_without_its_kind_is_one_with_a_postcode() -> None:
    assert redact("Am Markt 3, 8010 Graz", ALL).text == "[redacted:street], 8010 Graz"
    assert redact("Am Freitag 3 Termine, im Sprint 12, 4000 Tests", ALL).text.startswith("Am Freitag 3 Termine")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("My wife Ulrike prefers tea.", "Ulrike"),
        ("Mia moglie Paola lavora.", "Paola"),
        ("Mi chiamo Luca.", "Luca"),
        ("je m'appelle Claire Petit", "Claire Petit"),
        ("Señora López called", "López"),
        ("ask José García", "José García"),
        ("ask Maria-Luisa Conti", "Maria-Luisa Conti"),
        ("Our test lead is called Vera.", "Vera"),
        ("The owner of the database is called Piotr.", "Piotr"),
        ("In our project the lead is called Hans.", "Hans"),
        ("Unser Projektleiter heißt Jost.", "Jost"),
    ],
)
def test_names_are_known_in_other_languages(text: str, name: str) -> None:
    assert redact(text, ALL).text == text.replace(name, "[redacted:name]")


@pytest.mark.parametrize(
    "text",
    [
        "In 2025 Wall Street was calm, in 2024 Google Drive was slow",
        "8 Hard Drive slots, 2 Front Row seats, step 3: Close the window",
        "Via Slack 3 times, via SSH 22, Via GitHub 2 issues",
        "Ausweg 3 ist besser, Am Freitag 3 Termine",
        "Securing 3 servers, step 2 of the Way Forward",
        "Use 2 spaces. Drive it home, St. Gallen, 5 St",
        "Arbeitsplatz 3 ist frei",
        "Visual Studio Code and Claude Code, Monday March",
        "Michael's Findings; call me on Monday",
        "mark the rose and will it",
        "My wife is German.",
        "My boss is CEO.",
        "Thanks,\nThe Team",
        "Best, Regards",
        "My name is in the config.",
        "From: Sales",
        "Der Server heißt Hafner.",
        "Unsere Datenbank heißt Kranich, und der Datenbankserver heißt Emil.",
        "The project is named Hafner, the default branch was called Lumen.",
        "The staging machine of my sister is called Otto.",
    ],
)
def test_what_is_no_street_and_no_name_stays(text: str) -> None:
    assert redact(text, ALL).text == text


def test_a_group_stands_for_its_kinds() -> None:
    assert kinds_of(["contact", "card"]) == {"phone", "email", "street", "card"}
    assert kinds_of(["numbers"]) == frozenset(DEFAULT_KINDS)
    assert kinds_of(["all"]) == kinds_of(["numbers", "contact", "names"]) == frozenset(KINDS)
    assert kinds_of([]) == frozenset()


def test_every_kind_can_be_switched_off() -> None:
    text = "4539 1488 0343 6467, DE89 3704 0044 0532 0130 00, 219-09-9999"
    assert redact(text, Rules(personal_data=frozenset())).text == text


@given(st.text("0123456789", min_size=15, max_size=15), st.integers(0, 9))
def test_exactly_one_check_digit_makes_a_card(digits: str, other: int) -> None:
    number = "4" + digits[1:]
    found = [str(digit) for digit in range(10) if redact(f"card {number}{digit}").findings]
    assert len(found) <= 1
    if found and str(other) != found[0]:
        assert redact(f"card {number}{other}").findings == ()


def test_the_users_own_words_are_replaced_whole_and_in_any_case() -> None:
    rules = Rules(words=("Müller", "ACME Corp", "Elm Street 7"))
    assert redact("MÜLLER of acme corp, Elm Street 7; Müllerstraße", rules).text == (
        "[redacted:word] of [redacted:word], [redacted:word]; Müllerstraße"
    )


ENVIRONMENT = Rules(
    environment=(
        Variable("SIGNING_SALT", "correct horse battery"),
        Variable("DB_PASSWORD", "swordfishes"),
        Variable("DEPLOYMENT", "production"),
        Variable("BUILD", "a8f3k2m9q1z7b5c4"),
        Variable("API_TOKEN", "changeme"),
        Variable("PORT", "8080"),
    )
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it logs in with swordfishes", "it logs in with [redacted:env]"),
        ("build a8f3k2m9q1z7b5c4 is out", "build [redacted:env] is out"),
        ("DEPLOYMENT=production", "DEPLOYMENT=[redacted:env]"),
        ('"DEPLOYMENT": "production"', '"DEPLOYMENT": "[redacted:env]"'),
        ("SIGNING_SALT = 'correct horse battery'", "SIGNING_SALT = '[redacted:env]'"),
        ("it runs in production on 8080", "it runs in production on 8080"),
        ("do not use changeme", "do not use changeme"),
    ],
)
def test_values_of_environment_files_are_replaced_where_they_are_secrets_or_assigned(text: str, expected: str) -> None:
    assert redact(text, ENVIRONMENT).text == expected


def test_rules_never_show_what_they_replace() -> None:
    shown = repr(Rules(words=("Müller",), environment=(Variable("A", "swordfishes"),)))
    assert "Müller" not in shown
    assert "swordfishes" not in shown


@pytest.mark.parametrize(
    "closing",
    [
        "Best regards,",
        "Thank you,",
        "All the best",
        "Yours sincerely,",
        "Mit freundlichen Grüßen",
        "Cheers!",
        "Cordialement,",
    ],
)
def test_who_signs_a_letter_is_a_name(closing: str) -> None:
    said = redact(f"Could you look at it?\n\n{closing}\n\nMira Holm\n", Rules(personal_data=frozenset({"name"}))).text
    assert said == f"Could you look at it?\n\n{closing}\n\n[redacted:name]\n"
