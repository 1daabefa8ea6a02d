"""Cases for judges, as the pipeline would put them."""

from datetime import UTC, datetime

from memoryd_actors.memory.case import Case, Exhibit

TEXTS = (
    "Token expiry is computed in UTC; the test clock is local.",
    "The login page uses the brand's blue.",
    "Alice prefers tabs.",
)


def exhibit(
    text: str,
    *,
    cosine: float = 0.3,
    category: str = "fact",
    index: int = 0,
    score: float = 0.4,
    speaker: str = "",
) -> Exhibit:
    return Exhibit(
        id=f"mem_{index}",
        text=text,
        category=category,
        date=datetime(2026, 11, 20, tzinfo=UTC),
        trust=0.5,
        vector_score=cosine,
        word_score=0.5,
        score=score,
        speaker=speaker,
    )


def case(*texts: str, focus: str = "why does the login test fail at midnight?", cosine: float = 0.3) -> Case:
    exhibits = tuple(exhibit(text, index=index, cosine=cosine) for index, text in enumerate(texts or TEXTS))
    return Case(focus=focus, window="user: the login test is red again", exhibits=exhibits)
