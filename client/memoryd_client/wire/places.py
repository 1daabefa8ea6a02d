"""Paths on the machine of the daemon, as they come over the wire."""

from typing import Annotated, Final

import msgspec

MAX_PLACE: Final = 1_000
"""Characters of a path: some hundred folders within one another, which is more than anybody has."""
Place = Annotated[str, msgspec.Meta(max_length=MAX_PLACE, pattern="^[^\\x00]*$")]
"""A path that a file system can have."""
