"""What a model reads about a person is theirs to allow, whatever it is filed under."""

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from memoryd_actors.core.errors import Unavailable
from memoryd_actors.keeping.authorship import Authorship
from memoryd_actors.memory.consent import ConsentSettings, decide
from memoryd_actors.memory.personal_matters import matter_of, telling, told_by, told_of
from memoryd_client import Memory
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import Source


@pytest.mark.parametrize(
    ("text", "matter"),
    [
        ("The user's full name is Ana Lopez.", "name"),
        ("The user's wife is called Ida.", "name"),
        ("The user lives in a flat near the park.", "home"),
        ("Ana moved away; she moved to Berlin in 2025.", "home"),
        ("Tom is allergic to nuts.", "health"),
        ("The user was diagnosed with asthma.", "health"),
        ("Der Nutzer wohnt in Graz.", "home"),
        ("Sie leidet an Migräne.", "health"),
        ("The user's pronouns are they/them.", "name"),
        ("The user has lived in the old town since 2019.", "home"),
        ("The user is HIV-positive.", "health"),
        ("Ben takes 20 mg of something each evening.", "health"),
        ("The user is recovering from a stroke.", "health"),
        ("His mother uses a wheelchair.", "health"),
        ("The user has panic attacks on planes.", "health"),
        ("The user's boss is Petra Klein.", "name"),
        ("The user's wife Ulrike is expecting twins.", "name"),
        ("The user wants to be addressed as Kim.", "name"),
        ("The user stays at Hotel Sacher in Vienna.", "home"),
        ("The user shares a flat with two friends.", "home"),
        ("The user cannot eat gluten.", "health"),
        ("The user quit drinking in January.", "health"),
        ("The user's blood type is A negative.", "health"),
        ("Der Nutzer zieht im Mai nach Bonn.", "home"),
        ("Die Nutzerin ist im sechsten Monat schwanger.", "health"),
        ("L'utilisateur habite à Lyon.", "home"),
        ("Sa femme est Claire.", "name"),
        ("El usuario padece de insomnio.", "health"),
        ("La usuaria vive con su madre en Bilbao.", "home"),
        ("L'utente abita a Bergamo.", "home"),
        ("L'utente soffre di emicrania.", "health"),
        ("De gebruiker heet Bram.", "name"),
        ("A usuária está grávida.", "health"),
        ("They moved from Jenkins to GitHub Actions.", ""),
        ("The cluster is deaf to SIGTERM.", ""),
        ("The parser suffers from long lines.", ""),
        ("The API cannot digest dates without a zone.", ""),
        ("The user's name column is nullable.", ""),
        ("The user is building a diabetes tracker.", ""),
        ("Le module s'appelle core.", ""),
        ("El servidor vive en la red interna.", ""),
        ("Ihre Adresse ist 10.0.0.4.", ""),
        ("The job takes 20 minutes.", ""),
        ("The function is called Parser.", ""),
        ("The test suite is recovering nothing.", ""),
        ("The parser lived in utils.py before.", ""),
        ("The service has chronic timeouts, and takes 3 units of work.", ""),
        ("The health check is treated as an alarm.", ""),
        ("The deploy job moved to Frankfurt.", ""),
        ("They moved logging to Loki, and she moved it from Jenkins.", ""),
        ("He is originally from Ghent.", "home"),
        ("The server lives in Frankfurt, and the config in /etc.", ""),
        ("The table has three columns.", ""),
        ("Ana, the user, lives in Porto.", "home"),
        ("Lives in Porto.", "home"),
        ("The user lives with his wife.", "home"),
        ("The user is a resident of Austin.", "home"),
        ("Home city of the user: Porto.", "home"),
        ("The user's name: Ana.", "name"),
        ("Everyone calls the user Bibi.", "name"),
        ("The user introduced herself as Joanna Whitfield.", "name"),
        ("The user's stepdaughter is named Yara.", "name"),
        ("The user had a heart attack in 2021.", "health"),
        ("The user sees a cardiologist twice a year.", "health"),
        ("Nadia is on leave and six months pregnant.", "health"),
        ("Der Name des Nutzers ist Ana.", "name"),
        ("Sam from Accounting lives in Leeds.", "home"),
        ("The user takes sertraline.", "health"),
        ("Ines injects insulin.", "health"),
        ("The user is colour-blind to red and prefers blue charts.", "health"),
        ("Because the user is dyslexic, docs should use a sans-serif font.", "health"),
        ("The user prefers large fonts due to poor eyesight.", "health"),
        ("The user is vegan because of a kidney problem.", "health"),
        ("Ravi has been off work with burnout since May.", "health"),
        ("The user can't hear well on the left ear.", "health"),
        ("The user types slowly after breaking a wrist.", "health"),
        ("The user has two kids and lives near Bern.", "home"),
        ("The user's new flat is at Rue Mercière 12.", "home"),
        ("The user works from home in Porto on Fridays.", "home"),
        ("The user drinks no wine because of his liver.", "health"),
        ("Der Nutzer ist Diabetiker.", "health"),
        ("User: based in Ghent, allergic to nuts.", "home"),
        ("User: left-handed, allergic to nuts.", "health"),
        ("Home city: Ghent (user).", "home"),
        ("Name of the user: Teo.", "name"),
        ("Customers live in the customers table.", ""),
        ("Home: the landing page.", ""),
        ("The job takes a baseline in April.", ""),
        ("The container injects secrets.", ""),
        ("Redis lives in Docker.", ""),
        ("Billing lives in the payments repository.", ""),
        ("Terraform lives in infra/.", ""),
        ("Documentation lives at docs.example.com.", ""),
        ("The user moved from Jenkins to GitHub Actions.", ""),
        ("The user comes from Java.", ""),
        ("She is in Accounting.", ""),
        ("The user is blind to the staging logs.", ""),
        ("Tests in the CI have chronic pain points.", ""),
        ("The service takes 3 ml models.", ""),
        ("The user has a cancer dataset in S3.", ""),
        ("He is called before every request by the middleware.", ""),
        ("Who is called first on an incident stands in the runbook.", ""),
        ("User based in Ghent", "home"),
        ("User (based in Berlin) prefers short answers.", "home"),
        ("User location: Ghent, Belgium", "home"),
        ("Ada's address is Kerkstraat 12.", "home"),
        ("Lives near Antwerp.", "home"),
        ("My best friend Luca moved to Milan in 2023.", "home"),
        ("Prefers to be called Ada.", "name"),
        ("User asked to be called Sam.", "name"),
        ("Goes by Ada.", "name"),
        ("Has asthma.", "health"),
        ("Wohnt in Graz.", "home"),
        ("Vive en Vigo.", "home"),
        ("Service based in Frankfurt", ""),
        ("Server location: Frankfurt", ""),
        ("Prefers to be asked before a push.", ""),
        ("The API's address is 10.0.0.4.", ""),
        ("The build goes by the tag.", ""),
        ("Lives near the top of the file.", ""),
        ("Has three columns.", ""),
        ("The importer is slow because of the old index.", ""),
        ("The service crashed due to a heart beat timeout.", ""),
        ("The user's new address is 10.0.0.4.", ""),
        ("The user uses voice input and lives in the terminal.", ""),
        ("The user works from home on Fridays.", ""),
        ("Breaking a leg of the pipeline fails the build.", ""),
    ],
)
def test_a_sentence_tells_of_a_person_or_does_not(text: str, matter: str) -> None:
    assert told_of(text) == matter


