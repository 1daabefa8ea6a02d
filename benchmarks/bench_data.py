"""`python -m benchmarks.bench_data FOLDER`: fetch LoCoMo, BEAM and LongMemEval from their public places, and keep them.

What is there already is not fetched again. Of what lies on GitHub a commit is part of the address; the model hub says
itself which digest a large file has. Each digest is put down in FOLDER/SHA256SUMS with the first fetch and checked from
then on. A file that does not fit is not kept. All three are brought into the form that `make bench-recall` reads; of
LoCoMo and BEAM that is compared with the form in which the figures of the README were measured.

The licences are their authors': LoCoMo CC BY-NC 4.0, BEAM CC BY-SA 4.0, LongMemEval MIT.
"""

import argparse
import hashlib
import json
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks import bench_forms as forms

CHUNK = 1 << 20
TIMEOUT_S = 60
SUMS = "SHA256SUMS"
_GITHUB = "https://raw.githubusercontent.com"
_LOCOMO = f"{_GITHUB}/snap-research/locomo/3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376/data"
_BEAM = f"{_GITHUB}/mohammadtavakoli78/BEAM/b2a3ee8ba12d68f83143dda191097dc3e028ddd3/chats/100K"
_LONGMEMEVAL = "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/main"
MEASURED = {
    "locomo/memories": "2202f99c017e56ff2871596d425c1aec1c71d8e0c7f224be0a7095fc33524d82",
    "locomo/queries": "fb769be69c73babc52606c54ca8ebf9651e849c506cfe8f3c0c9beac145e4969",
    "beam100k/memories": "e4ba7d6c80470bf2a726cbc4c70f7c2709797b6644bab752edb88c66df6b1e40",
    "beam100k/queries": "00b3dc9f5b1eef2b68a8735a752e64d4ca4e6f45947dcd13b0691c79511adf87",
}
"""SHA-256 of the records, each as JSON with its keys in order, of what the README's figures were measured on."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file and where it comes from."""

    path: str
    """Within the folder."""
    url: str
    sha256: str = ""
    """Empty: not known before the first fetch."""


def sources() -> list[Source]:
    """Return all files, with their public places."""
    return [
        Source("original/locomo/locomo10.json", f"{_LOCOMO}/locomo10.json"),
        *(Source(f"original/beam/{name}", f"{_BEAM}/{name}") for n in range(1, 21) for name in beam_files(n)),
        Source("original/longmemeval/longmemeval_s_cleaned.json", f"{_LONGMEMEVAL}/longmemeval_s_cleaned.json"),
        Source("original/longmemeval/longmemeval_oracle.json", f"{_LONGMEMEVAL}/longmemeval_oracle.json"),
    ]


class Unfit(Exception):
    """Raised when a file is not what it is to be; the message says which, and what to do."""


def fetch(folder: Path, wanted: Iterable[Source], say: Callable[[str], None] = print) -> list[str]:
    """Fetch what is missing and check everything; return what could not be had, in words.

    A place that cannot be reached is asked once, and said in one line for each set of data.
    """
    known = _read_sums(folder)
    troubles: list[str] = []
    missing: dict[tuple[str, str], int] = {}
    reasons: dict[str, str] = {}
    for source in wanted:
        target = folder / source.path
        expected = source.sha256 or known.get(source.path, "")
        data, place = source.path.removeprefix("original/").partition("/")[0], urlsplit(source.url).netloc
        digest = ""
        try:
            if target.is_file():
                _check(source, expected, _digest(target))
                continue
            if place not in reasons:
                digest = _download(source, target, expected)
        except (Unfit, OSError) as trouble:
            if not _is_away(trouble):
                troubles.append(f"{source.path}: {trouble}")
                continue
            reasons[place] = str(getattr(trouble, "reason", trouble))
        if not digest:
            missing[data, place] = missing.get((data, place), 0) + 1
            continue
        known[source.path] = digest
        _write_sums(folder, known)
        say(f"{source.path}  {target.stat().st_size:,} bytes  {'checked' if expected else 'digest put down'}")
    return troubles + [
        f"{data}: {place} cannot be reached ({reasons[place]}), so {count} file{'s are' if count > 1 else ' is'} "
        f"missing; run this again with a network, or put what you have below {folder / 'original' / data}"
        for (data, place), count in missing.items()
    ]


