"""Of what can be several both stay; what changed, or is one by its nature, has one value."""

import pytest

from memoryd_actors.comparison import Statement, action, compare
from memoryd_actors.comparison.compare import CERTAIN

SEVERAL = """
My sister's name is Anna. | My sister's name is Eva.
My cat's full name is Ada. | My cat's full name is Ida.
The user's colleague's name is Anna. | The user's colleague's name is Eva.
The name of my daughter is Anna. | The name of my daughter is Eva.
One reviewer is Priya. | One reviewer is Tomas now.
A maintainer is Priya. | A maintainer is now Tomas.
Take the pill at 8:00. | Take the pill at 20:00.
The exam is on 3 March. | The exam is on 10 March.
The meeting is at 8 am. | The meeting is at 8 pm.
The proxy listens on port 80. | The proxy listens on port 443.
The invoice is 500 euros. | The invoice is 700 euros.
Acme sent an invoice of 500 euros. | Acme sent an invoice of 700 euros.
The user recently bought 2 lamps. | The user recently bought 3 lamps.
The user bought 2 lamps. | The user recently bought 3 lamps.
Acme paid 500 euros. | Acme recently paid 700 euros.
The pill is due at 8:00. | The pill is due at 20:00.
The train leaves at 8:05. | The train leaves at 9:05.
The server runs on port 80. | The server runs on port 443.
The vaccination is on 12 June. | The vaccination is on 10 July.
Nora takes 5 mg of iron in the morning. | Nora takes 10 mg of iron in the morning.
The bus to Kiel leaves at 7:10. | The bus to Kiel leaves at 17:10.
Grafana listens on port 3000. | Grafana listens on port 3443.
Mia has a swimming lesson on Tuesday. | Mia has a swimming lesson on Thursday.
The electrician charged 240 euros. | The electrician charged 310 euros.
The user ran 10 km on Sunday. | The user ran 12 km on Sunday.
The reminder is set for 9 am. | The reminder is set for 6 pm.
Lukas donated 50 euros to the zoo. | Lukas recently donated 80 euros to the zoo.
We deployed version 2.1 to staging. | We deployed version 2.2 to staging.
The user was in Lisbon in May. | The user was in Lisbon in September.
A deadline is on 5 May. | A deadline is on 9 May.
The budget meeting is on 3 March. | The budget meeting is on 10 March.
The parcel weighs 3 kg. | The parcel weighs 5 kg.
The firewall opens port 22. | The firewall opens port 8022.
Ida owes Jan 20 euros. | Ida owes Jan 35 euros.
The yoga course costs 90 euros. | The yoga course costs 120 euros.
The dentist appointment is at 14:30. | The dentist appointment is at 15:15.
Die Prüfung ist am 3. März. | Die Prüfung ist am 10. März.
Die Tablette wird um 8 Uhr genommen. | Die Tablette wird um 20 Uhr genommen.
The user's son is 4 years old. | The user's son is 9 years old.
My flight is on Friday. | My flight is on Sunday.
The backup job runs at 2 am and takes an hour. | The backup job runs at 2 pm and takes an hour.
"""
ONE = """
The staging database listens on port 5432. | The staging database moved to port 5433.
The staging database is on port 5432. | The staging database moved to port 5433.
The staging database runs on port 5432. | The staging database moved to port 5433.
The deadline is 3 March. | The deadline is now 10 March.
The exam is on 3 March. | The exam is now on 10 March.
The exam is on 3 March. | Actually, the exam is on 10 March.
The exam is on 3 March. | The exam is on 10 March, not 3 March.
The exam is on 3 March. | The exam is not on 3 March but on 10 March.
The user's name is Kim Lee. | The user's name is Kim Park.
The user's birthday is on 3 May. | The user's birthday is on 4 May.
The user lives in Hamburg. | The user now lives in Munich.
The default branch is main. | The default branch is develop.
The default branch is main. | The default branch is now develop.
We use Python 3.11. | We now use Python 3.12.
My editor is Vim. | My editor is now Helix.
The user's favourite editor is Vim. | The user's favourite editor is Emacs.
The proxy listens on port 80. | The proxy now listens on port 443.
The proxy listens on port 80. | The proxy listens on port 443 instead.
The meeting is at 8 am. | The meeting was moved to 9 am.
The user's name is Petra. | The user's name is Petra-Maria.
The project's version is 1.4. | The project's version is 1.5.
The price of the season ticket is 80 euros. | The price of the season ticket is 95 euros.
The default shell is bash. | The default shell is fish.
Grafana listens on port 3000. | Grafana moved to port 3443.
The user lives in Ulm. | The user has moved from Ulm to Jena.
The vaccination is on 12 June. | The vaccination was postponed to 10 July.
The release manager is Olga. | The release manager is now Timo.
The exam is in room 12. | The exam is in room 14, not in room 12.
We deploy with Helm. | We no longer deploy with Helm.
The sprint ends on Friday. | The sprint now ends on Thursday.
The limit for uploads is 20 MB. | The limit for uploads is 50 MB.
The API key rotates every 30 days. | The API key now rotates every 14 days.
The deadline for the grant is 1 May. | Actually, the deadline for the grant is 8 May.
Die Miete ist 700 Euro. | Die Miete ist jetzt 760 Euro.
Mein Name ist Jana Roth. | Mein Name ist Jana Kern.
The team meets at 9. | The team does not meet at 9 but at 10.
The main database is MySQL. | The main database is not MySQL but Postgres.
The user eats fish. | The user does not eat fish.
"""
CORRECTED = """
The exam is on 3 March. | The exam is on 10 March.
The exam is on 3 March. | The exam is on 10 March, not on 3 March.
The exam is on 3 March. | The exam is on 10 March, not 3 March.
The user's birthday is on 2 July. | The user's birthday is on 12 July.
"""


def takes_its_place(old: str, new: str, category: str = "fact") -> bool:
    """Return whether the newer one is sure to take the place of the older, where both are trusted as much."""
    found = compare(Statement(new, category), Statement(old), 0.8)
    done = action(found)
    assert done != "merge"
    return done == "supersede" or (done == "contradict" and found.confidence >= CERTAIN)


def pairs(text: str) -> list[tuple[str, str]]:
    return [(old, new) for old, new in (line.split(" | ") for line in text.strip().split("\n"))]


@pytest.mark.parametrize(("old", "new"), pairs(SEVERAL))
def test_another_time_date_port_or_sum_of_what_may_be_several_leaves_both(old: str, new: str) -> None:
    assert not takes_its_place(old, new)


@pytest.mark.parametrize(("old", "new"), pairs(ONE))
def test_what_changed_or_is_one_by_its_nature_has_its_newer_value(old: str, new: str) -> None:
    assert takes_its_place(old, new)


@pytest.mark.parametrize(("old", "new"), pairs(CORRECTED))
def test_a_correction_takes_the_place_of_what_it_corrects(old: str, new: str) -> None:
    assert takes_its_place(old, new, "correction")
