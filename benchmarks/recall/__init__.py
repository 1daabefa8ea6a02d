"""How well memory comes back: every message of real conversations stored through the client, every question asked.

`python -m benchmarks.recall [FOLDER]` plays what the folder holds through a daemon of its own, as an agent would, and
prints tables and JSON. The data is not part of this repository.
"""
