"""What two memories are to each other, before anything is done about it. Pure; similarity alone never merges.

| relation | from | action | what the writer does |
|---|---|---|---|
| same | 0.75 | merge | one memory: strength + 1, the more complete text stays |
| changes | 0.6 | supersede | keep the new one, the old one inactive, where trust allows it |
| contradicts | 0.6 | contradict | keep both with an edge `contradicts`; from 0.9 as above |
| resembles | 0.6 | keep | keep both |

Below that confidence both are kept, and the pair is queued. With a guard (`difference`) nothing is `same`: `vetoed`.
"""

from memoryd_actors.comparison.compare import compare
from memoryd_actors.comparison.decision import Action, action, vetoed
from memoryd_actors.comparison.statement import Comparison, Relation, Statement

__all__ = ["Action", "Comparison", "Relation", "Statement", "action", "compare", "vetoed"]
