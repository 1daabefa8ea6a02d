"""Something changed: whether it is what an older statement speaks of, or something beside it."""

import pytest

from memoryd_actors.comparison import Statement, action, compare
from memoryd_actors.comparison.compare import CERTAIN

BESIDE = """
The API listens on port 8080. | The worker now listens on port 9090.
The red team meets in room 4. | The blue team now meets in room 5.
The Paris office opens at 8. | The London office now opens at 9.
The iOS app needs version 12. | The Android app now needs version 14.
The morning stand-up is at 9. | The evening stand-up is now at 6.
We use Redis for sessions. | We now use Kafka for queues.
We deploy the API to Azure. | We now deploy the website to AWS.
Tests for the parser take 5 minutes. | Tests for the lexer now take 7 minutes.
The timeout for uploads is 30 seconds. | The timeout for downloads is now 60 seconds.
The limit for free users is 10 requests. | The limit for paid users is now 100 requests.
Ann works 20 hours at Acme. | Ben now works 30 hours at Acme.
My mother takes 5 pills a day. | My father now takes 7 pills a day.
Tom's desk is on floor 2. | Tim's desk is now on floor 3.
In winter the shop opens at 9. | In summer the shop now opens at 8.
On Linux the build takes 4 minutes. | On Windows the build now takes 9 minutes.
On weekdays I get up at 6. | On weekends I now get up at 9.
The deadline for the report is May 5. | The deadline for the slides moved to May 12.
The budget for marketing is 5000 euros. | The budget for travel increased to 7000 euros.
The price of the small plan is 5 dollars. | The price of the large plan was raised to 20 dollars.
The dev cluster has 3 nodes. | The prod cluster now has 9 nodes.
The main branch requires 1 review. | The release branch now requires 2 reviews.
The login test fails on Mondays. | The checkout test now fails on Tuesdays.
Anna's birthday party is on Saturday. | Anna's wedding was moved to Sunday.
The German team has 5 people. | The French team now has 7 people.
The user prefers dark mode in the editor. | The user now prefers light mode in the terminal.
The user drinks coffee in the morning. | The user now drinks tea in the evening.
Version 2 of the API needs a token. | Version 3 of the API now needs a certificate.
Project Alpha uses Python 3.11. | Project Beta now uses Python 3.12.
The frontend repo uses Node 18. | The backend repo has been upgraded to Node 20.
The first lesson starts at 8. | The second lesson now starts at 10.
Kim's flight leaves at 7. | Lee's flight now leaves at 9.
The database backup runs at 2 am. | The log rotation now runs at 4 am.
Der API-Server lauscht auf Port 8080. | Der Worker lauscht jetzt auf Port 9090.
Das Büro in Berlin öffnet um 8. | Das Büro in Bonn öffnet jetzt um 9.
Meine Mutter wohnt in Hamburg. | Mein Vater wohnt jetzt in Bremen.
Ann is 34 years old. | Ben is now 36 years old.
Our cat weighs 4 kg. | Our dog now weighs 9 kg.
The kitchen lamp uses 5 W. | The hall lamp now uses 9 W.
The left door is locked. | The right door is now open.
The staging database has 20 GB. | The production database has grown to 90 GB.
I pay 800 euros of rent. | I now pay 90 euros for power.
I run 5 km on Mondays. | I now swim 2 km on Mondays.
The gryphon server listens on port 4001. | The basilisk server now listens on port 5002.
The REST endpoint returns 50 rows. | The GraphQL endpoint now returns 100 rows.
Customer Acme pays 100 a month. | Customer Globex now pays 200 a month.
Row 3 has the totals. | Row 5 now has the averages.
The CEO lives in Rome. | The CFO has moved to Oslo.
Flour costs 2 euros. | Butter now costs 3 euros.
We support Python 3.11. | We now support Python 3.12.
I live with Anna. | I now live in Munich.
Ann works in Rome. | Ann now works in sales.
I work with Ann. | I now work with Ben.
I have 3 cats. | I now have 5 dogs.
I like tea. | I now like coffee.
We have a dog. | We now have a cat.
Ann speaks French. | Ann now speaks German.
I use Python. | I now use Rust.
Our CEO is Swedish. | Our CEO is now in Oslo.
My flight leaves from Rome. | My flight now leaves at 9.
Tom's flight leaves at 7. | My flight now leaves at 9.
My mother's flight leaves at 7. | My flight now leaves at 9.
I work 20 hours. | She now works 30 hours.
He lives in Rome. | She now lives in Oslo.
We accept cards from 10 euros. | We now accept cash from 5 euros.
The shop sells 3 kinds of bread. | The shop now sells 5 kinds of cake.
The shop accepts Visa. | The shop now accepts Amex.
Our docs are in German. | Our docs are now in French, too.
The server is named Zeus. | The printer is now named Hera.
Anna lives in Rome. | Bella now lives in Oslo.
The app works on iOS. | The app now works on Android.
Login works with Google. | Login now works with Apple.
I'm at level 5 in chess. | I'm now at level 7 in Go.
The tool is called by cron. | The tool is now called by systemd.
I work on Mondays. | I now also work on Tuesdays.
The lecture is on Mondays. | The lecture is now also on Tuesdays.
The east gate closes at 6 pm. | The west gate now closes at 8 pm.
Invoices are sent on the 1st. | Reminders are now sent on the 15th.
The Kafka topic orders has 12 partitions. | The Kafka topic payments has been extended to 24 partitions.
Lunch is served at 12. | Dinner is now served at 7.
Grandma's pills: 3 a day. | Grandpa's pills: now 5 a day.
Unit tests run in 40 seconds. | Integration tests now run in 90 seconds.
The guest wifi has 50 Mbit. | The office wifi was upgraded to 200 Mbit.
Maria earns 4000 a month. | Marta now earns 5000 a month.
The bakery on Main Street opens at 6. | The bakery on Oak Street now opens at 7.
User sessions expire after 30 minutes. | Admin sessions now expire after 10 minutes.
The read replica is in Frankfurt. | The primary was moved to Dublin.
The English exam is in room 12. | The maths exam was moved to room 14.
The red bus goes every 10 minutes. | The green bus now goes every 15 minutes.
In the morning the user takes 2 tablets. | In the evening the user now takes 3 tablets.
Der Zug nach Köln fährt um 8. | Der Zug nach Bonn fährt jetzt um 9.
Für Kinder kostet es 5 Euro. | Für Erwachsene kostet es jetzt 9 Euro.
Le bureau de Paris ouvre à 8 heures. | Le bureau de Lyon ouvre maintenant à 9 heures.
The retry limit of the client is 3. | The retry limit of the server was raised to 5.
Cats sleep 14 hours. | My baby now sleeps 12 hours.
The error rate on iOS is 2%. | The error rate on Android dropped to 1%.
The blog uses Hugo. | The shop now uses Shopify.
Alice reports to Bob. | Carol now reports to Dave.
Memory of the web pods is 512 MB. | CPU of the web pods was raised to 2 cores.
Joanna visited Paris. | Nate visited Paris recently.
The build takes 4 minutes. | The build now takes 9 minutes on CI.
"""
CHANGED = """
The API runs on port 8080. | The API now runs on port 9090.
The deadline is 5 May. | The deadline moved to 12 May.
My dog is called Rex. | Actually, my dog is called Max.
The meeting is on Monday. | The meeting has been moved to Tuesday.
The team has 5 people. | The team now has 7 people.
The API rate limit is 100 requests per minute. | The rate limit of the API was raised to 200 requests per minute.
Ann is the owner of the parser. | Ben is now the owner of the parser.
The user's favourite colour is blue. | The user's favourite colour is now green.
I live in Hamburg. | I now live in Munich.
The timeout for uploads is 30 seconds. | The upload timeout is now 60 seconds.
The weekly sync is at 10 am. | The weekly sync was rescheduled to 11 am.
Jenkins is our CI server. | Buildkite is now our CI server.
The project uses Python 3.11. | The project now uses Python 3.12.
Der Termin ist am Montag. | Der Termin ist jetzt am Dienstag.
My rent is 800 euros. | My rent has increased to 900 euros.
Our database is MySQL. | Our database is now Postgres.
The transaction dashboard has 10 commits. | The dashboard for transactions now has 15 commits.
The test coverage is 65%. | Test coverage has increased to 78%.
The user works at Acme. | The user now works at Initech.
I live at Hauptstr. 5. | I now live at Hauptstr. 9.
My boss is Ann. | My boss is now Ben.
Ich wohne in Hamburg. | Ich wohne jetzt in München.
I work at Acme. | I work at Initech now.
Ann lives in Rome. | Ann now lives in Oslo.
Der Server heißt Zeus. | Der Server heißt jetzt Hera.
The password policy requires 8 characters. | The password policy now requires 12 characters.
The CI runs on Ubuntu 20.04. | The CI now runs on Ubuntu 24.04.
My phone number is 555 1234. | My phone number is now 555 9876.
I'm 34 years old. | I'm now 35 years old.
The east gate closes at 6 pm. | The east gate now closes at 8 pm.
Alice reports to Bob. | Alice now reports to Dave.
Our standup is at 9:30. | Our standup has been moved to 10:00.
The minimum order is 20 euros. | The minimum order was raised to 25 euros.
The user's name is Kim Lee. | The user's name is now Kim Park.
User sessions expire after 30 minutes. | User sessions now expire after 10 minutes.
Der Zug nach Köln fährt um 8. | Der Zug nach Köln fährt jetzt um 9.
The exam is in room 12. | The exam was moved to room 14.
My favourite band is Muse. | My favourite band is now Blur.
We pay 20 euros per seat. | We now pay 25 euros per seat.
"""
NARROWER = """
The API listens on port 8080. | Actually, the worker listens on port 9090.
The database is Postgres. | The database of the archive is SQLite, not Postgres.
The server listens on port 7000. | In the test setup the server listens on port 7001, not 7000.
Our dentist is Doctor Reuter. | Two years ago our dentist was Doctor Falk, not Doctor Reuter.
My laptop is a ThinkPad. | My old laptop is a MacBook, not a ThinkPad.
I live in Leipzig. | My brother moved from Leipzig to Dresden.
I work at Siemens. | My husband switched from Siemens to Bosch.
The retro is at 14:00. | The retro in Munich moved to 15:00.
The build uses GCC 12. | The build for Windows uses MSVC 19, not GCC 12.
We use npm. | The design team switched from npm to pnpm.
The default theme is dark. | The default theme for guests is light, not dark.
The deadline is 3 May. | The deadline for the appendix is 9 May, not 3 May.
The wiki runs on Hetzner. | The mirror of the wiki was migrated from Hetzner to Linode.
The shop closes at 18:00. | On Saturdays the shop closes at 14:00, not 18:00.
I drive a Golf. | My neighbour no longer drives a Golf.
Der Server steht in Köln. | Der Server für die Tests steht in Bonn, nicht in Köln.
Our standup is at 9:15. | We pushed the standup on Mondays to 9:45.
We use Redis. | In staging, we no longer use Redis.
We use npm. | We switched from npm to pnpm for the docs.
The wiki runs on Hetzner. | In staging, the wiki was migrated from Hetzner to Linode.
The meeting is on Wednesday. | The meeting on Monday moved to Tuesday.
The standup is at 9:30. | The standup on Fridays moved to 10:00.
The standup is at 9:30. | The standup moved to 10:00 in Munich.
The API listens on port 8080. | The API listened on port 9090, not 8080.
Our vet is Doctor Huber. | Our vet used to be Doctor Pichler, not Doctor Huber.
Our vet is Doctor Huber. | Our vet was Doctor Pichler.
Unser Tierarzt ist Doktor Huber. | Unser Tierarzt war Doktor Pichler, nicht Doktor Huber.
"""
OF_THE_SAME = """
The barn has 4 doors. | That's wrong, the barn has 3 doors, not 4.
Our vet is Doctor Huber. | Actually our vet is Doctor Pichler, not Doctor Huber.
The database is Postgres. | The database is SQLite, not Postgres.
The server listens on port 7000. | The server listens on port 7001, not 7000.
Our dentist is Doctor Reuter. | Our dentist is Doctor Falk, not Doctor Reuter.
My laptop is a ThinkPad. | My laptop is a MacBook, not a ThinkPad.
I live in Leipzig. | I moved from Leipzig to Dresden.
I work at Siemens. | I switched from Siemens to Bosch.
The retro is at 14:00. | The retro moved to 15:00.
The build uses GCC 12. | The build uses GCC 13, not GCC 12.
We use npm. | We switched from npm to pnpm last week.
The default theme is dark. | No, the default theme is light, not dark.
The deadline is 3 May. | The deadline is 9 May, not 3 May.
The wiki runs on Hetzner. | The wiki was migrated from Hetzner to Linode.
The shop closes at 18:00. | The shop does not close at 18:00 but at 19:00.
I drive a Golf. | I no longer drive a Golf.
Der Server steht in Köln. | Der Server steht in Bonn, nicht in Köln.
Our standup is at 9:15. | We pushed the standup to 9:45.
I live in Ghent. | I live in Bruges now, I no longer live in Ghent.
I live in Ghent. | Good news: I have now moved from Ghent to Bruges.
Our vet was Doctor Huber. | Our vet was Doctor Pichler, not Doctor Huber.
"""


