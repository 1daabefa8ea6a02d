"""Ways of doing things, told once, become procedures with steps and a trigger; a task brings them up."""

import msgspec
import pytest

from memoryd_actors.capture import procedure
from memoryd_actors.keeping.orders import SetState, Store
from memoryd_actors.texts.procedures import asks_for
from memoryd_client import Memory, NewMemory, Scope, Source, State
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import new_memory_id
from recall_system import Place, System, running

CALLER = Caller(agent="cli", session="s1")


@pytest.mark.parametrize(
    ("said", "trigger", "content"),
    [
        (
            "How we release: first run make check, then bump the version, and finally push the tag.",
            "release",
            "Release:\n1. Run make check\n2. Bump the version\n3. Push the tag",
        ),
        (
            "This is how we deploy to staging:\n1. merge into the branch\n2. run just deploy",
            "deploy to staging",
            "Deploy to staging:\n1. Merge into the branch\n2. Run just deploy",
        ),
        ("Our release process: 1. run the tests 2. tag", "release", "Release:\n1. Run the tests\n2. Tag"),
        ("Our release process: 1. run the tests, and 2. tag", "release", "Release:\n1. Run the tests\n2. Tag"),
        (
            "When we restore a backup, we first stop the workers, then run pg_restore.",
            "restore a backup",
            "Restore a backup:\n1. Stop the workers\n2. Run pg_restore",
        ),
        ("Remember how we release: 1. check 2. push", "release", "Release:\n1. Check\n2. Push"),
        (
            "how do we cut a hotfix? remember: first branch off the tag, then push it",
            "cut a hotfix",
            "Cut a hotfix:\n1. Branch off the tag\n2. Push it",
        ),
        (
            "Whenever a customer asks for a refund, check the invoice, issue a credit note, and mail them the PDF.",
            "customer asks for a refund",
            "Customer asks for a refund:\n1. Check the invoice\n2. Issue a credit note\n3. Mail them the PDF",
        ),
        (
            "Every time we cut a release, bump the version, tag the commit and push the tag.",
            "cut a release",
            "Cut a release:\n1. Bump the version\n2. Tag the commit\n3. Push the tag",
        ),
        (
            "Refunds work like this: check the invoice, issue a credit note, mail the PDF.",
            "refunds",
            "Refunds:\n1. Check the invoice\n2. Issue a credit note\n3. Mail the PDF",
        ),
        (
            "For a new service: copy the template, register it in Consul, add a dashboard.",
            "new service",
            "New service:\n1. Copy the template\n2. Register it in Consul\n3. Add a dashboard",
        ),
        (
            "When you deploy always do this: - run the tests - merge - watch the logs",
            "deploy",
            "Deploy:\n1. Run the tests\n2. Merge\n3. Watch the logs",
        ),
        (
            "This is how I onboard a new colleague:\n1. create the accounts\n2. pair on a ticket\n\nThanks!",
            "onboard a new colleague",
            "Onboard a new colleague:\n1. Create the accounts\n2. Pair on a ticket",
        ),
        (
            "Our backup procedure: first we stop the app, then we dump the database, finally we upload the dump.",
            "backup",
            "Backup:\n1. Stop the app\n2. Dump the database\n3. Upload the dump",
        ),
        (
            "Note: the runbook for a full disk is as follows. First stop the workers, and then clean up.",
            "full disk",
            "Full disk:\n1. Stop the workers\n2. Clean up",
        ),
        (
            "Always follow these steps when you add a dependency: check the licence -> pin it -> say so",
            "add a dependency",
            "Add a dependency:\n1. Check the licence\n2. Pin it\n3. Say so",
        ),
        (
            "We do it one way. What to do when the disk is full:\n* stop the workers\n* clean up",
            "disk is full",
            "Disk is full:\n1. Stop the workers\n2. Clean up",
        ),
        (
            "Wenn du deployst, mach immer Folgendes:\n- Tests laufen lassen\n- Tag setzen",
            "deployst",
            "Deployst:\n1. Tests laufen lassen\n2. Tag setzen",
        ),
        ("Unser Backup-Prozess: 1. stoppen 2. sichern", "backup", "Backup:\n1. Stoppen\n2. Sichern"),
        (
            "I release like this: run the tests, bump the version, and push the tag",
            "release",
            "Release:\n1. Run the tests\n2. Bump the version\n3. Push the tag",
        ),
        ("I ship like this: lint, test, push", "ship", "Ship:\n1. Lint\n2. Test\n3. Push"),
        (
            "We always onboard customers this way: 1. send the contract 2. book a call",
            "onboard customers",
            "Onboard customers:\n1. Send the contract\n2. Book a call",
        ),
        (
            "Publishing the docs works like this: build them, check the links, push to the branch.",
            "publishing the docs",
            "Publishing the docs:\n1. Build them\n2. Check the links\n3. Push to the branch",
        ),
        (
            "Our release checklist: bump the version, update the changelog, tag",
            "release",
            "Release:\n1. Bump the version\n2. Update the changelog\n3. Tag",
        ),
        (
            "Das Release läuft bei uns so: Version erhöhen, Tests laufen lassen, Tag pushen",
            "release",
            "Release:\n1. Version erhöhen\n2. Tests laufen lassen\n3. Tag pushen",
        ),
        (
            "Hiring works like this: we post the job, we screen the applications, and we invite three people.",
            "hiring",
            "Hiring:\n1. Post the job\n2. Screen the applications\n3. Invite three people",
        ),
        (
            "Here is how we do code reviews. First run the linter, then ask two people, finally merge.",
            "code reviews",
            "Code reviews:\n1. Run the linter\n2. Ask two people\n3. Merge",
        ),
        ("So releasen wir: zuerst Tests, dann Tag.", "releasen", "Releasen:\n1. Tests\n2. Tag"),
        ("Wir releasen so: Changelog, Tag, Upload.", "releasen", "Releasen:\n1. Changelog\n2. Tag\n3. Upload"),
        (
            "Beim Release gehen wir so vor: Tests laufen lassen, taggen, pushen.",
            "release",
            "Release:\n1. Tests laufen lassen\n2. Taggen\n3. Pushen",
        ),
        (
            "Releasing works like this: run make check, tag the commit, push the tag",
            "releasing",
            "Releasing:\n1. Run make check\n2. Tag the commit\n3. Push the tag",
        ),
        (
            "a release goes like this: first run make check, then tag, finally push",
            "release",
            "Release:\n1. Run make check\n2. Tag\n3. Push",
        ),
        (
            "How we release: bump the version, tag it, push the tag, then watch the pipeline",
            "release",
            "Release:\n1. Bump the version\n2. Tag it\n3. Push the tag\n4. Watch the pipeline",
        ),
        (
            "Our release process: first run the linter, the tests, and the docs, then push",
            "release",
            "Release:\n1. Run the linter, the tests, and the docs\n2. Push",
        ),
    ],
)
def test_what_is_told_step_by_step_is_a_procedure(said: str, trigger: str, content: str) -> None:
    captured = procedure(said)
    assert captured is not None
    assert (captured.title, captured.content, captured.category) == (trigger, content, "procedural")


