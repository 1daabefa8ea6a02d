"""Public data are fetched once, checked each time, and kept only where they are what they are to be."""

import hashlib
import json
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from benchmarks.bench_data import SUMS, Source, bring_into_form, fetch, sources
from benchmarks.bench_forms import LONGMEMEVAL_EVERY, beam, locomo, longmemeval
from benchmarks.recall.data import moment, variants

from web_server import answering

TEXT = b"what somebody said\n"
DIGEST = hashlib.sha256(TEXT).hexdigest()


@contextmanager
def public_place(files: dict[str, bytes], told: str = "") -> Generator[tuple[str, list[str]]]:
    """Yield an address that serves files, and what was asked for; `told` is the digest that it claims."""
    asked: list[str] = []

    class Server(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            body = files.get(self.path)
            self.send_response(404 if body is None else 200)
            if body is not None:
                self.send_header("Content-Length", str(len(body)))
                if told:
                    self.send_header("X-Linked-Etag", f'"{told}"')
            self.end_headers()
            self.wfile.write(body or b"")

    with answering(Server) as url:
        yield url, asked


def quiet(text: str) -> None:
    """Say nothing."""


def test_a_file_is_fetched_once_and_checked_from_then_on(tmp_path: Path) -> None:
    with public_place({"/a": TEXT}) as (url, asked):
        wanted = [Source("original/a.json", f"{url}/a")]
        assert fetch(tmp_path, wanted, quiet) == []
        assert (tmp_path / "original" / "a.json").read_bytes() == TEXT
        assert (tmp_path / SUMS).read_text() == f"{DIGEST}  original/a.json\n"
        assert fetch(tmp_path, wanted, quiet) == []
        assert asked == ["/a"]
        (tmp_path / "original" / "a.json").write_bytes(b"something else")
        (trouble,) = fetch(tmp_path, wanted, quiet)
        assert DIGEST in trouble
        assert "delete it and fetch it again" in trouble


def test_what_does_not_fit_its_digest_or_is_not_there_is_not_kept(tmp_path: Path) -> None:
    with public_place({"/a": TEXT}) as (url, _):
        wanted = [Source("a.json", f"{url}/a", sha256="0" * 64), Source("b.json", f"{url}/b")]
        troubles = fetch(tmp_path, wanted, quiet)
        assert [trouble.partition(":")[0] for trouble in troubles] == ["a.json", "b.json"]
        assert "404" in troubles[1]
        assert [file.name for file in tmp_path.iterdir()] == []
    with public_place({"/a": TEXT}, told="1" * 64) as (url, _):
        (trouble,) = fetch(tmp_path, [Source("a.json", f"{url}/a")], quiet)
        assert "1" * 64 in trouble
    with public_place({"/a": TEXT}, told=DIGEST) as (url, _):
        assert fetch(tmp_path, [Source("a.json", f"{url}/a", sha256=DIGEST)], quiet) == []


def test_a_place_that_cannot_be_reached_is_asked_once_and_said_in_a_line_for_each_set(tmp_path: Path) -> None:
    with public_place({}) as (url, _):
        pass  # nobody answers there any more
    names = ["original/locomo/a.json", *(f"original/beam/{n}/chat.json" for n in range(1, 21))]
    troubles = fetch(tmp_path, [Source(name, f"{url}/{name}") for name in names], quiet)
    assert [trouble.partition(" cannot be reached")[0].partition(":")[0] for trouble in troubles] == ["locomo", "beam"]
    assert "so 20 files are missing" in troubles[1]
    assert str(tmp_path / "original" / "beam") in troubles[1]


def test_all_three_sets_have_a_place_with_its_commit_or_hub() -> None:
    urls = [source.url for source in sources()]
    assert len(urls) == len(set(urls)) == 63
    assert all(url.startswith(("https://raw.githubusercontent.com/", "https://huggingface.co/")) for url in urls)


def test_a_conversation_is_brought_into_the_form_that_is_measured(tmp_path: Path) -> None:
    sample = {
        "sample_id": "conv-26",
        "conversation": {
            "speaker_a": "Ana",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ana", "dia_id": "D1:1", "text": "The ferry is late."},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a ferry", "img_url": ["x"]},
            ],
        },
        "qa": [
            {"question": "What is late?", "answer": "the ferry", "evidence": ["D:1:1; D1:02", "D9:9"], "category": 4},
            {"question": "Who flies?", "adversarial_answer": "Ben", "evidence": [], "category": 5},
        ],
    }
    memories, queries = locomo([sample, {**sample, "sample_id": "conv-43"}])
    assert [one["id"] for one in memories] == ["conv-26/D1:1", "conv-26/D1:2"]
    assert (memories[1]["ts"], memories[1]["caption"]) == ("2023-05-08T13:56:00", "a ferry")
    assert queries[0]["relevant"] == ["conv-26/D1:1", "conv-26/D1:2"]
    assert [one["category"] for one in queries] == ["single-hop", "adversarial"]
    original = tmp_path / "original" / "locomo"
    original.mkdir(parents=True)
    (original / "locomo10.json").write_text(json.dumps([sample]))
    said: list[str] = []
    bring_into_form(tmp_path, said.append)
    assert len((tmp_path / "locomo" / "memories.jsonl").read_text().splitlines()) == 2
    assert all("not as measured" in line for line in said)