def pairs(text: str) -> list[tuple[str, str]]:
    found = [line.split(" | ") for line in text.strip().split("\n")]
    return [(old, new) for old, new in found]


@pytest.mark.parametrize("cosine", [0.6, 0.95])
@pytest.mark.parametrize(("old", "new"), pairs(BESIDE))
def test_a_change_of_something_else_retires_nothing(old: str, new: str, cosine: float) -> None:
    found = compare(Statement(text=new), Statement(text=old), cosine)
    assert action(found) in {"keep", "queue"}, found


@pytest.mark.parametrize(("old", "new"), [one for one in pairs(BESIDE) if "CEO is now" not in one[1]])
def test_nor_does_a_correction_of_something_else(old: str, new: str) -> None:
    plain = new.replace(" now ", " ").replace(" jetzt ", " ").replace(" maintenant ", " ")
    found = compare(Statement(text=plain, category="correction"), Statement(text=old), 0.8)
    assert action(found) in {"keep", "queue"}, found


@pytest.mark.parametrize(("old", "new"), pairs(CHANGED))
def test_another_value_of_the_same_thing_takes_its_place(old: str, new: str) -> None:
    found = compare(Statement(text=new), Statement(text=old), 0.8)
    assert action(found) == "supersede", found


@pytest.mark.parametrize("category", ["fact", "correction"])
@pytest.mark.parametrize(("old", "new"), pairs(NARROWER))
def test_what_is_said_of_another_a_part_a_place_or_the_past_retires_nothing(old: str, new: str, category: str) -> None:
    found = compare(Statement(new, category), Statement(old), 0.8)
    assert action(found) != "supersede", found
    assert action(found) != "contradict" or found.confidence < CERTAIN, found


@pytest.mark.parametrize("category", ["fact", "correction"])
@pytest.mark.parametrize(("old", "new"), pairs(OF_THE_SAME))
def test_what_is_said_of_the_same_with_nothing_more_takes_its_place(old: str, new: str, category: str) -> None:
    found = compare(Statement(new, category), Statement(old), 0.8)
    assert action(found) == "supersede", found
