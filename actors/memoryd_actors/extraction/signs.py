"""What a sentence has about it that makes it worth remembering, or not: signs, each with its weight.

The weights are rounded from a logistic regression over the friends' chats of LoCoMo's dev half, of which every fold
left out one conversation: their signs and sizes agreed between folds. Those of `is at`, `left out`, `to me`, `kin`,
`cheers` and `greets` were set by hand on two of these conversations, and bring as much on the two others: .488 captured
instead of .367, at the same junk (.142), with a threshold of 0.4. `benchmarks/extraction.py` measures them.

Vectors add nothing: by how near they are to 91 statements that last and 92 that do not, written for that, turns are
ordered worse (area under the curve .68, these signs .82, both .83), for 7 ms a sentence instead of 0.1.

English only: in any other language hardly a sign is found, and nothing is taken.
"""

import re
from typing import Final

_DONE = """
went started got made had took bought met visited joined finished lost found saw won gave began moved quit left built
wrote painted read watched learned tried created opened ran worked played spent adopted applied attended helped
came told broke fixed named hiked swam cooked baked taught drew sold set put used brought held grew received reached
married chose switched upgraded deployed released migrated replaced
"""
_DONE_RE = "|".join(_DONE.split())
_I = r"(?:i|we)(?:'ve|'d)?"
_ADVERB = (
    r"(?:(?:also|just|actually|recently|really|finally|even|still|always|usually|currently|already|mostly|often|never"
    r"|only|once|both|mainly|normally) )*"
)


def _sign(pattern: str) -> "re.Pattern[str]":
    return re.compile(pattern.replace("'", "['\u2019]"), re.IGNORECASE)