def extracted(content: str, category: str = "fact", **metadata: str) -> Memory:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    return Memory(
        id="m",
        owner="local",
        content=content,
        category=category,
        source=Source.EXTRACTED,
        metadata=metadata,
        created_at=at,
        updated_at=at,
    )


def test_what_a_model_read_about_a_person_is_proposed_under_any_category() -> None:
    settings = ConsentSettings()
    for category in ("fact", "preference", "lesson"):
        assert decide(extracted("Tom is allergic to nuts.", category, extracted="model"), settings) == "propose"
    flagged = extracted("Their doctor said no coffee.", extracted="model", personal="health")
    assert decide(flagged, settings) == "propose"
    assert decide(extracted("The deploy job moved to Frankfurt.", extracted="model"), settings) is None


def test_what_a_rule_took_is_the_users_to_say_of_themselves_and_proposed_of_others() -> None:
    settings = ConsentSettings()
    for said in ("My mother lives in Ghent and has dementia.", "My colleague Jan is being treated for depression."):
        content = f'The user said: "{said}"'
        assert decide(extracted(content, extracted="rule"), settings) == "propose"
        assert decide(replace(extracted(content), source=Source.USER), settings) is None
    for said in ("I have asthma.", "I live in Ghent.", "My brother works on the same repository."):
        assert decide(extracted(f'The user said: "{said}"', extracted="rule"), settings) is None


