"""Vectors as they stand out from what all of a model's vectors have in common.

The rules and the local judge take texts that have nothing to do with each other to have a cosine of about 0, as
all-MiniLM-L6-v2 gives them. Many models give them .7, because all their vectors point roughly one way. Without their
mean they are at about 0 again (Mu and Viswanath, "All-but-the-Top", ICLR 2018, without the removal of further
directions). The mean is that of texts about sixty different things, once as queries and once as what is to be found.
"""

from collections.abc import Callable, Sequence

import numpy as np

from memoryd.embedding.model import EmbeddingModel, ModelSpec
from memoryd_actors.ports.embedder import Vectors

BACKGROUND = """
The dentist moved the appointment to Thursday.|Trains to the coast leave every hour.|She grows tomatoes on the balcony.
The build fails since the compiler was updated.|He collects stamps from South America.|Our cat sleeps on the radiator.
The meeting about the budget was long.|Rice has to be washed before it is cooked.|The bridge was built in 1912.
Return an error when the file does not exist.|Her brother plays the cello.|The server runs out of memory at night.
Please book a table for six people.|The mountain hut is closed in winter.|Invoices are due within thirty days.
How do I reset my password?|The moon causes the tides.|They painted the kitchen yellow.
Use tabs in makefiles.|The museum shows Roman glass.|My flight was cancelled because of fog.
A new law protects the wetlands.|The printer is out of toner.|Sailors fear sudden storms.
The query takes four seconds without an index.|Grandmother bakes bread on Saturdays.|The novel has three narrators.
He broke his wrist while skating.|Electric cars are quiet.|The vote was postponed.
Write a test before you change the parser.|Bees need flowers in autumn.|The hotel lost our luggage.
Prices rose by two percent.|The choir rehearses in the old school.|Which of the two contracts is still valid?
The well has been dry since July.|Deploy to staging first.|His visa expires in March.
The lens is scratched.|Children under twelve pay half.|The river freezes rarely.
Wir treffen uns am Bahnhof.|Der Vertrag wurde gestern unterschrieben.|Die Heizung ist ausgefallen.
Le magasin ferme à dix-neuf heures.|Ma voiture est au garage.|La réunion a été annulée.
El perro duerme en el jardín.|La base de datos está llena.|Mañana no hay clases.
Il treno è in ritardo.|O relatório está pronto.|De sleutel ligt onder de mat.
Nowy serwer działa szybciej.|Встреча перенесена на пятницу.|会议改到下午三点。
明日は雨が降るでしょう。|تأخر القطار اليوم.|Mötet är i morgon.
"""
_TOKENS = 64
_SHORTEST = 1e-3
"""What is left of a vector that says no more than the background does stays as it was."""


class Centred:
    """A loaded model, whose vectors are told from its background."""

    def __init__(self, model: EmbeddingModel, spec: ModelSpec, texts: Sequence[str] = ()) -> None:
        """Measure the background, 60 short texts in each of the two ways that the model is asked. Blocks."""
        self._model = model
        self._query_prefix = spec.query_prefix
        texts = texts or [text for text in BACKGROUND.replace("\n", "|").split("|") if text]
        self._found = self._mean(texts, spec.document_prefix)
        self._asked = self._mean(texts, spec.query_prefix)

    @property
    def dimensions(self) -> int:
        return self._model.dimensions

    @property
    def device(self) -> str:
        return self._model.device

    def encode(self, texts: Sequence[str], *, max_tokens: int) -> Vectors:
        """Return one unit vector per text; shape (len(texts), dimensions), float32. Blocks."""
        raw = self._model.encode(texts, max_tokens=max_tokens)
        prefix = self._query_prefix
        asked = np.array([bool(prefix) and text.startswith(prefix) for text in texts], np.bool_)
        vectors = raw - np.where(asked[:, None], self._asked, self._found)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(np.where(lengths > _SHORTEST, vectors / np.maximum(lengths, _SHORTEST), raw), np.float32)

    def counter(self) -> Callable[[Sequence[str]], list[int]]:
        """Return what counts the tokens of texts; see the port."""
        return self._model.counter()

    def _mean(self, texts: Sequence[str], prefix: str) -> Vectors:
        return np.asarray(
            self._model.encode([prefix + text for text in texts], max_tokens=_TOKENS).mean(axis=0), np.float32
        )
