"""Text becomes vectors."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
"""Shape (n, dimensions), float32, every row of length 1."""


Vector = npt.NDArray[np.float32]
"""Shape (dimensions,), float32, of length 1."""


class Embedder(Protocol):
    """Turns text into vectors. Requests that arrive together run as one batch."""

    @property
    def identity(self) -> str:
        """Name, weights and precision of the model; vectors of different identities are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    async def embed(
        self, texts: Sequence[str], *, max_tokens: int = 256, background: bool = False, query: bool = False
    ) -> Vectors:
        """Return one unit vector per text; shape (len(texts), dimensions), float32.

        A text longer than `max_tokens` keeps its beginning. Loads the model where it is not loaded. What is wanted in
        the background gives way to everything else that waits. A `query` is what is searched with: many models make
        another vector of it than of what is to be found.

        Raises:
            ModelUnavailable: there are no weights, or they fail their checksum; the hint says what to do.
        """
        ...
