"""What the file of a memory is called, and what its folders are called: names that every file system can hold."""

import re
from collections.abc import Callable

from memoryd_actors.mirroring.document import MemoryNote
from memoryd_actors.texts.normal_form import normalized
from memoryd_client.wire.memory import ID_PREFIX, Memory

LONGEST = 80
"""Characters of a name, and at most twice as many bytes: file systems have room for 255 bytes."""
_LONGEST_BYTES = 2 * LONGEST
_FORBIDDEN = re.compile(r'[\\/:*?"<>|#^\[\]\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+')
"""What Windows or links of Obsidian cannot hold, and what cannot be seen."""
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|index|readme)(?:\..*)?", re.IGNORECASE)
_UNNAMED = "memory"


def name_of(text: str) -> str:
    """Return a text as a name of a file or folder, without an ending."""
    one_line = " ".join(_FORBIDDEN.sub(" ", normalized("NFC", text)).split())
    name = _shortened(one_line).strip(" .~")
    if not name:
        return _UNNAMED
    return f"{name}_" if _RESERVED.fullmatch(name) else name


def _shortened(text: str) -> str:
    """Return the beginning of a text that is short enough, up to the end of a word where there is one."""
    cut = text[:LONGEST]
    while len(cut.encode("utf-8", "replace")) > _LONGEST_BYTES:
        cut = cut[:-1]
    if cut == text:
        return text
    words = cut.rpartition(" ")[0]
    return words if len(words) > LONGEST // 2 else cut


def file_name(said: Memory | MemoryNote) -> str:
    """Return how the file of a memory is called without its ending: by its title, else by how it begins."""
    first = next((line for line in said.content.split("\n") if line.strip(" #-*>\t")), "")
    return name_of(said.title or first.strip(" #-*>\t"))


def free_name(name: str, memory_id: str, is_taken: Callable[[str], bool]) -> str:
    """Return a name that no other file has, whatever its case; `is_taken` is asked with folded names."""
    if not is_taken(folded(name)):
        return name
    bare = memory_id.removeprefix(ID_PREFIX)
    longer = (f"{name} {bare[:length]}" for length in range(4, len(bare) + 1))
    return next((one for one in longer if not is_taken(folded(one))), f"{name} {bare}")


def folded(name: str) -> str:
    """Return a name as file systems compare it that know no case, or that write letters otherwise."""
    return normalized("NFKC", normalized("NFKC", name).casefold())