@pytest.mark.parametrize(
    ("said", "trigger"),
    [
        ("How we release now: 1. freeze 2. tag", "release"),
        ("Our release process has changed: 1. freeze 2. tag", "release"),
        ("Our release process is now: 1. freeze 2. tag", "release"),
        ("Our new release process: 1. freeze 2. tag", "release"),
        ("Our new customer process: 1. call 2. write", "new customer"),
        ("The new way we release: 1. freeze 2. tag", "release"),
        ("From now on we release like this: 1. freeze 2. tag 3. push", "release"),
        ("We now release like this: freeze, tag, push", "release"),
        ("So releasen wir jetzt: zuerst Tests, dann Tag.", "releasen"),
        ("Unser neuer Release-Prozess: 1. Tests 2. Tag", "release"),
        ("Unser Release-Prozess hat sich ge\u00e4ndert: 1. Tests 2. Tag", "release"),
        ("So gehen wir beim Onboarding vor: 1. Konten anlegen 2. Rechner bestellen", "onboarding"),
    ],
)
def test_one_that_is_told_anew_has_the_title_of_the_former_one(said: str, trigger: str) -> None:
    captured = procedure(said)
    assert captured is not None
    assert captured.title == trigger


@pytest.mark.parametrize(
    "said",
    [
        "Caching works like this: reads the header, stores the page, returns it",
        "Our story goes like this: first we met, then we moved to Bonn",
        "How do we release?",
        "First fix the test, then push.",
        "To fix this, first run the tests.",
        "How we work: quickly.",
        "Our release process is slow.",
        "When we release, the server restarts.",
        "Steps to reproduce the crash",
        "Steps to reproduce: 1. open 2. click",
        "When you're done, do this: 1. commit 2. push",
        "If the tests pass, do the following: 1. commit 2. push",
        "Please do the following: 1. rename the class 2. update the imports",
        "Now run the release process: 1. tests 2. tag",
        "To make this work:\n1. change the port\n2. restart",
        "To do: - milk - bread",
        "Here's how I fixed the bug: 1. cleared the cache 2. restarted",
        "When we deploy the app first crashes, then it recovers.",
        "When I came home, first the dog barked, then the phone rang.",
        "We name branches like this: feature/x, fix/x, chore/x",
        "I like it like this: small commits, clear names, fast tests",
        "We write subjects like this: fix the bug, add the feature, drop the file",
        "The parser works like this: it reads the header, skips the comments, returns the rows.",
        "Caching works like this: the server stores the page, it sets a header, it answers.",
        "Everything works like this: we push a button, we wait a minute, we see the error.",
        "Hiring works like this: we tried two agencies, we got no answer, we gave up.",
        "Here is how we do it. First the plan, then the money.",
        "We split the work like this: Ana does the pages, Ben the tests, Cem the docs",
        "Our release process: slow, manual, fragile",
        "Wir wohnen so: oben die Eltern, unten wir, hinten der Hund",
        "Our stack:\n- Django\n- Postgres",
        "I don't know how to fix this: 1. error one 2. error two",
        "Write a checklist for:\n- backups\n- restores",
        "How do we proceed? first fix the tests, then update the docs, then push it",
        "how do we fix this? first I thought it is the cache, then the DNS",
        "How to deploy? I need the steps first, then the commands.",
        "how do we test the parser? first write a mock, then inject it?",
        "for a new laptop: 16 GB, an SSD, a good keyboard",
    ],
)
def test_what_is_a_question_a_task_or_a_remark_is_none(said: str) -> None:
    assert procedure(said) is None


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("publish the package", True),
        ("Please upload the package again.", False),  # nothing of what it is for
        ("publish the newsletter", False),
        ("publish it", False),
    ],
)
def test_a_task_in_words_of_the_steps_names_what_it_is_for_too(message: str, asked: bool) -> None:
    steps = "Publishing to PyPI:\n1. Build the package\n2. Upload it"
    assert asks_for(message, "publishing to pypi", steps) is asked


