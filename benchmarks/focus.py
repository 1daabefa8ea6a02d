"""Whether a summary with a focus tells what was asked for: `python -m benchmarks.focus FOLDER`, without a model.

Of each session in which all the evidence of a question was said a summary is made whose focus is that question. Told is
a message of which three in five of the words that carry meaning stand there. The floor is what somebody gets who fills
the same tokens with the messages nearest to the question by cosine: that tells nothing else.
"""

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import anyio
import numpy as np

from benchmarks.home import shared_models
from benchmarks.recall.data import DEFAULT, Asked, Said, available, no_data, read
from benchmarks.record import RESULTS, write
from memoryd.config import EmbeddingConfig
from memoryd.embedding import EmbeddingService, build_embedder
from memoryd_actors.summarising import LocalSummariser, Spoken
from memoryd_actors.texts.words import content_words

BUDGETS = (100, 200)
"""Tokens: a session of LoCoMo has some 600."""
QUESTIONS = 150
SHARE = 0.6
"""Of the words of a message, so many stand in what tells it."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.focus", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=DEFAULT, help="data sets")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    if "locomo" not in available(given.folder):
        sys.exit(no_data(given.folder, "benchmarks.focus"))
    print(write(given.out, "focus", anyio.run(_measure, given.folder / "locomo")))


async def _measure(folder: Path) -> dict[str, dict[str, float]]:
    data = read(folder)
    sessions: defaultdict[tuple[str, int], list[Said]] = defaultdict(list)
    for one in data.messages:
        sessions[one.group, one.session].append(one)
    place = {one.id: (one.group, one.session) for one in data.messages}
    asked = [one for one in data.answerable() if len({place.get(name) for name in one.relevant}) == 1]
    asked = random.Random(1).sample(asked, min(QUESTIONS, len(asked)))
    figures: dict[str, dict[str, float]] = {}
    async with build_embedder(EmbeddingConfig(), models=shared_models(), offline=True) as embedder:
        await embedder.warm()
        for budget in BUDGETS:
            told: defaultdict[str, list[float]] = defaultdict(list)
            for question in asked:
                said = sessions[place[question.relevant[0]]]
                for name, text in (await _texts(embedder, question, said, budget)).items():
                    told[name].append(_share_told(text, [one for one in said if one.id in question.relevant]))
            figures[str(budget)] = found = {name: mean(shares) for name, shares in told.items()}
            print(f"{budget} tokens: " + ", ".join(f"{name} {share:.3f}" for name, share in found.items()))
    return figures


async def _texts(embedder: EmbeddingService, question: Asked, said: Sequence[Said], budget: int) -> dict[str, str]:
    summariser = LocalSummariser(embedder, embedder)
    spoken = [Spoken(one.text, ("user", "assistant")[n % 2], one.speaker) for n, one in enumerate(said)]
    focuses = {"without": "", "with": question.query}
    texts = {
        name: (await summariser.summarise(spoken, budget_tokens=budget, focus=focus)).text
        for name, focus in focuses.items()
    }
    return texts | {"floor": await _nearest(embedder, question.query, spoken, budget)}


async def _nearest(embedder: EmbeddingService, query: str, said: Sequence[Spoken], budget: int) -> str:
    vectors = await embedder.embed([f"{one.name}: {one.text}" for one in said])
    (asked,) = await embedder.embed([query], query=True)
    counts = await embedder.count([one.text for one in said]) or []
    kept: list[str] = []
    for at in np.argsort(-(vectors @ asked)):
        if counts[at] <= budget:
            budget -= counts[at]
            kept.append(said[at].text)
    return "\n".join(kept)


def _share_told(text: str, evidence: Sequence[Said]) -> float:
    words = set(content_words(text))
    wanted = [set(content_words(one.text)) for one in evidence]
    return mean(len(some & words) >= SHARE * len(some) for some in wanted)


if __name__ == "__main__":
    main()
