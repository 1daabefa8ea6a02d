"""Something is no longer so: what that retires, and what it says nothing of."""

import pytest

from memoryd_actors.comparison import Statement, action, compare
from memoryd_actors.comparison.compare import CERTAIN

ELSEWHERE = """
The alarm works in the kitchen. | The alarm no longer works in the cellar.
I eat meat on Sundays. | I no longer eat meat on Fridays.
We deploy to Azure in Europe. | We no longer deploy to Azure in Asia.
I smoke at parties. | I no longer smoke at home.
I can eat bread without gluten. | I can no longer eat bread with gluten.
Tom may delete users. | Tom may no longer delete admins.
I am allergic to nuts. | I am no longer allergic to raw nuts.
I like tea. | I no longer like tea with milk.
We use Redis. | We no longer use Redis 5.
We support Python 3.12. | We no longer support Python 3.8.
I work for Acme. | I no longer work for Acme on weekends.
Lea has a dog. | Lea no longer has a big dog.
Nur Anna darf deployen. | Nur Ben darf nicht mehr deployen.
Ich esse Fleisch. | Ich esse nicht mehr montags Fleisch.
The server is in Rome. | It is no longer true that the server is slow in Rome.
I live in Hamburg. | I no longer live near the port in Hamburg.
I like coffee in the morning. | I no longer like coffee in the evening.
The test is flaky on Windows. | The test is not flaky on Linux anymore.
I never drink coffee. | I no longer drink coffee.
"""
ENDED = """
I like coffee. | I no longer like coffee.
I like coffee in the morning. | I no longer like coffee.
We use npm. | We no longer use npm, we use pnpm now.
Ann works at Acme. | Ann does not work at Acme anymore.
Wir nutzen Redis als Cache. | Wir nutzen Redis nicht mehr.
We deploy on Fridays. | We no longer deploy on Fridays.
We support Python 3.8. | We no longer support Python 3.8.
We support Python 3.8 and 3.9. | We no longer support Python 3.8 and 3.9.
I and Ben maintain the parser. | I and Ben no longer maintain the parser.
We use Redis as a cache, since it is fast. | We no longer use Redis.
"""
IN_PART = """
The API supports XML and JSON. | The API no longer supports XML.
The API supports XML, JSON and YAML. | The API no longer supports JSON.
The API supports XML, JSON, YAML. | The API no longer supports JSON.
The API supports XML 1.0 as well as JSON. | The API no longer supports XML.
We use Redis for caching and for the queue. | We no longer use Redis for the queue.
Wir nutzen Redis für den Cache und für die Queue. | Wir nutzen Redis nicht mehr für die Queue.
Anna and Ben maintain the parser. | Ben no longer maintains the parser.
I and Ben maintain the parser. | I no longer maintain the parser.
I like tea and coffee in the morning. | I no longer like coffee.
I like coffee. I live in Ghent. | I no longer like coffee.
"""


def pairs(text: str) -> list[tuple[str, str]]:
    found = [line.split(" | ") for line in text.strip().split("\n")]
    return [(old, new) for old, new in found]


@pytest.mark.parametrize("cosine", [0.6, 0.8, 0.95])
@pytest.mark.parametrize(("old", "new"), pairs(ELSEWHERE))
def test_what_ends_elsewhere_or_in_part_leaves_both(old: str, new: str, cosine: float) -> None:
    found = compare(Statement(text=new), Statement(text=old), cosine)
    assert action(found) in {"keep", "queue"}, found


@pytest.mark.parametrize(("old", "new"), pairs(ENDED))
def test_what_is_no_longer_so_is_superseded(old: str, new: str) -> None:
    found = compare(Statement(text=new), Statement(text=old), 0.85)
    assert action(found) == "supersede", found


@pytest.mark.parametrize("category", ["fact", "correction"])
@pytest.mark.parametrize(("old", "new"), pairs(IN_PART))
def test_what_ends_of_several_things_leaves_both_and_links_them(old: str, new: str, category: str) -> None:
    found = compare(Statement(new, category), Statement(old), 0.85)
    assert action(found) == "contradict", found
    assert found.confidence < CERTAIN


