"""Text that is known word for word: the user's own words, and what stands in the project's environment files."""

from collections.abc import Iterator

from memoryd_actors.redaction.finding import SecretFinding
from memoryd_actors.redaction.harmless import placeholder
from memoryd_actors.redaction.names import classify
from memoryd_actors.redaction.rules import Variable

SHORTEST_VALUE = 8
"""Characters of a value that is looked for: shorter ones (`true`, `8080`, `eu-west`) are words of any text."""
_SHORTEST_DRAWN = 16
_BETWEEN = 12
"""Characters between a name and its value: `": "`, ` = `, `=`."""
_JOINTS = frozenset(" \t=:\"'`,>")


def find_words(lowered: str, words: tuple[str, ...]) -> Iterator[SecretFinding]:
    """Yield the user's own words, whole ones in whatever case. `lowered` is the text in lower case, of its length."""
    for word in words:
        wanted = word.lower()
        for start, end in _places(lowered, wanted):
            whole_left = not (wanted[0].isalnum() and lowered[start - 1 : start].isalnum()) or start == 0
            if whole_left and not (wanted[-1].isalnum() and lowered[end : end + 1].isalnum()):
                yield SecretFinding("word", start, end)


def find_environment(text: str, variables: tuple[Variable, ...]) -> Iterator[SecretFinding]:
    """Yield the values of environment files.

    A value whose name announces a secret, and a long one that somebody drew, wherever they stand; any other
    (`production`, `localhost:8080`) only where it is assigned to its name.
    """
    for variable in variables:
        value = variable.value
        if len(value) < SHORTEST_VALUE or placeholder(value):
            continue
        anywhere = classify(variable.name) is not None or _drawn(value)
        for start, end in _places(text, value):
            if anywhere or _assigned(text, variable.name, start):
                yield SecretFinding("env", start, end)


def _drawn(value: str) -> bool:
    return (
        len(value) >= _SHORTEST_DRAWN
        and any(char.isdigit() for char in value)
        and any(char.isalpha() for char in value)
        and not any(char in value for char in " /.:@,")
    )


def _assigned(text: str, name: str, start: int) -> bool:
    at = start
    while at > max(0, start - _BETWEEN) and text[at - 1] in _JOINTS:
        at -= 1
    return at < start and text.endswith(name, 0, at)


def _places(text: str, wanted: str) -> Iterator[tuple[int, int]]:
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        yield at, at + len(wanted)
        at = text.find(wanted, at + len(wanted))
