"""One word of a sentence is changed so that it says something else: no rule takes it for the sentence it was."""

from hypothesis import assume, given
from hypothesis import strategies as st

from memoryd_actors.comparison import Statement, compare
from memoryd_actors.comparison.kinds import COLOURS, MANNER, NOUNS, VERBS
from memoryd_actors.comparison.opposites import EXCLUDED

SENTENCES = [
    "a small boy is slowly eating an apple on the beach",
    "two dogs are quietly playing with a red ball in the street",
    "the lady is putting a book in the car",
    "a man in a blue shirt is playing a guitar and singing loudly",
    "a tomato is being sliced by a woman in the shop",
    "there is a young girl riding a bike over the road",
    "the cat, which is black, is looking at a bird",
    "three children are holding a picture of a horse",
    "the old bus is not safe and the driver is tired",
    "somebody is repairing a truck beside the path",
]
PLACES = "in on under behind beside with without near from to over off onto".split()
HOW_MANY = "a the two four no some every most few only".split()
BEING = ["was", "were", "is not", "is never", "is almost", "is no longer", "will be", "may be"]


def apart(word: str, other: str, kinds: dict[str, frozenset[str]]) -> bool:
    """Return whether neither word is a kind of the other, by whatever steps."""

    def below(one: str) -> set[str]:
        found: set[str] = set()
        ahead = [one]
        while ahead:
            for each in kinds.get(ahead.pop(), frozenset()) - found:
                found.add(each)
                ahead.append(each)
        return found

    return word != other and word not in below(other) and other not in below(word)


@given(st.sampled_from(SENTENCES), st.data())
def test_another_word_in_the_place_of_one_is_never_the_same(sentence: str, data: st.DataObject) -> None:
    words = sentence.split()
    at = data.draw(st.integers(0, len(words) - 1))
    word = words[at].rstrip(",")
    nouns, verbs = dict(NOUNS), dict(VERBS)
    if word in COLOURS or word in MANNER:
        other = data.draw(st.sampled_from(sorted(COLOURS if word in COLOURS else MANNER)))
    elif word in PLACES:
        other = data.draw(st.sampled_from(PLACES))
    elif word in {"a", "an", "the", "two", "three"}:
        other = data.draw(st.sampled_from(HOW_MANY))
        assume({word, other} - {"a", "an", "the"})
    elif word in {"is", "are"}:
        other = data.draw(st.sampled_from(BEING))
    elif word in verbs or any(word in below for below in verbs.values()):
        other = data.draw(st.sampled_from(sorted(verbs)))
        assume(apart(word, other, verbs))
    elif word in nouns or any(word in below for below in nouns.values()):
        other = data.draw(st.sampled_from(sorted(nouns)))
        assume(apart(word, other, nouns))
    else:
        assume(word in EXCLUDED)
        other = data.draw(st.sampled_from(sorted(EXCLUDED[word])))
    assume(other != word)
    changed = " ".join((*words[:at], words[at].replace(word, other), *words[at + 1 :]))
    for new, old in ((sentence, changed), (changed, sentence)):
        assert compare(Statement(new), Statement(old), 1.0).relation != "same", changed