DENIED = """
Staging runs in Dublin. | No, staging runs in Frankfurt, not in Dublin.
The build uses Python 3.11. | The build uses Python 3.12, not 3.11.
Der Server steht in Köln. | Der Server steht in Bonn, nicht in Köln.
Use pip. | Use uv, never pip.
Ana owns billing. | Ben owns billing, not Ana.
The team uses Slack for incidents. | The team uses Zulip, not Slack, for incidents.
We use Jira, not Linear. | We use Linear, not Jira.
Meetings are on Monday, not Tuesday. | Meetings are on Tuesday, not Monday.
Wir nutzen Jira, nicht Linear. | Wir nutzen Linear, nicht Jira.
The API listens on port 8080. | the api listens on port 9090, not 8080
CI runs on Jenkins. | No, the ci runs on buildkite, not jenkins
The queue is rabbitmq. | The queue is Kafka, not RabbitMQ.
"""
DENIED_OF_ANOTHER = """
The dev cluster runs in Dublin. | The prod cluster runs in Frankfurt, not in Dublin.
The deploy uses Python 3.11. | The build uses Python 3.12, not 3.11.
Use pip for docs. | Use uv, not pip.
Ana likes Windows. | Tests run on Linux, not on Windows.
We deploy on Fridays and Mondays. | We deploy on Mondays, never on Fridays.
The US listens on port 8080. | For us it listens on port 9090, not 8080.
"""

ANOTHER_AGAIN = """
My favourite editor is Helix, not Vim. | My favourite editor is Zed.
The user's favourite language is Rust, not Go. | The user's favourite language is Zig.
We page with PagerDuty, not Opsgenie. | We page with Opsgenie.
The release branch is develop, not main. | The release branch is main.
Our CI runs on Buildkite, not on Jenkins. | Our CI runs on Jenkins.
The deadline is 12 May, not 10 May. | The deadline is 14 May.
Die API läuft auf Port 9000, nicht auf 8000. | Die API läuft auf Port 8000.
No, the maximum upload size is 25 MB. | The maximum upload size is 10 MB.
Actually, the API listens on port 8080. | The API listens on port 8000.
Nein, die API läuft auf Port 9000. | Die API läuft auf Port 8000.
"""
BESIDE_IT = """
The docs are in English, not German. | The blog is in German.
The retro is on Friday, not Thursday. | The planning is on Thursday.
We page with PagerDuty, not Opsgenie. | The data team pages with Opsgenie.
Use tabs, not spaces, in Makefiles. | Use spaces in Python.
No, the worker listens on 8081. | The API listens on 8080.
The worker listens on 8081, not 8080. | The API listens on 8080.
We use pnpm, not npm. | We use pnpm.
In tests use fakes, not mocks. | In demos use mocks, not fakes.
Ana drinks tea, not coffee. | Bo drinks coffee, not tea.
The door of the barn is green, not red. | The door of the shed is red, not green.
"""
CALLED = """
parser_a is slow. | parser_b is slow.
db1 has 64 GB. | db2 has 64 GB.
web-1 runs Debian. | web-2 runs Debian.
src/auth/login.py is covered by tests. | src/auth/logout.py is covered by tests.
The error comes from load_config(). | The error comes from save_config().
"""


@pytest.mark.parametrize(("one", "other"), pairs(ANOTHER_AGAIN))
def test_what_is_said_to_be_one_and_not_another_contradicts_a_third_and_the_other(one: str, other: str) -> None:
    for new, old in ((one, other), (other, one)):
        assert action(compare(Statement(text=new), Statement(text=old), 0.8)) in {"contradict", "supersede"}


@pytest.mark.parametrize(("one", "other"), [*pairs(BESIDE_IT), *pairs(CALLED)])
def test_what_is_said_of_another_thing_contradicts_nothing(one: str, other: str) -> None:
    for new, old in ((one, other), (other, one)):
        assert action(compare(Statement(text=new), Statement(text=old), 0.8)) in {"queue", "keep"}


@pytest.mark.parametrize(("old", "new"), pairs(DENIED))
def test_a_correction_that_denies_what_was_said_takes_its_place(old: str, new: str) -> None:
    assert action(compare(Statement(text=new, category="correction"), Statement(text=old), 0.8)) == "supersede"


@pytest.mark.parametrize(("old", "new"), pairs(DENIED_OF_ANOTHER))
def test_what_is_denied_of_something_else_or_in_part_stays(old: str, new: str) -> None:
    assert action(compare(Statement(text=new, category="correction"), Statement(text=old), 0.8)) != "supersede"
