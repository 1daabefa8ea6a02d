"""What is said to have moved from one place to another, what can be so beside it, and what only one can be."""

from itertools import permutations

import pytest

from memoryd_actors.comparison import Statement, action, compare
from memoryd_actors.comparison.compare import CERTAIN

LEFT = [
    ("I moved from Ghent to Bruges in May.", "The user lives in Ghent."),
    ("The wiki was migrated from Hetzner to Linode.", "The wiki runs on Hetzner."),
    ("Ich bin von Kiel nach Husum gezogen.", "Ich wohne in Kiel."),
    ("We switched from npm to pnpm.", "We use npm."),
    ("Last week we switched from npm to pnpm.", "We use npm for packages."),
    ("Last week we switched from npm to pnpm", "The project uses npm."),
    ("Yesterday the team switched from Slack to Teams.", "The team uses Slack."),
    ("In April we switched from Poetry to uv.", "We build with Poetry."),
    ("The orchard isn't in Kent, it's in Sussex.", "The orchard is in Kent."),
    ("Our router is not a Fritzbox, it is a MikroTik.", "The router is a Fritzbox."),
    ("We switched from MySQL to Postgres last year.", "Our project uses MySQL as a database."),
    ("Wir sind letzte Woche von npm zu pnpm gewechselt.", "Das Projekt nutzt npm."),
    ("We pushed the standup to 9:45 so that everybody makes it.", "Standup is at 9:15."),
    ("Upgraded the shop to Next.js 15 last night, all green.", "The shop runs on Next.js 14."),
    ("We have migrated the wiki into Linode.", "The wiki is kept in Hetzner."),
    ("The archive moved from host orca to host beluga.", "The archive lives on host orca."),
    ("Wir haben das Training auf 19 Uhr verschoben.", "Das Training ist um 18 Uhr."),
]
STAYED = [
    ("I moved from Ghent to Bruges in May.", "The user lives in Bruges."),
    ("I moved from Ghent to Bruges in May.", "My sister lives in Ghent."),
    ("I moved from Ghent to Bruges in May.", "The user likes Ghent."),
    ("I moved from Ghent to Bruges in May.", "The user lived in Ghent."),
    ("I moved from Ghent to Bruges in May.", "The user does not live in Ghent."),
    ("The wiki was migrated from Hetzner to Linode.", "The mail server runs on Hetzner."),
    ("We pushed the standup to 9:45.", "The retro is at 9:15."),
    ("We pushed the standup to 9:45.", "The standup of the design team is at 9:15."),
    ("We upgraded the shop to Next.js 15.", "The blog runs on Next.js 14."),
    ("We upgraded the shop to Next.js 15.", "The shop runs on Node 20."),
    ("The frontend isn't written in Vue, it's Svelte.", "The backend is written in Vue."),
    ("The frontend isn't written in Vue, it's Svelte.", "The frontend of the shop is written in Vue."),
    ("The orchard isn't in Kent, it's in Sussex.", "The orchard in Kent has 30 trees."),
    ("Last week we switched from npm to pnpm.", "The fork uses npm."),
    ("Last week we switched from npm to pnpm.", "We use npm for the docs."),
    ("Last week we switched from npm to pnpm.", "We use npm for Storybook."),
    ("Last week we switched from npm to pnpm.", "The design team uses npm."),
    ("Last week we switched from npm to pnpm.", "We use npm scripts."),
    ("Last week we switched from npm to pnpm.", "We publish the SDK on npm."),
    ("We switched from npm to pnpm.", "We use npm and pnpm."),
    ("The archive moved from host orca to host beluga.", "The archive lives on host beluga."),
    ("The archive moved from host orca to host beluga.", "The wiki lives on host orca."),
    ("We haven't switched from npm to pnpm yet.", "We use npm."),
    ("We never switched from npm to pnpm.", "We use npm."),
    ("Last week we switched from npm to pnpm for the frontend.", "We use npm."),
]
BOTH_CAN_BE = [
    ("Marta likes Ghent.", "Marta likes Bruges."),
    ("Marta has a hedgehog.", "Marta has a badger."),
    ("Marta lives in Ghent.", "Pieter lives in Bruges."),
    ("One of my cats is called Momo.", "One of my cats is called Pixel."),
    ("Kim is my cousin.", "Lou is my cousin."),
    ("The user is a father.", "The user is a pilot."),
    ("Ole mag Kiel.", "Ole mag Husum."),
    ("Ole ist gegen Nüsse allergisch.", "Ole ist gegen Katzen allergisch."),
    ("We support Python 3.11.", "We support Python 3.12."),
    ("The first shift starts at six and is short.", "The second shift starts at two and is long."),
    ("Ward 3 has 12 beds.", "Ward 4 has 15 beds."),
    ("In 2019 the budget was 5 million.", "In 2020 the budget was 7 million."),
    ("Am Montag hat der Laden bis acht offen.", "Am Samstag hat der Laden bis zwei offen."),
]
ONE_OF_TWO = [
    ("The ward has 12 beds.", "The ward has 15 beds."),
    ("The reporting database listens on port 5440.", "The reporting database listens on port 5442."),
    ("The half-marathon is on 12 April.", "The half-marathon: 19 April."),
    ("The user eats meat.", "The user does not eat meat."),
    ("Der Server läuft auf Port 80.", "Der Server läuft auf Port 8080."),
]


@pytest.mark.parametrize(("new", "old"), LEFT)
def test_what_is_said_to_have_moved_is_no_longer_where_it_was(new: str, old: str) -> None:
    found = compare(Statement(new), Statement(old), 0.7)
    assert action(found) == "supersede", found


@pytest.mark.parametrize(("one", "other"), [*STAYED, *BOTH_CAN_BE])
@pytest.mark.parametrize("cosine", [0.55, 0.95])
def test_what_can_be_so_beside_the_other_leaves_both(one: str, other: str, cosine: float) -> None:
    for new, old in permutations((one, other)):
        assert action(compare(Statement(new), Statement(old), cosine)) in {"keep", "queue"}


@pytest.mark.parametrize(("one", "other"), ONE_OF_TWO)
def test_two_statements_alike_but_for_one_value_or_a_denial_contradict_each_other(one: str, other: str) -> None:
    for new, old in permutations((one, other)):
        found = compare(Statement(new), Statement(old), 0.8)
        assert action(found) == "contradict", found
        assert found.guarded


@pytest.mark.parametrize(
    ("one", "other", "certain"),
    [
        ("The reporting database listens on port 5440.", "The reporting database listens on port 5442.", False),
        ("The user eats meat.", "The user does not eat meat.", True),
        ("Der Server läuft auf Port 80.", "Der Server läuft auf Port 8080.", False),
        ("The standup is at 9:15.", "The standup is at 9:45.", False),
        ("The timeout is 30 seconds.", "The timeout is two minutes.", True),
        ("The dog's name is Rufus.", "The dog's name is Bruno.", True),
        ("The ward has 12 beds.", "The ward has 15 beds.", False),
        ("Ward 3 is full.", "Ward 4 is full.", False),
        ("We support Python 3.11.", "We support Python 3.12.", False),
    ],
)
def test_two_of_which_only_one_can_be_so_are_known_for_certain(one: str, other: str, *, certain: bool) -> None:
    for new, old in permutations((one, other)):
        assert (compare(Statement(new), Statement(old), 0.8).confidence >= CERTAIN) is certain