@pytest.mark.parametrize(
    ("message", "trigger", "asked"),
    [
        ("Can you release 2.4 today?", "release", True),
        ("How do we release?", "release", True),
        ("Thanks. Now deploy this branch to staging.", "deploy to staging", True),
        ("The release went fine.", "release", False),
        ("What changed in the release?", "release", False),
        ("Deploy it.", "deploy to staging", False),
        ("I released 2.3 on Monday", "release", False),
        ("has it been deployed already?", "deploy", False),
        ("is there a backup?", "backup", False),
        ("the release notes have a typo", "release", False),
        ("thanks, the deploy works now", "deploy", False),
        ("fix the bug in deploy.py", "deploy", False),
        ("What's the procedure for a release?", "release", True),
        ("the certificate must be renewed today", "renew the certificate", True),
        ("get it deployed before noon", "deploy", True),
        ("embed the new chunks", "embed the chunks", True),
        ("start the deployment", "deploy", True),
        ("certificate renewal is due", "renew the certificate", True),
        ("back up the database", "backup", True),
        ("do a rollback", "roll back", True),
        ("Deploy das bitte", "deployen", True),
        ("Release bitte die neue Version", "releasen", True),
        ("Kannst du das deployen?", "deploy", True),
        ("Open the list", "listen to the logs", False),
        ("anything", "", False),
    ],
)
def test_a_task_names_what_a_procedure_is_for(message: str, trigger: str, asked: bool) -> None:
    assert asks_for(message, trigger) is asked


async def store(system: System, content: str, title: str = "", category: str = "procedural") -> Memory:
    new = NewMemory(content=content, category=category, title=title, scope=Scope.GLOBAL)
    return (await system.keeper.ask(Store((new,), CALLER), deadline_s=20))[0]


async def test_a_procedure_told_anew_is_its_next_version_and_the_former_one_stays_restorable(
    place: Place,
) -> None:
    async with running(place) as system:
        first = await store(system, "To release:\n1. Run the tests.\n2. Push the tag.")
        assert first.title == "release"  # by its heading
        second = await store(system, "Release:\n1. Run make check.\n2. Push the tag.\n3. Write the notes.", "Release")
        third = await store(system, "Release:\n1. Run make check.\n2. Say so in the chat.", "release")
        assert [one.metadata.get("version") for one in (first, second, third)] == ["1", "2", "3"]
        known = await system.ledger.memories.get("local", [first.id, second.id])
        assert [known[one.id].superseded_by for one in (first, second)] == [second.id, third.id]
        assert {one.state for one in known.values()} == {State.SUPERSEDED}
        other = await store(system, "To deploy:\n1. Merge.\n2. Wait.")
        assert (other.title, other.metadata.get("version")) == ("deploy", "1")


