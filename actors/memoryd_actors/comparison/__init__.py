"""What two memories are to each other, before anything is done about it. Pure; similarity alone never merges.

    found = compare(Statement(new), Statement(old), cosine)
    action(found)

| relation | confidence | action | what the writer does |
|---|---|---|---|
| same | from 0.75 | merge | one memory: strength + 1, `merge_content(old, new)` |
| same | below | queue | keep both, queue the pair |
| changes | from 0.6 | supersede | keep the new one, the old one inactive |
| changes | below | queue | keep both, queue the pair |
| contradicts | from 0.6 | contradict | keep both with an edge `contradicts`; trust decides which is active |
| contradicts | below | queue | keep both, queue the pair |
| resembles | from 0.6 | keep | keep both |
| resembles | below | queue | keep both, queue the pair |

Same is what differs in nothing but what is known to be harmless: white space, the last full stop, the capital of a
sentence, articles, ways to write a number or a date, a few spellings and synonyms (`lexemes`, `canon`, `sameness`).
And what follows from the other, which then says it all and stays: what is closed is not open (`denials`), who walks
slowly walks, a boy is a child, what is done by somebody is what somebody does (`events`), who is able to, can
(`idioms`), who loves it likes it (`degrees`). `fuller` says which.

Contradicting is what denies the other, has another number or date in its place, or another value where only one can be
(`slots`: who lives in Graz does not live in Leipzig, who likes tea may like coffee), or says what the other left behind
(`moves`). What a language has for that is in `languages`.

A comparison with a guard (a number, a sign, a unit, a symbol, a date, a name, a tense, a negation, a word that binds)
is never `same`, whoever says so: `vetoed` holds a model's answer to that.
"""

from memoryd_actors.comparison.compare import compare as compare
from memoryd_actors.comparison.content import merge_content as merge_content
from memoryd_actors.comparison.decision import Action as Action
from memoryd_actors.comparison.decision import action as action
from memoryd_actors.comparison.statement import Comparison as Comparison
from memoryd_actors.comparison.statement import Relation as Relation
from memoryd_actors.comparison.statement import Statement as Statement
from memoryd_actors.comparison.veto import vetoed as vetoed

__all__ = ["Action", "Comparison", "Relation", "Statement", "action", "compare", "merge_content", "vetoed"]
