"""What a transcript does not hold: the content of files that the project leaves out or keeps its secrets in.

An agent reads a file in two steps, a call that names it and a result; a shell's output names it in a line of its own.
The name stays, what follows goes.
"""

import re
from collections.abc import Iterable
from typing import Literal

import msgspec

from memoryd_actors.admission.project_files import ProjectFiles, header_of
from memoryd_client.wire.transcripts import Entry

_PATH_KEYS = frozenset({"path", "file_path", "filepath", "filename", "file", "notebook_path", "target_file", "uri"})
_COMMAND_KEYS = frozenset({"command", "cmd", "script", "code"})
_READS = re.compile(
    r"(?:^|[\s;&|(])(?:cat|bat|less|more|head|tail|tac|nl|strings|xxd|od|hexdump|grep|egrep|rg|ag|sed|awk|cut|sort|jq|yq"
    r"|source|\.|type|get-content)\s(?P<rest>[^\n;&|]{1,1000})",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\s\"'`<>|;&]{1,1024}")
_FENCE = re.compile(r"\s{0,8}(?:```|~~~)")
_LONGEST_ARGUMENTS = 20_000
_decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_text = msgspec.json.Decoder(str).decode


def read_files(entry: Entry) -> tuple[str, ...]:
    """Return the files that a tool call reads or writes, as far as its arguments say so."""
    if entry.kind != "tool_call":
        return ()
    try:
        arguments = _decode(entry.content[:_LONGEST_ARGUMENTS])
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return ()
    found: dict[str, None] = {}
    for name, raw in arguments.items():
        key = name.casefold()
        if key not in _PATH_KEYS | _COMMAND_KEYS:
            continue
        try:
            value = _decode_text(raw)
        except msgspec.MsgspecError:
            continue
        if key in _PATH_KEYS:
            found[value] = None
        else:
            words = (_WORD.findall(read["rest"]) for read in _READS.finditer(value))
            found.update(dict.fromkeys(word for some in words for word in some if not word.startswith("-")))
    return tuple(found)


def reason(files: Iterable[str], seen: ProjectFiles) -> str:
    """Return which of the files is not to be kept, and why; empty where all may be."""
    return next((f"{file}, {why}" for file in files if (why := seen.why_not(file))), "")


def without_files(content: str, kind: Literal["message", "tool_call", "tool_result"] | str, seen: ProjectFiles) -> str:
    """Return a text without what it quotes of files that are not to be kept.

    A quotation goes to the end of its code block, or to the next line that names a file. In a message it ends with an
    empty line: somebody goes on speaking.
    """
    kept: list[str] = []
    found = hidden = False
    fences = 0
    lines = content.splitlines()
    for number, line in enumerate(lines):
        file = header_of(line)
        why = seen.why_not(file) if file else ""
        if fences:
            fences -= bool(_FENCE.match(line))
            hidden = fences > 0
            continue
        if why and number + 1 < len(lines):
            kept += (line, f"[left out: {file}, {why}]")
            found = hidden = True
            # Of a code block whose first line names the file, the end is to come; of one that follows, both ends.
            fences = 1 if _FENCE.match(line) else 2 if _FENCE.match(lines[number + 1]) else 0
            continue
        if file or (kind == "message" and not line.strip()):
            hidden = False
        if not hidden:
            kept.append(line)
    return "\n".join(kept) if found else content
