"""Files that a memory names, and whether what they hold may be kept.

A memory names a file in `files`, or where its content quotes one: `cat .env`, a diff, a code block with a path for a
title. Prose that says what stands in a file (`notes.md says that ...`) is the user's to keep, and nobody else's; prose
that only mentions one (`.env is read by settings.py`) quotes nothing. What a model or a rule read out of a conversation
may be either, so it names no such file at all.
"""

import re
from collections.abc import Mapping

import msgspec

from memoryd_actors.redaction.rules import Variable

_PATH = r"[\"'`*]{0,3}(?P<path>[^\s\"'`<>|*?:;,()]{1,1024})[\"'`*]{0,3}"
_HEADERS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\s{{0,8}}(?:[$>#%]\s?)?(?:cat|bat|less|more|head|tail|type|get-content)\s(?:-\S{{1,8}}\s(?:\d{{1,6}}\s)?){{0,3}}{_PATH}\s{{0,2}}:?\s*",
        rf"\s{{0,8}}(?:\#{{1,6}}|//|--|;|/\*|\*\*|>)?\s{{0,3}}(?:file(?:name)?|path|source|contents?\sof|datei|inhalt\svon|fichier|"
        rf"contenu\sde)\s{{0,2}}:?\s{{0,2}}{_PATH}\s{{0,2}}:?\s{{0,2}}(?:\*/|\*\*)?\s*",
        rf"\s{{0,8}}(?:```|~~~)\s{{0,2}}(?:[\w+-]{{1,20}}[\s:]\s{{0,2}})?(?:(?:title|file|filename|path)=)?{_PATH}\s*",
        rf"(?:\+\+\+|---)\s(?:[ab]/)?{_PATH}(?:\s.{{0,80}})?",
        rf"diff\s--git\s(?:[ab]/)?{_PATH}\s.{{0,1100}}",
        rf"\s{{0,8}}<(?:file|document|source)\s+(?:path|name|src)={_PATH}\s*/?>.{{0,200}}",
        rf"\s{{0,8}}(?:\#{{1,6}}|//|--|\#|==>)?\s{{0,3}}{_PATH}(?:\s{{0,2}}:|\s<==)\s*",
        rf"\s{{0,8}}(?:\#{{1,6}}|//|--)\s{{0,3}}{_PATH}\s*",
    )
)
_PATH_LIKE = re.compile(r"(?:.*[/\\])?(?:\.[\w.-]+|[\w@+-][\w .@+-]*\.\w{1,12})|.*/.*", re.DOTALL)
_FILE = r"[\"'`*]{0,3}(?=[^\s\"'`<>|*?:;,()]{0,255}[./])[^\s\"'`<>|*?:;,()]{1,256}[\"'`*]{0,3}"
_FILE_SIGN = re.compile(r"\.[\w.-]|/")
"""What a path has. One text in 400 of a conversation has one, and looking for it takes 3% of the time of `_STATED`."""
_STATED = re.compile(
    rf"(?<![^\s\"'`*(])(?P<said>{_FILE})\s(?:has|says|contains|holds|lists|states|reads|stores|includes|defines|gives|tells|shows"
    r"|names|records|documents|keeps|mentions|enthält|sagt|nennt|contient|dit|contiene|dice)\b"
    rf"|(?:according\sto|as\s(?:written|noted|stated)\sin|laut|gemäß|selon|d'après|según)\s(?:the\s)?(?P<after>{_FILE})"
    rf"|(?:^|[.!?]\s)(?:in|from|im|dans|en)\s(?P<in>{_FILE})"
    rf"(?::\s|,?\s(?:we|I|it|they|there|is|stands|steht|wir|es|on|nous|il)\b)"
    rf"|(?:^|[.!?]\s)(?P<at>{_FILE}):\s",
    re.IGNORECASE | re.MULTILINE,
)
_LONGEST_PATH = 256
_LONGEST_LINE = 1_200
_MOST_SPACES = 24
"""Indentation and all that a header has before and after its path, but for those of diffs and tags."""
_LONG_HEADERS = ("diff", "+++", "---", " ", "<", "\t")

_ENVIRONMENT = re.compile(r"\.env(?:\.[\w.-]{1,64})?|\.envrc|[\w-]{1,64}\.env", re.IGNORECASE)
_TEMPLATE = re.compile(
    r"\.env\.(?:\w+\.)?(?:example|sample|template|dist|defaults?)|(?:example|sample|template)\.env", re.IGNORECASE
)
ENVIRONMENT_REASON = "which is an environment file"


class ProjectFiles(msgspec.Struct, frozen=True):
    """What a project says about files."""

    ignored: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Path, as the memory names it, to the reason why what it holds is not kept."""
    environment: tuple[Variable, ...] = ()
    """What stands in the project's environment files."""

    def why_not(self, path: str) -> str:
        """Return why what a file holds is not kept; empty where it may be."""
        return self.ignored.get(path, "") or (ENVIRONMENT_REASON if is_environment(path) else "")


NO_FILES = ProjectFiles()
"""Nothing is known about any file."""


def is_environment(path: str) -> bool:
    """Return whether a path is an environment file by its name; `.env.example` and its like are none."""
    name = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return _ENVIRONMENT.fullmatch(name) is not None and _TEMPLATE.fullmatch(name) is None


def quoted_files(content: str) -> tuple[str, ...]:
    """Return the files that a text quotes: a line names one, and another line follows."""
    return tuple(dict.fromkeys(filter(None, map(header_of, content.splitlines()[:-1]))))


def stated_files(content: str) -> tuple[str, ...]:
    """Return the files of which a text says in prose what stands in them."""
    if not _FILE_SIGN.search(content):
        return ()
    found = (match["said"] or match["after"] or match["in"] or match["at"] for match in _STATED.finditer(content))
    return tuple(dict.fromkeys(file for file in map(_bare, found) if _PATH_LIKE.fullmatch(file)))


def named_files(content: str) -> tuple[str, ...]:
    """Return all files that a text names, in whatever way."""
    words = (_bare(word) for word in content.split() if "." in word or "/" in word)
    likely = (word for word in words if len(word) <= _LONGEST_PATH and _PATH_LIKE.fullmatch(word))
    return tuple(dict.fromkeys((*quoted_files(content), *likely)))


def _bare(word: str) -> str:
    return word.strip("\"'`*()[]<>,;:!?").rstrip(".")


def header_of(line: str) -> str:
    """Return the file that a line names as that of what follows; empty where it names none."""
    if len(line) > _LONGEST_LINE or not ("." in line or "/" in line):
        return ""
    if line.count(" ") > _MOST_SPACES and not line.startswith(_LONG_HEADERS):
        return ""  # 100 µs per kB of prose become 20
    for header in _HEADERS:
        match = header.fullmatch(line)
        if match and _PATH_LIKE.fullmatch(match["path"]):
            return match["path"]
    return ""
