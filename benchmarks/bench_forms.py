"""LoCoMo, BEAM and LongMemEval, as their authors publish them, in the form of `benchmarks/recall/data.py`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

Form = tuple[list[dict[str, Any]], list[dict[str, Any]]]
"""Messages and questions."""
LOCOMO_DEVELOPMENT = ("conv-26", "conv-30", "conv-41", "conv-42")
"""Conversations that weights may be fitted on; the others are kept for a last look."""
BEAM_DEVELOPMENT = (1, 2, 6, 7, 11, 12, 16, 17)
"""The same of its chats."""
LONGMEMEVAL_EVERY = 10
"""Of its questions every tenth is taken: each has some fifty sessions of its own, 25,000 messages in all."""
_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_PLAN_MARK = re.compile(r"\s*->->\s*\d+,\d+\s*$")
"""What BEAM's plan left at the end of messages."""


def locomo(original: Sequence[Mapping[str, Any]]) -> Form:
    """Return the messages and the questions of the conversations that weights may be fitted on."""
    memories: list[dict[str, Any]] = []
    queries: list[dict[str, Any]] = []
    for sample in original:
        group = str(sample["sample_id"])
        if group in LOCOMO_DEVELOPMENT:
            said = list(_said(group, sample["conversation"]))
            memories += said
            queries += _asked(group, sample["qa"], {one["id"] for one in said})
    return memories, queries


def _said(group: str, conversation: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    numbers = sorted(int(name[8:]) for name in conversation if re.fullmatch(r"session_\d+", name))
    for number in numbers:
        at = datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
        for turn in conversation[f"session_{number}"]:
            yield {
                "id": f"{group}/{turn['dia_id']}",
                "group": group,
                "session": number,
                "ts": at.isoformat(),
                "speaker": turn["speaker"],
                "text": turn["text"],
                "caption": turn.get("blip_caption", ""),
            }


def _asked(group: str, questions: Sequence[Mapping[str, Any]], there: set[str]) -> Iterator[dict[str, Any]]:
    for number, question in enumerate(questions):
        named = [mark for text in question.get("evidence", ()) for mark in re.findall(r"D:?(\d+):(\d+)", str(text))]
        ids = dict.fromkeys(f"{group}/D{int(session)}:{int(turn)}" for session, turn in named)
        yield {
            "id": f"{group}/q{number}",
            "group": group,
            "query": question["question"],
            "answer": str(question.get("answer", question.get("adversarial_answer", ""))),
            "category": _CATEGORIES[question["category"]],
            "relevant": [one for one in ids if one in there],
        }


def beam(
    number: int,
    chat: Sequence[Mapping[str, Any]],
    topic: Mapping[str, Any],
    asked: Mapping[str, Sequence[Mapping[str, Any]]],
) -> Form:
    """Return the messages and the questions of one chat."""
    group = f"beam100k-{number}"
    memories = [
        {
            "id": f"{group}/{message['id']}",
            "group": group,
            "session": batch["batch_number"],
            "turn": turn,
            "speaker": message["role"],
            "ts": message.get("time_anchor", ""),
            "kind": message.get("question_type", ""),
            "text": _PLAN_MARK.sub("", message["content"]),
        }
        for batch in chat
        for turn, messages in enumerate(batch["turns"])
        for message in messages
    ]
    there = {one["id"] for one in memories}
    questions = [(category, one) for category, some in asked.items() for one in some]
    queries = [
        {
            "id": f"{group}/q{place}",
            "group": group,
            "query": one["question"],
            "category": category,
            "topic": topic["category"],
            "answer": next((one[key] for key in ("answer", "ideal_answer", "ideal_response") if key in one), ""),
            "relevant": [
                name
                for name in dict.fromkeys(f"{group}/{source}" for source in _numbers(one.get("source_chat_ids", ())))
                if name in there
            ],
        }
        for place, (category, one) in enumerate(questions)
    ]
    return memories, queries


def _numbers(sources: object) -> Iterator[int]:
    """Yield the numbers of messages: a list, or lists by name."""
    if isinstance(sources, int):
        yield sources
    elif isinstance(sources, Mapping):
        for some in sources.values():  # pyright: ignore[reportUnknownVariableType] - JSON
            yield from _numbers(some)  # pyright: ignore[reportUnknownArgumentType] - JSON
    elif isinstance(sources, list):
        for some in sources:  # pyright: ignore[reportUnknownVariableType] - JSON
            yield from _numbers(some)  # pyright: ignore[reportUnknownArgumentType] - JSON


class _Message(msgspec.Struct):
    role: str
    content: str
    has_answer: bool = False


class _Question(msgspec.Struct):
    """A question of LongMemEval, with the sessions of its own in which the answer is to be found."""

    question_id: str
    question_type: str
    question: str
    answer: str | int
    haystack_dates: list[str]
    haystack_sessions: list[list[_Message]]


def longmemeval(original: bytes) -> Form:
    """Return the messages and the questions that are taken; what has an answer is what its authors marked so."""
    memories: list[dict[str, Any]] = []
    queries: list[dict[str, Any]] = []
    for asked in msgspec.json.decode(original, type=list[_Question])[::LONGMEMEVAL_EVERY]:
        group, relevant = asked.question_id, list[str]()
        for session, (date, said) in enumerate(zip(asked.haystack_dates, asked.haystack_sessions, strict=True), 1):
            at = datetime.strptime(date, "%Y/%m/%d (%a) %H:%M").isoformat()
            for turn, message in enumerate(said):
                name = f"{group}/{session}:{turn}"
                relevant += [name] if message.has_answer else []
                memories.append(
                    {
                        "id": name,
                        "group": group,
                        "session": session,
                        "ts": at,
                        "speaker": message.role,
                        "text": message.content,
                    }
                )
        queries.append(
            {
                "id": f"{group}/q",
                "group": group,
                "query": asked.question,
                "answer": str(asked.answer),
                # A question about what was never said has this at its end.
                "category": "abstention" if group.endswith("_abs") else asked.question_type,
                "relevant": relevant,
            }
        )
    return memories, queries