@pytest.mark.parametrize("title", ["release", "publish a version"])
async def test_of_two_procedures_with_the_same_steps_the_users_stays_in_force(place: Place, title: str) -> None:
    async with running(place) as system:
        told = NewMemory(
            content="Release:\n1. Run make check\n2. Push the tag",
            category="procedural",
            title="release",
            scope=Scope.GLOBAL,
            source=Source.USER,
        )
        users = (await system.keeper.ask(Store((told,), CALLER), deadline_s=20))[0]
        written = NewMemory(
            content="How we release:\n- run `make check`,\n- then push the tag.",
            category="procedural",
            title=title,
            scope=Scope.GLOBAL,
        )
        agent = Caller(agent="coder", session="s2")
        (kept,) = await system.keeper.ask(Store((written,), agent), deadline_s=20)
        assert (kept.id, kept.content, kept.metadata["version"]) == (users.id, users.content, "1")
        assert (kept.trust, kept.strength, kept.sources) == (users.trust, 2, ("s2",))
        known = await system.ledger.memories.get("local", [written.id])
        assert (known[written.id].state, known[written.id].superseded_by) == (State.SUPERSEDED, users.id)
        # Other steps, or another order of them, are another procedure.
        other = msgspec.structs.replace(
            told, id=new_memory_id(), content="Release:\n1. Push the tag\n2. Run make check"
        )
        (turned,) = await system.keeper.ask(Store((other,), CALLER), deadline_s=20)
        assert (turned.id, turned.metadata["version"]) == (other.id, "2")


async def test_the_users_word_takes_the_place_of_an_agents_procedure_with_the_same_steps(place: Place) -> None:
    async with running(place) as system:
        agents = await store(system, "Publish a version:\n1. Run make check.\n2. Push the tag.", "publish a version")
        told = NewMemory(
            content="Release:\n1. Run make check\n2. Push the tag",
            category="procedural",
            title="release",
            scope=Scope.GLOBAL,
            source=Source.USER,
        )
        (kept,) = await system.keeper.ask(Store((told,), CALLER), deadline_s=20)
        assert (kept.id, kept.content, kept.strength) == (told.id, told.content, 2)
        known = await system.ledger.memories.get("local", [agents.id])
        assert (known[agents.id].state, known[agents.id].superseded_by) == (State.SUPERSEDED, kept.id)


async def test_no_two_versions_of_a_procedure_have_one_number_whatever_became_of_them(place: Place) -> None:
    def told(steps: str, source: Source = Source.USER, **metadata: str) -> NewMemory:
        return NewMemory(
            content=f"Release:\n{steps}",
            category="procedural",
            title="release",
            scope=Scope.GLOBAL,
            source=source,
            metadata=metadata,
        )

    async def kept(*new: NewMemory, caller: Caller = CALLER) -> list[Memory]:
        stored = await system.keeper.ask(Store(new, caller), deadline_s=20)
        known = await system.ledger.memories.get("local", [one.id for one in new])
        assert stored
        return [known[one.id] for one in new]

    async with running(place) as system:
        agent = Caller(agent="coder", session="s2")
        found = await kept(told("1. Run make check\n2. Push the tag"))
        found += await kept(told("1. Push\n2. Wait", Source.AGENT), caller=agent)  # gives way to the user's
        found += await kept(told("1. Tag\n2. Push"))
        found += await kept(told("1. Ask Ann\n2. Push", version="1"))
        found += await kept(told("1. Ask Bob\n2. Push"), told("1. Ask Eve\n2. Push"))
        assert [one.metadata["version"] for one in found] == ["1", "2", "3", "4", "5", "6"]
        await system.keeper.ask(SetState(found[-1].id, State.FORGOTTEN, CALLER), deadline_s=20)
        (last,) = await kept(told("1. Ask Max\n2. Push"))
        assert last.metadata["version"] == "7"


async def test_a_version_of_its_own_counting_is_no_number(place: Place) -> None:
    async with running(place) as system:
        new = NewMemory(
            content="To release:\n1. Run the tests.\n2. Push the tag.",
            category="procedural",
            scope=Scope.GLOBAL,
            metadata={"version": "2.0-rc1"},
        )
        await system.keeper.ask(Store((new,), CALLER), deadline_s=20)
        second = await store(system, "To release:\n1. Run make check.\n2. Say so in the chat.")
        assert second.metadata["version"] == "2"


async def test_a_task_brings_its_procedure_up_without_a_model(place: Place) -> None:
    async with running(place) as system:
        wanted = await store(system, "To add a migration:\n1. Write it with alembic.\n2. Make it nullable first.")
        await store(system, "To release:\n1. Run make check.\n2. Push the tag.")
        for n in range(30):
            await system.remember(f"The phone of room {n} is column {n} of the list.")
        assert await system.indexer.wait_for(system.indexer.target, deadline_s=30)
        said = "add a migration for the new phone column"
        assert system.push("s", said)
        trace = await system.decided("s", said)
        assert wanted.id in {one.id for one in trace.candidates if one.kept}