@pytest.mark.parametrize(
    "said",
    [
        "I live in Ghent.",
        "I'm based in Lyon.",
        "My name is Ada.",
        "I've got a cat, and I have asthma.",
        "Ich wohne in Graz.",
        "J\u2019habite à Lyon.",
        "Vivo en Vigo.",
    ],
)
def test_what_a_model_read_in_the_first_person_is_the_users(said: str) -> None:
    assert decide(extracted(said, extracted="model"), ConsentSettings()) == "propose"
    # An agent's own notebook says it of the agent.
    assert telling(said) == []
    assert telling(said, first_person=True) == [said]


def test_what_the_user_said_of_themselves_may_be_written_as_they_said_it() -> None:
    for said in ("I live in Ghent.", "I'm based in Lyon.", "My name is Ada.", "Ich wohne in Graz."):
        assert told_by([said], said)
        assert not told_by([f"My sister: {said}", "My sister does."], said)


def test_what_merely_begins_with_i_is_no_matter_of_anybodys() -> None:
    for said in ("I have admin rights.", "I live in the terminal.", "My name for the branch is wip."):
        assert decide(extracted(said, extracted="model"), ConsentSettings()) is None


def test_the_sentences_of_a_long_text_are_looked_at_one_by_one() -> None:
    before = "# Deploys\n\nThe user lives in Porto. We deploy on Fridays."
    after = before.replace("Fridays", "Mondays") + "\nThe user has asthma, and likes tea."
    assert telling(before) == ["The user lives in Porto."]
    assert telling(after, before) == ["The user has asthma, and likes tea."]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I live in Bruges", "The user lives in Bruges."),
        ("By the way, I'm allergic to nuts. And I live in Porto.", "The user is allergic to nuts."),
        ("my name is Ana", "The user's name is Ana."),
        ("My name is Ana.", "The user is called Ana."),
        ("my wife's name is Ida", "The user's wife is called Ida."),
        ("my brother lives in Aalst and I live in Bruges", "The user lives in Bruges."),
        ("my brother lives in Aalst and I live in Bruges", "The user's brother lives in Aalst."),
        ("I live in Bruges with my wife since 2019.", "The user lives in Bruges."),
        ("Tom is allergic to nuts, so no cake.", "Tom is allergic to nuts."),
        ("Ich wohne in Graz und bin allergisch gegen Nüsse.", "Der Nutzer ist allergisch gegen Nüsse."),
        ("Ich wohne in Graz.", "The user lives in Graz."),
        ("Ich leide an Migräne", "Der Nutzer leidet an Migräne."),
        ("Please remember that I suffer from migraines", "The user suffers from migraines."),
        ("I'm called Mirre", "The user's name is Mirre."),
        ("J'habite à Lyon.", "L'utilisateur habite à Lyon."),
    ],
)
def test_what_the_user_told_of_themselves_is_told(said: str, text: str) -> None:
    assert told_by([said], text)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Bob lives in Ostend, he told me", "The user lives in Ostend."),
        ("our customer lives in Tongeren", "The user lives in Tongeren."),
        ("my brother lives in Aalst and I live in Bruges", "The user lives in Aalst."),
        ("I used to live in Genk until 2019", "The user lives in Genk."),
        ("I lived in Genk.", "The user lives in Genk."),
        ("I might live in Kortrijk next year", "The user lives in Kortrijk."),
        ("my wife has severe asthma", "The user has severe asthma."),
        ("my wife Ida has asthma", "The user, whose wife is Ida, has asthma."),
        ("my dog's name is Kvit", "The user's name is Kvit."),
        ('a customer wrote: "I live in Mons"', "The user lives in Mons."),
        ("a customer wrote:\n\nI live in Mons", "The user lives in Mons."),
        ("> I live in Mons", "The user lives in Mons."),
        ("the test fixture says: My name is John Doe", "The user's name is John Doe."),
        ("if I lived in Namur, I would bike", "The user lives in Namur."),
        ("I work with Bob, who lives in Ostend", "The user lives in Ostend."),
        ("I don't live in Mons", "The user lives in Mons."),
        ("Do I live in Lisbon?", "The user lives in Lisbon."),
        ("Meine Frau wohnt in Graz", "Der Nutzer wohnt in Graz."),
        ("My boss Kurt is diabetic", "The user is diabetic."),
        ("Pretend I am Alice and I live in Leeds", "The user lives in Leeds."),
        ("I know someone who has epilepsy", "The user has epilepsy."),
    ],
)
def test_what_the_user_told_of_others_or_supposed_is_not_told_of_them(said: str, text: str) -> None:
    assert not told_by([said], text)


