"""The daily consolidation: what is there is compared once more, fades, is gathered and looked after.

schedule   when, and how far a run is
pool       which memories are looked at
near       which pairs of them are near
pairs      which of those are worth comparing
finder     all of that, for one owner
checker    compares, by a model or locally, and does what follows
worker     one owner after another, stage by stage
plan       the same, without doing it
"""
