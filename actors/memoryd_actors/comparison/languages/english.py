"""English."""

from typing import Final

from memoryd_actors.comparison.languages.figures import Figures
from memoryd_actors.comparison.languages.frames import Frames

_THE: Final = r"(?:(?:the|an?|her|his|my|their|our|its) )?"
_OF_THINGS: Final = r"(?<!user )(?:is|are|was|were|be|been)"
FRAMES: Final = Frames(
    single=(
        rf"(?:lives?|living|resides?|settled|based|located) (?:in|at|near|on) {_THE}_",
        rf"(?:works?|working|employed) (?:as|at|for|in|from) {_THE}_",
        r"works? _ time",
        rf"born (?:in|on|at) {_THE}_",
        rf"(?:comes?|is|am|are) from {_THE}_",
        r"(?:called|named|titled|nicknamed|goes by) _",
        rf"(?:starts?|begins?|ends?|opens?|closes?|expires?|leaves?|departs?|arrives?|finish(?:es)?|(?:gets?|wakes?) up"
        rf"|goes? to bed) (?:at|on|in|from|by|with|around) {_THE}_",
        r"(?:costs?|weighs?|lasts?|measures?) _",
        rf"{_OF_THINGS} (?!used|seen|spoken|found|tested|covered|mentioned|supported|interested|based)"
        rf"(?:\w+ed|written|built|held|kept|set|run|made|sold|given|drawn) (?:in|on|at|as|over|via) {_THE}_",
        rf"{_OF_THINGS} (?:set|linked|pinned|limited|assigned|mapped|bound) to {_THE}_",
        rf"{_OF_THINGS} (?:planned|scheduled|due|booked|reserved) for {_THE}_",
        rf"{_OF_THINGS} (?:built|made|written|paid|signed|painted) with {_THE}_",
        rf"{_OF_THINGS} (?:paid|owned|led|managed|written|founded|designed) by {_THE}_",
        rf"(?:runs?|running) on {_THE}_",
        r"(?:the|my|our|his|her) (?:\S+ 's )?(?!users? )\S+ runs? _",
        rf"listens? on (?:port )?{_THE}_",
        rf"takes? place (?:in|on|at) {_THE}_",
        r"(?:study|studies|studying|majors? in|majoring in) _",
        rf"commutes? (?:by|on) {_THE}_",
        rf"(?:takes?|rides?|uses?) {_THE}_ (?:to|for) (?:work|school|university)",
        rf"(?:goes|go|gets?|travels?) to (?:work|school|university|the office) (?:by|on) {_THE}_",
        rf"(?:returns?|defaults? to|reports? to|belongs? to|married to|engaged to|resolves to|points to) {_THE}_",
        r"\S+ (?:is|am) an? _ (?:at|in|for) \S.*",
        r"is the _ of \S.*",
    ),
    preferred=r"prefers? (?:(?:the|an?) )?_",
    attributes=r"favou?rite|preferred|default|native|level|status|state|name|type|format|language|size|colou?r|diet|role"
    r"|job|title|plan|mode|shape|branch|tongue|occupation|profession|religion|instrument|editor|currency|time ?zone",
    belongs=r"the|my|our|his|her|its|their|your|this|(?:\S+ ){1,3}?'s",
    persons=r"(?:the )?users?|i|you|he|she|we|they|(?:the|our|my|his|her|their) (?:team|company|people)",
    copulas=r"is|are|(?:was|were)(?! (?:in|at|from|with) )|will be|remains|should be|must be",
    between=r"the|an?|in|on|at|from|now|currently|called|named|held|due|only|mr|mrs|ms|dr|dr\.|painted|set to|made of",
    one_of_many=r"(?:one|1|some|part|member|any|each|all|most|many|several) of|some|another|an?other|also|too|hobby|hobbies"
    r"|friends?|interests?|skills?|strengths?|goals?|examples?|options?|favou?rites|reasons?|problems?|issues?"
    r"|sometimes|often|occasionally|usually|every|each|either|among|include[sd]?|including|interested|used by"
    r"|allergic|known for|good at|bad at|afraid|worked|available|supported|tested on|depends",
    nouns_are_capital=False,
    others_too=frozenset(
        (
            "sister brother sibling cousin friend colleague coworker neighbour neighbor son daughter child kid "
            "aunt uncle nephew niece grandmother grandfather roommate teammate student teacher client customer "
            "supplier member fan"
        ).split()
    ),
    colours=frozenset(
        "red green blue yellow white black brown grey gray orange purple pink tan beige blond blonde turquoise violet "
        "silver gold golden teal magenta cyan".split()
    ),
    states=frozenset("single married divorced widowed engaged separated unmarried".split()),
    moved=r"(?P<who>(?:\S+ ){1,4}?)(?:(?:has|have|had|was|were|is|are|been|being|recently|just|'ve|'s) ){0,3}"
    r"(?:moved|relocated|switched|migrated|changed|converted|transferred|rewritten|ported|went|promoted) "
    r"(?:\S+ ){0,3}?from (?P<old>\S+(?: \S+){0,2}?) (?:to|into) (?:(?:the|an?) )?(?P<new>\S+)",
    first_person=frozenset({"i", "the user", "user", "we"}),
    stays=r"(?:(?:still|currently|now) )?(?:(?:lives?|living|works?|resides?|based|is|are|am|runs?|stays?|uses?|using"
    r"|relies|writes|develops)(?: (?:using|written|based|living|working|built|hosted))?)(?: (?:in|at|on|with|for|as))?"
    r"(?: (?:the|an?))?",
    past=frozenset(
        "was were had did used formerly previously before until lived worked grew moved from ago former".split()
    ),
)
FIGURES: Final = Figures(
    months=(
        "january jan",
        "february feb",
        "march mar",
        "april apr",
        "may",
        "june jun",
        "july jul",
        "august aug",
        "september sep sept",
        "october oct",
        "november nov",
        "december dec",
    ),
    days=(
        "monday mondays mon",
        "tuesday tuesdays tue",
        "wednesday wednesdays wed",
        "thursday thursdays thu",
        "friday fridays fri",
        "saturday saturdays",
        "sunday sundays",
    ),
    relative={"today": "today", "tomorrow": "tomorrow", "yesterday": "yesterday"},
    cardinals={
        **dict(
            enumerate(
                "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
                "seventeen eighteen nineteen twenty".split()
            )
        ),
        **dict(zip(range(30, 100, 10), "thirty forty fifty sixty seventy eighty ninety".split(), strict=True)),
    },
    hesitant={2: "both twice", 12: "dozen", 50: "half", 100: "hundred"},
    ordinals=("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
    scales={1_000: "k thousand", 1_000_000: "million millions m", 1_000_000_000: "billion billions bn"},
    ands="and",
    units={
        "%": "percent pct",
        "€": "EUR euro euros",
        "$": "dollar dollars",
        "s": "sec secs second seconds",
        "min": "mins minute minutes",
        "h": "hr hrs hour hours",
        "km": "kilometer kilometers kilometre kilometres",
        "cm": "centimeter centimeters centimetre centimetres",
        "mm": "millimeter millimeters millimetre millimetres",
        "metres": "meter meters metre",
        "kg": "kilogram kilograms kilo kilos",
        "g": "gram grams",
        "litres": "litre liter liters",
        "ms": "millisecond milliseconds",
        "GB": "gigabyte gigabytes",
        "MB": "megabyte megabytes",
        "TB": "terabyte terabytes",
        "days": "day",
        "weeks": "week",
        "months": "month",
        "years": "year",
    },
)
