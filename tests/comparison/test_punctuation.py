"""Marks between the same words: where they may make another statement of them, both stay, in doubt."""

import pytest

from memoryd_actors.comparison import Statement, action, compare

DIFFERENT = """
The users who are admins can log in. | The users, who are admins, can log in.
Bob, said Ann, is guilty. | Bob said Ann is guilty.
Anna, sagt Ben, lügt. | Anna sagt, Ben lügt.
Ana, dice Luis, miente. | Ana dice: Luis miente.
Indulto, imposible matar. | Indulto imposible, matar.
Nein, retten. | Nein retten.
I live with my parents, Ann and Bob. | I live with my parents, Ann, and Bob.
Slow children crossing. | Slow: children crossing.
Allow, not deny. | Allow not, deny.
The tuple is (1,). | The tuple is (1).
The key is "null". | The key is null.
The command is ls -la. | The command is ls, -la.
Call f(); then g(). | Call f() then g().
The label is `done:`. | The label is `done`.
"""
ALIKE = """
We deploy on Fridays. | We deploy on Fridays
The build runs `make test`. | The build runs make test.
He calls it “done”. | He calls it "done".
"""


def pairs(text: str) -> list[tuple[str, str]]:
    found = [line.split(" | ") for line in text.strip().split("\n")]
    return [(one, other) for one, other in found]


@pytest.mark.parametrize(("one", "other"), pairs(DIFFERENT))
def test_other_marks_between_the_same_words_leave_both(one: str, other: str) -> None:
    for new, old in ((one, other), (other, one)):
        assert action(compare(Statement(new), Statement(old), 0.98)) != "merge"


@pytest.mark.parametrize(("one", "other"), pairs(ALIKE))
def test_marks_that_change_nothing_keep_nothing_apart(one: str, other: str) -> None:
    for new, old in ((one, other), (other, one)):
        assert action(compare(Statement(new), Statement(old), 0.98)) == "merge"
