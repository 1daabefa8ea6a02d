"""Words that carry meaning, for rules that count them."""

import re

_WORD = re.compile(r"[^\W_]+(?:[._/:'-][^\W_]+)*")

STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are as at be because been before being but by can could did do does
    doing done don't each even few for from further get go got had has have having he her here hers him his how i
    i'd i'll i'm i've if in into is isn't it it's its just let let's like ll make me more most much my no nor not
    now of off ok okay on once only or other our out over own please re really same she should so some still such
    sure than thank thanks that that's the their them then there these they they're this those through to too under
    until up us ve very want was we well were what what's when where which while who why will with would yeah yes
    yet you you're your aber als am an auch auf aus bei bin bis bitte da danke dann das dass dein dem den der des
    die dies diese doch du ein eine einem einen einer er es euch für hab habe haben hat hier ich ihr ihre im in ist
    ja jetzt kann kein keine mal man mein mit nach nein nicht noch nun nur ob oder schon sehr sein sich sie sind so
    und uns von vor war warum was weil wenn wer wie wir wird wo zu zum zur alors au aussi aux avec ce ces cette ceci
    cela comme dans de des donc du elle elles en est et eu il ils je la le les leur lui ma mais me merci mes moi mon
    ne nos notre nous on ou où par pas peu plus pour pourquoi qu que quel quelle qui sa se ses si son sont sur ta te
    tes toi ton tu un une vos votre vous
    """.split()
)
"""English, German and French words that say nothing about a topic."""


def content_words(text: str) -> list[str]:
    """Return the words of a text in lower case, in order, without stop words and single letters."""
    return [
        word
        for word in (match.group().casefold() for match in _WORD.finditer(text))
        if len(word) > 1 and word not in STOP_WORDS
    ]
