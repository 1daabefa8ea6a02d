"""Under which id something captured is stored: it follows from what it says, and finds itself there again."""

import hashlib

from memoryd_client.wire.memory import ID_PREFIX

_BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"


def memory_id(owner: str, project: str, content: str) -> str:
    """Return the id that a captured content has in a place; `project` is empty where it holds everywhere."""
    digest = hashlib.sha256("\0".join((owner, project, " ".join(content.split()))).encode("utf-8", "replace")).digest()
    number = int.from_bytes(digest[:13], "big")
    return ID_PREFIX + "".join(_BASE32[number >> 5 * place & 31] for place in range(20))