def test_what_memory_keeps_of_the_user_may_be_written_again_of_the_user_only() -> None:
    known = ["The user lives in Porto.", "Bob lives in Ostend."]
    assert told_by(known, "The user lives in Porto.", recorded=True)
    assert not told_by(known, "The user lives in Ostend.", recorded=True)
    assert not told_by(known, "The user lives in Porto.")


async def test_where_memory_cannot_be_searched_what_the_user_told_counts_and_the_rest_is_asked_about() -> None:
    async def said(_caller: Caller) -> list[str]:
        return ["I live in Porto."]

    async def known(_caller: Caller, _text: str) -> list[str]:
        raise Unavailable("the index cannot be searched")

    told = await Authorship(said, known).told(
        Caller(agent="tui"), "The user has asthma.\nThe user lives in Porto.\nThe user lives in Lisbon."
    )
    assert told == {"The user lives in Porto."}


@pytest.mark.parametrize(
    "note",
    [
        "Name: Mimi, Porto, diabetic",
        "- has type 2 diabetes",
        "* lives in Ghent",
        "1. has ADHD",
        "Diagnosis: asthma",
        "- Based in Berlin",
        "user: Mira, celiac",
    ],
)
def test_a_note_in_a_word_tells_as_a_sentence_does(note: str) -> None:
    assert len(telling(note, first_person=True)) == 1


@pytest.mark.parametrize(
    "note",
    [
        "Name: memoryd",
        "- has type hints",
        "Host: porto-1",
        "Status: healthy",
        "- lives in services/api",
        "Location: /var/log",
        "Tags: cancer-free, beta",
        "Shapes: rect, stroke, fill",
        "Endpoint: /patients/diabetes",
        "- takes 200 ms",
        "Lives in the Postgres container.",
        "Lives in the Redis cache.",
    ],
)
def test_a_note_about_software_is_no_matter_of_a_person(note: str) -> None:
    assert telling(note, first_person=True) == []


@pytest.mark.parametrize("fields", [{"title": "has asthma"}, {"tags": ("diabetic",)}, {"metadata": {"home": "Porto"}}])
def test_what_an_agent_files_a_memory_under_tells_as_well(fields: dict[str, Any]) -> None:
    memory = replace(extracted("A note on how we work."), source=Source.AGENT, **fields)
    assert matter_of(memory, own_word=False)
    assert not matter_of(memory)