def test_a_chat_of_beam_is_brought_into_that_form_without_the_marks_of_its_plan() -> None:
    chat = [
        {
            "batch_number": 2,
            "turns": [
                [
                    {
                        "role": "user",
                        "id": 0,
                        "time_anchor": "March-15-2024",
                        "index": "2,1",
                        "question_type": "main_question",
                        "content": "The ferry sails at nine. ->-> 2,1",
                    },
                    {"role": "assistant", "id": 1, "content": "Noted."},
                ],
                [{"role": "user", "id": 2, "question_type": "main_question", "content": "Now at ten. ->-> 2,2"}],
            ],
        }
    ]
    asked: dict[str, list[dict[str, Any]]] = {
        "abstention": [{"question": "Who sails?", "ideal_response": "Nobody said."}],
        "knowledge_update": [
            {
                "question": "When does it sail?",
                "answer": "At ten",
                "source_chat_ids": {"original_info": [0, 99], "updated_info": [2, 0]},
            }
        ],
        "summarization": [{"question": "Sum it up.", "ideal_summary": "It sails.", "source_chat_ids": [0, 1]}],
    }
    memories, queries = beam(7, chat, {"category": "Travel"}, asked)
    assert memories[0] == {
        "id": "beam100k-7/0",
        "group": "beam100k-7",
        "session": 2,
        "turn": 0,
        "speaker": "user",
        "ts": "March-15-2024",
        "kind": "main_question",
        "text": "The ferry sails at nine.",
    }
    assert [(one["turn"], one["text"]) for one in memories[1:]] == [(0, "Noted."), (1, "Now at ten.")]
    assert [(one["id"], one["answer"], one["relevant"]) for one in queries] == [
        ("beam100k-7/q0", "Nobody said.", []),
        ("beam100k-7/q1", "At ten", ["beam100k-7/0", "beam100k-7/2"]),
        ("beam100k-7/q2", "", ["beam100k-7/0", "beam100k-7/1"]),
    ]


def test_of_longmemeval_every_tenth_question_is_read_with_sessions_of_its_own(tmp_path: Path) -> None:
    def question(number: int) -> dict[str, object]:
        return {
            "question_id": f"q{number}" + ("_abs" if number == LONGMEMEVAL_EVERY else ""),
            "question_type": "single-session-user",
            "question": "When does the ferry sail?",
            "question_date": "2023/05/30 (Tue) 23:40",
            "answer": 9,
            "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 00:51"],
            "haystack_session_ids": ["a", "b"],
            "answer_session_ids": ["b"],
            "haystack_sessions": [
                [{"role": "user", "content": "Hello."}],
                [
                    {"role": "user", "content": "It sails at nine.", "has_answer": True},
                    {"role": "assistant", "content": "Noted.", "has_answer": False},
                ],
            ],
        }

    original = json.dumps([question(number) for number in range(LONGMEMEVAL_EVERY + 1)]).encode()
    memories, queries = longmemeval(original)
    assert [one["id"] for one in memories[:3]] == ["q0/1:0", "q0/2:0", "q0/2:1"]
    assert [(one["id"], one["category"], one["relevant"]) for one in queries] == [
        ("q0/q", "single-session-user", ["q0/2:0"]),
        ("q10_abs/q", "abstention", ["q10_abs/2:0"]),
    ]
    folder = tmp_path / "original" / "longmemeval"
    folder.mkdir(parents=True)
    (folder / "longmemeval_s_cleaned.json").write_bytes(original)
    bring_into_form(tmp_path, quiet)
    whole, of_users = variants(tmp_path, ["longmemeval"])
    assert [len(whole.messages), len(of_users.messages), len(whole.answerable())] == [6, 4, 1]
    assert {moment(one.ts) is None for one in whole.messages} == {False}