def _is_away(trouble: Exception) -> bool:
    """Return whether no file can be had from the place that was asked, not only this one."""
    if isinstance(trouble, urllib.error.HTTPError):
        return trouble.code != 404 and (trouble.code in {401, 403, 407, 429} or trouble.code >= 500)
    return isinstance(trouble, (urllib.error.URLError, TimeoutError, ConnectionError))


def _download(source: Source, target: Path, expected: str) -> str:
    """Fetch a file whole or not at all; return its digest.

    Raises:
        Unfit: it is not what it is to be.
        OSError: it cannot be fetched, or written.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    digest = hashlib.sha256()
    try:
        with urllib.request.urlopen(source.url, timeout=TIMEOUT_S) as answer, part.open("wb") as file:  # noqa: S310 - our own addresses
            told = str(answer.headers.get("X-Linked-Etag", "")).strip('"')
            length = int(answer.headers.get("Content-Length") or -1)
            while chunk := answer.read(CHUNK):
                digest.update(chunk)
                file.write(chunk)
        if 0 <= length != part.stat().st_size:
            raise Unfit(f"{part.stat().st_size} of {length} bytes came; try again")
        # The model hub says itself which digest a large file has.
        _check(source, expected or (told if re.fullmatch(r"[0-9a-f]{64}", told) else ""), digest.hexdigest())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return digest.hexdigest()


def _check(source: Source, expected: str, digest: str) -> None:
    if expected and digest != expected:
        raise Unfit(f"its SHA-256 is {digest} and has to be {expected}; delete it and fetch it again from {source.url}")


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _read_sums(folder: Path) -> dict[str, str]:
    file = folder / SUMS
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return {path: digest for digest, path in (line.split("  ", 1) for line in lines)}


def _write_sums(folder: Path, known: Mapping[str, str]) -> None:
    text = "".join(f"{digest}  {path}\n" for path, digest in sorted(known.items()))
    (folder / SUMS).write_text(text, encoding="utf-8")


# --- in the form of `benchmarks/recall/data.py`


def digest_of(records: Iterable[Mapping[str, Any]]) -> str:
    """Return what tells whether two sets have the same records, in the same order."""
    digest = hashlib.sha256()
    for record in records:
        digest.update(json.dumps(record, sort_keys=True, ensure_ascii=False).encode() + b"\n")
    return digest.hexdigest()


def bring_into_form(folder: Path, say: Callable[[str], None] = print) -> None:
    """Write what was fetched as `make bench-recall` reads it, and say whether the README's figures come from that."""
    original = folder / "original"
    locomo, beam = original / "locomo" / "locomo10.json", original / "beam"
    longmemeval = original / "longmemeval" / "longmemeval_s_cleaned.json"
    if locomo.is_file():
        _write(folder / "locomo", forms.locomo(json.loads(locomo.read_text(encoding="utf-8"))), say)
    if chats := [
        number for number in forms.BEAM_DEVELOPMENT if all((beam / name).is_file() for name in beam_files(number))
    ]:
        whole = [
            forms.beam(number, *(json.loads((beam / name).read_text(encoding="utf-8")) for name in beam_files(number)))
            for number in chats
        ]
        _write(
            folder / "beam100k",
            ([one for said, _ in whole for one in said], [one for _, asked in whole for one in asked]),
            say,
        )
    if longmemeval.is_file():
        _write(folder / "longmemeval", forms.longmemeval(longmemeval.read_bytes()), say)


def beam_files(number: int) -> list[str]:
    """Return where the files of one chat of BEAM lie: what was said, what about, what is asked."""
    return [f"{number}/{name}" for name in ("chat.json", "topic.json", "probing_questions/probing_questions.json")]


def _write(target: Path, form: forms.Form, say: Callable[[str], None]) -> None:
    target.mkdir(exist_ok=True)
    for name, records in zip(("memories", "queries"), form, strict=True):
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        (target / f"{name}.jsonl").write_text(text, encoding="utf-8")
        measured = MEASURED.get(f"{target.name}/{name}", "")
        same = "as measured" if digest_of(records) == measured else "not as measured: figures may differ a little"
        say(f"{target.name}/{name}.jsonl  {len(records)} records{f'  {same}' if measured else ''}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Fetch, check, keep."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_data", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the data are kept")
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    troubles = fetch(given.folder, sources())
    bring_into_form(given.folder)
    for trouble in troubles:
        print(trouble, file=sys.stderr)
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main())
