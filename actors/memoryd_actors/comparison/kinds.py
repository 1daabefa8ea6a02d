"""Nouns, verbs and adverbs by what they are kinds of: who dices an onion chops a vegetable."""

from collections.abc import Mapping
from typing import Final

_NOUNS: Final = """
    person: man woman boy girl child kid lady guy gentleman teenager cyclist biker bicyclist skater player climber
      swimmer surfer skier dancer singer student musician baby toddler cowboy athlete schoolboy schoolgirl
    someone: person
    man: guy gentleman
    guy: man
    woman: lady
    lady: woman
    child: boy girl kid toddler schoolboy schoolgirl
    kid: boy girl child toddler schoolboy schoolgirl
    boy: schoolboy
    girl: schoolgirl
    people: humans persons men women boys girls children kids teenagers
    persons: people
    humans: people
    men: guys
    guys: men
    women: ladies
    ladies: women
    children: boys girls kids toddlers
    kids: boys girls children toddlers
    animal: dog cat horse cow pig sheep goat monkey rabbit lion tiger bear elephant panda bird puppy kitten lemur
    animals: dogs cats horses cows pigs goats monkeys rabbits lions tigers bears elephants pandas birds puppies kittens
    dog: puppy
    dogs: puppies
    cat: kitten
    cats: kittens
    bird: parrot eagle owl duck chicken
    vegetable: tomato potato onion carrot cucumber cabbage
    vegetables: tomatoes potatoes onions carrots cucumbers cabbages
    fruit: apple banana orange pear peach mango
    meat: steak beef pork
    vehicle: car truck van bus
    vehicles: cars trucks vans buses
    bike: bicycle
    bikes: bicycles
    bicycle: bike
    bicycles: bikes
    cyclist: bicyclist biker
    bicyclist: cyclist
    boat: canoe kayak rowboat sailboat
    gun: pistol rifle
    ball: volleyball football basketball
    toy: ball
    hat: cap
    instrument: guitar piano violin flute harp drum
    instruments: guitars pianos violins flutes harps drums
    drink: beer coffee tea juice
    drinks: beers coffees teas juices
    trick: stunt
    tricks: stunts
    stunt: trick
    stunts: tricks
    picture: photo photograph
    pictures: photos photographs
    path: track trail
    track: trail path
    trail: track path
    road: street
    street: road
    rock: stone
    stone: rock
    rocks: stones
    stones: rocks
    seashore: beach
    beach: seashore
    ocean: sea
    sea: ocean
    forest: woods
    woods: forest
    telephone: phone
    phone: telephone
    racket: racquet
    racquet: racket
    pool: swimming-pool
    trousers: pants
    pants: trousers
    spokesman: spokesperson
    spokesperson: spokesman
    """
_VERBS: Final = """
    chopping: dicing mincing up-chopping
    playing: strumming
    walking: strolling marching hiking
    running: sprinting jogging
    jumping: leaping hopping
    leaping: jumping
    fighting: battling
    battling: fighting
    putting: placing
    placing: putting
    performing: doing
    doing: performing
    mixing: stirring blending amalgamating
    stirring: mixing
    amalgamating: mixing
    cooking: frying boiling baking grilling roasting
    frying: deep-frying
    drawing: sketching
    cleaning: cleansing scrubbing washing
    cleansing: cleaning
    looking: staring gazing
    staring: gazing
    gazing: staring
    throwing: tossing hurling
    tossing: throwing
    eating: devouring munching
    drinking: sipping
    crying: sobbing weeping
    laughing: giggling
    yelling: shouting
    shouting: yelling
    repairing: mending
    mending: repairing
    holding: up-holding clutching
    resting: relaxing
    relaxing: resting
    sleeping: napping
    carrying: lugging
    grabbing: seizing
    seizing: grabbing
    washing: rinsing
    """


def _kinds(table: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    above = ""
    for word in table.split():
        if word.endswith(":"):
            above = word[:-1]
            found[above] = set()
        else:
            found[above].add(word)
    return {one: frozenset(kinds) for one, kinds in found.items()}


NOUNS: Final = _kinds(_NOUNS)
"""Of each word what is a kind of it, or another word for it."""
VERBS: Final = _kinds(_VERBS)
"""The same for what is being done."""
COUNTED: Final = frozenset(
    "man woman boy girl child kid dog dogs cat cats puppy kitten bird birds boys girls children kids".split()
)
"""Those of whom there is one or more, and not a little, as of beer."""
PEOPLE: Final = frozenset("boy girl child kid boys girls children kids".split())
"""Who is little is young."""
MANNER: Final = frozenset(
    """
    angrily attentively awkwardly bravely breathlessly briskly busily calmly carefully cautiously cheerfully clumsily
    closely curiously eagerly elegantly enthusiastically excitedly fearlessly fiercely frantically funnily gently
    gleefully gracefully greedily happily hastily heavily hungrily intently joyfully joyously lazily loudly
    merrily nervously noisily passionately patiently peacefully pitifully playfully politely proudly quickly quietly
    rapidly sadly shrewdly shyly silently skillfully skilfully sleepily slowly smoothly softly steadily stupidly swiftly
    thoughtfully tightly tiredly vigorously violently wildly amusedly together
    """.split()
)
"""How something is being done: who does it so does it. `Almost`, `rarely`, `supposedly` are of another kind."""
QUALITIES: Final = frozenset(
    """
    big large huge small little tiny tall young old elderly electric wooden metal plastic red green blue yellow white
    black brown grey gray orange purple pink tan beige blond blonde colorful colourful wet dirty muddy dusty rusty paved
    crowded shiny striped checkered outdoor
    """.split()
)
"""What a thing is like: such a thing is one. A former, fake or dry one (`a dry run`) is not, or another."""
RELATIVE: Final = frozenset("big large huge small little tiny tall young old elderly".split())
"""A small elephant is no small animal."""
COLOURS: Final = frozenset(
    "red green blue yellow white black brown grey gray orange purple pink tan beige blond blonde".split()
)
ALSO: Final[Mapping[str, str]] = {"beige": "tan", "blonde": "blond", "colourful": "colorful"}
"""Of two words for one quality the one that stands for both."""