SIGNS: Final[tuple[tuple[str, float, "re.Pattern[str]"], ...]] = (
    ("did", 0.8, _sign(rf"\b{_I} {_ADVERB}(?:{_DONE_RE}|[a-z]{{3,}}ed)\b")),
    (
        "has done",
        0.9,
        _sign(
            rf"\b(?:i|we)(?:'ve| have) {_ADVERB}(?:been|\w+ed|{_DONE_RE}|done|seen|gone|written|taken|given"
            rf"|known|begun"
            r"|won)\b"
        ),
    ),
    (
        "does",
        0.7,
        _sign(
            rf"\b(?:i|we) {_ADVERB}(?:have|own|work|live|use|run|teach|study|play|write|make|go|keep|do|need"
            rf"|plan|read"
            r"|paint|cook|bake|collect|volunteer|spend|attend|belong|come|manage|lead|maintain|deploy|develop|build"
            r"|test|host|store)\b"
        ),
    ),
    (
        "is",
        0.4,
        _sign(
            rf"\b(?:i'm|i am|we're|we are) {_ADVERB}(?:an?|the|in|on|at|from|part of|allergic|married|single|vegan"
            r"|vegetarian|based|responsible)\b"
        ),
    ),
    (
        "is at",
        0.8,
        _sign(
            rf"\b(?:i'm|i am|we're|we are|i've been|we've been) {_ADVERB}(?!looking|going|gonna|trying|feeling|hoping"
            r"|getting|being|loving|sending|wishing|saying|kidding|telling|wondering|having)[a-z]+ing\b"
        ),
    ),
    (
        "left out",
        1.2,
        _sign(
            rf"^\W*(?:(?:and|so|but|then|yesterday|last \w+),? )?{_ADVERB}(?:got|took|been|went|made|started|finished"
            r"|bought|had|found|met|joined|tried|gonna|wanna|working|planning|spent|saw|lost|won|used to)\b"
        ),
    ),
    (
        "to me",
        0.5,
        _sign(
            r"\b(?:help(?:s|ed|ing)?|taught|gave|gives?|made|makes?|showed|inspire[sd]?|remind(?:s|ed)?|brings?|brought"
            r"|lets?|keeps?) (?:me|us)\b"
        ),
    ),
    (
        "kin",
        0.4,
        _sign(
            r"\b(?:my|our) (?:\w+ )?(?:kids?|children|sons?|daughters?|husband|wife|spouse|partner|mom|mum|mother|dad"
            r"|father|parents|grand\w+|sisters?|brothers?|family|cousins?|uncle|aunt|niece|nephew|friends?|boss|mentor"
            r"|teacher|coach|roommate|girlfriend|boyfriend|fianc\w+|dogs?|cats?|pupp(?:y|ies)|pets?|horse)\b"
        ),
    ),
    (
        "likes",
        0.8,
        _sign(
            rf"\b(?:i|we)(?:'d)? {_ADVERB}(?:love|like|enjoy|prefer|hate|dislike|can't stand)\b(?! to (?:see"
            rf"|hear|know)| (?:how|the|all the|your|that|this|it|those|these)\b)"
            r"|\bfavou?rite\b|\bmy go-to\b|\bpassionate\b|\bfan of\b|\b(?:i|we)'d rather\b"
        ),
    ),
    ("own", 0.7, _sign(r"\b(?:my|our) (?!god\b|pleasure\b|bad\b|thoughts\b|best\b)\w+")),
    (
        "time",
        1.3,
        _sign(
            r"\b(?:yesterday|last (?:week|month|year|night|weekend|summer|winter|spring|fall|\w+day)"
            r"|this (?:week|month|year"
            r"|weekend|summer)|next (?:week|month|year|weekend|summer|\w+day)|tomorrow|(?:\d+|an?|two|three"
            r"|four|five|six"
            r"|ten|few|couple of) (?:days?|weeks?|months?|years?|hours?)|since|in (?:19|20)\d\d|january"
            r"|february|march"
            r"|april|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
            r"|recently|ago|every (?:day|week|month|year|morning|\w+day)|once|twice|\d{4}-\d\d-\d\d)\b"
        ),
    ),
    (
        "number",
        0.5,
        _sign(r"\b\d[\d,.:]*\b|\b(?:two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|first|second|third)\b"),
    ),
    ("reason", 0.2, _sign(r"\bbecause\b")),
    ("you", -0.5, _sign(r"\b(?:you|your|you're|you've|yours|yourself)\b")),
    (
        "answers",
        -0.4,
        _sign(
            r"^\W*(?:thanks|thank you|thx|wow|hey|hi|hello|congrats|congratulations|cool|nice|great|awesome|amazing"
            r"|sounds|that's|that is|that sounds|no worries|no prob|sure|yeah|yep|yes|glad|oh|good|absolutely"
            r"|definitely"
            r"|haha|sweet|totally|exactly|bye|take care|for sure|of course|it's|keep|let me know|can't wait|ok"
            r"|you're right|nah|oops|woah|whoa"
            r"|okay)\b"
        ),
    ),
    (
        "feels",
        -0.8,
        _sign(
            r"\b(?:i'm|i am|we're) (?:so |really |super |very |kinda |a bit )*(?:glad|happy|proud|sorry"
            r"|thrilled|stoked"
            r"|impressed|here for|grateful|thankful|lucky|sure|rooting|looking forward|honou?red|confused|stuck"
            r"|worried"
            r"|wondering|curious|excited for you|not sure)\b"
        ),
    ),
    (
        "chats",
        -0.5,
        _sign(
            r"\b(?:can't wait|let me know|keep (?:it )?up|keep me posted|i'd love to (?:see|hear|come|check)|i'll "
            r"(?:definitely |def )?(?:check|keep|let|try|be|do|make sure)|here if you|hear about|i can imagine|i bet"
            r"|i hope|wish you|good luck|no doubt|means a lot|appreciate|check it out|talk to you|catch up|see you"
            r"|since we (?:last )?(?:talked|spoke|chatted|met))\b"
        ),
    ),
    (
        "cheers",
        -0.6,
        _sign(
            r"\b(?:let's|don't (?:worry|forget|give up)|we can|we all|everyone|anything is possible|hard work|no matter"
            r" what|keep (?:going|pushing|believing)|means? (?:so much|a lot|the world))\b"
        ),
    ),
    ("greets", -1.5, _sign(r"\b(?:it's|it has|has) been .{1,40}since (?:we|our)\b|\blong time no\b")),
    ("exclaims", -0.7, re.compile(r"!\W*$")),
    ("points", -0.4, _sign(r"^\W*(?:it|that|this|they|these|those|she|he)\b")),
    (
        "supposes",
        -2.0,
        _sign(r"\b(?:if (?:i|we|you)|suppose|imagine|what if|assuming|would (?:have|be)|might|maybe|perhaps)\b"),
    ),
    (
        "requests",
        -1.5,
        _sign(
            r"\b(?:can|could|would|will) you\b|\bplease\b|\bhelp me\b|\b(?:i|we) (?:want|need|would like|'d like) "
            r"(?:you|to (?:know|see|make sure|ensure|understand))\b|\bi'd like (?:you|to)\b|\bgive me\b|\bshow me\b"
            r"|\btell me\b|\bi'm (?:trying|looking|hoping) to\b|\bwondering\b"
        ),
    ),
)
NAME: Final = 0.7
"""Weight of a capitalised word within the sentence."""
NOBODY: Final = -1.0
"""Of a sentence in which its speaker does not appear."""
SHORT: Final = -0.8
"""Of a sentence of fewer than eight words; of fewer than five once more."""
LENGTH: Final = 1.2
"""Of 25 words or more; in proportion below."""
BASE: Final = -0.9

_NAME = re.compile(r"(?<=[a-z,] )(?!I\b|I['\u2019])[A-Z][a-zA-Z]{2,}")
_TIME = next(pattern for name, _, pattern in SIGNS if name == "time")
_LEFT_OUT = next(pattern for name, _, pattern in SIGNS if name == "left out")
_SPEAKER = _sign(r"\b(?:i|we|my|our|i'm|i've|we're|we've|me|us|mine|ours)\b")


def dated(bare: str) -> bool:
    """Return whether a sentence names a time, or somebody or something by name: what a passing remark does not."""
    return bool(_TIME.search(bare) or _NAME.search(bare))


def weigh(bare: str) -> float:
    """Return how much speaks for remembering a sentence; what stands in quotation marks is blotted out of it."""
    words = len(bare.split())
    weight = BASE + LENGTH * min(words, 25) / 25
    weight += SHORT * ((words < 8) + (words < 5))
    weight += NAME * bool(_NAME.search(bare))
    weight += NOBODY * (_SPEAKER.search(bare) is None and _LEFT_OUT.search(bare) is None)
    return weight + sum(size for _, size, pattern in SIGNS if pattern.search(bare))
