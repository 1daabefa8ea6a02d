"""The embedder that everybody asks: that of the model whose index serves."""

from collections.abc import Sequence

from memoryd.embedding.service import EmbeddingService, ModelStatistics
from memoryd_actors.ports.embedder import Vectors


class ServingEmbedder:
    """Hands on to one `EmbeddingService`, and to another one from the moment that its index serves."""

    def __init__(self, current: EmbeddingService) -> None:
        self.current = current

    @property
    def identity(self) -> str:
        return self.current.identity

    @property
    def dimensions(self) -> int:
        return self.current.dimensions

    def statistics(self) -> ModelStatistics:
        return self.current.statistics()

    async def warm(self) -> None:
        await self.current.warm()

    async def embed(
        self, texts: Sequence[str], *, max_tokens: int = 256, background: bool = False, query: bool = False
    ) -> Vectors:
        return await self.current.embed(texts, max_tokens=max_tokens, background=background, query=query)

    async def count(self, texts: Sequence[str]) -> list[int] | None:
        return await self.current.count(texts)
