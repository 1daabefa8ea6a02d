"""Which wording stays when two memories say the same."""

from memoryd_actors.comparison.difference import difference
from memoryd_actors.comparison.fuller import fuller
from memoryd_actors.comparison.tokens import read
from memoryd_client.wire.memory import MAX_CONTENT_BYTES


def merge_content(old: str, new: str) -> str:
    """Return the more complete of two texts that say the same; never a text that nobody wrote.

    The new one where it says all that the old one says, and more; the old one otherwise, so that a memory does not
    change its wording at every repetition. At most 16 kB, where either is.
    """
    if not old.strip():
        return new
    if not new.strip() or len(new.encode("utf-8", "replace")) > MAX_CONTENT_BYTES:
        return old
    if len(old.encode("utf-8", "replace")) > MAX_CONTENT_BYTES:
        return new
    if which := fuller(new, old):
        return new if which == "new" else old
    one, other = read(new), read(old)
    found = difference(one, other)
    if found.guards or found.old_only or found.old_numbers:
        return old
    adds = found.new_only or found.new_numbers or one.dates - other.dates or len(one.versions) > len(other.versions)
    return new if adds and not (other.dates - one.dates or len(other.versions) > len(one.versions)) else old
