"""Where models are: a service far away, a server on this machine, a program. The port."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

import msgspec

from memoryd_actors.model.question import ModelFailed, Prompt


class Completion(msgspec.Struct, frozen=True):
    """What a model said to a prompt."""

    text: str
    tokens: tuple[int, int] | None = None
    """How many went in and out, as the provider counts; None where it does not say."""


class Provider(Protocol):
    """Puts prompts before a model."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    async def prepare(self) -> None:
        """Do ahead what the first call would otherwise have to wait for.

        Raises:
            ModelFailed: it cannot be used.
        """
        ...

    async def say(self, prompt: Prompt, *, deadline_s: float) -> Completion:
        """Return what the model says to a prompt. Whoever asks keeps the deadline; this is told for its own timeouts.

        Raises:
            ModelFailed: there is no answer.
        """
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...


@runtime_checkable
class BatchProvider(Protocol):
    """A provider that also answers by and by, at a lower price."""

    async def submit(self, prompts: Mapping[str, Prompt]) -> str:
        """Hand named prompts in, to be answered within a day; return the id to fetch the answers under.

        Raises:
            ModelFailed: they were not taken.
        """
        ...

    async def fetch(self, batch: str) -> Mapping[str, Completion | ModelFailed] | None:
        """Return what came of a batch; None as long as nobody knows.

        Raises:
            ModelFailed: nobody can say; of kind `model` where there is no such batch.
        """
        ...
