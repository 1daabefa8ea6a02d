"""Which messages of a pushed context are new: pushes carry the end of the conversation again and again."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from hashlib import blake2b

from memoryd_client.wire.transcripts import Kind


def fingerprint(kind: Kind, role: str, content: str) -> int:
    """Return 64 bits that stand for something that was said, wherever it was said.

    White space around it does not count: a message that memory was appended to comes back with what stood between.
    """
    said = f"{kind}\0{role if kind == 'message' else ''}\0{content.strip()}"
    return int.from_bytes(blake2b(said.encode("utf-8", "surrogatepass"), digest_size=8).digest())


FEW = 2
"""Messages up to which a window says by itself where it belongs: right after the one before it."""


def new_after(previous: Sequence[int], since: Sequence[int], pushed: Sequence[int]) -> list[int] | None:
    """Return the places in a short window of what is new after the window that the same client pushed before it.

    None for a longer one, which has to be compared with all that is known. An agent that pushes only the newest message
    says `yes` as often as its user does; the same window again is the same message, and what the agent has appended
    `since` is not taken twice.
    """
    if len(pushed) > FEW:
        return None
    size = _overlap(previous, pushed)
    return [size + place for place in new_places(since, pushed[size:])]


def _overlap(known: Sequence[int], pushed: Sequence[int]) -> int:
    """Return how many at the end of the one are the beginning of the other."""
    longest = min(len(known), len(pushed))
    return next((n for n in range(longest, 0, -1) if list(known[-n:]) == list(pushed[:n])), 0)


def new_places(known: Sequence[int], pushed: Sequence[int]) -> list[int]:
    """Return the places in `pushed` of what is not yet at the end of `known`, both as fingerprints in order.

    A window over a conversation overlaps with what is known: the end of one is the beginning of the other. Where more
    fits when order alone counts (somebody appended a part of it), that is taken. What was said twice is there twice.
    """
    if not known or not pushed:
        return list(range(len(pushed)))
    size = _overlap(known, pushed)
    if size == len(pushed):
        return []
    matcher = SequenceMatcher(None, known, pushed, autojunk=False)
    blocks = matcher.get_matching_blocks()
    if sum(block.size for block in blocks) <= size:
        return list(range(size, len(pushed)))
    matched = {block.b + n for block in blocks for n in range(block.size)}
    return [place for place in range(len(pushed)) if place not in matched]
