"""What two memories are to each other, before anything is done about it. Pure; similarity alone never merges.

    found = compare(Statement(new), Statement(old), cosine)
    action(found)

| relation | from | action | what the writer does |
|---|---|---|---|
| same | 0.75 | merge | one memory: strength + 1, the more complete text stays |
| changes | 0.6 | supersede | keep the new one, the old one inactive, where trust allows it |
| contradicts | 0.6 | contradict | keep both with an edge `contradicts`; from 0.9 as above |
| resembles | 0.6 | keep | keep both |

Below that confidence both are kept, and the pair is queued.

Same is what is equal in its canonical form (`canon`): white space, capitals, articles, marks, short forms, numbers and
units. Changing is what announces a change (`changes`) of the very thing that the other speaks of, or denies what it
says. Contradicting is what is alike but for one value, or for a denial; for certain where one denies the other, or both
tell an attribute of which there is one. All else resembles.

A comparison with a guard (`difference`: a number, a date, a version, a symbol, a name, a denial) is never `same`,
whoever says so: `vetoed` holds a model's answer to that.
"""

from memoryd_actors.comparison.compare import compare
from memoryd_actors.comparison.decision import Action, action, vetoed
from memoryd_actors.comparison.statement import Comparison, Relation, Statement

__all__ = ["Action", "Comparison", "Relation", "Statement", "action", "compare", "vetoed"]
