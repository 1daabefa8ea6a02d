"""What of an event is written down: without what is private and what was recalled, secrets replaced, cut to size."""

import re

import msgspec

from memoryd_actors.admission.project_files import NO_FILES, ProjectFiles
from memoryd_actors.admission.withheld import without_files
from memoryd_actors.redaction import Rules, redacted
from memoryd_actors.texts.hidden import is_skipped, strip_unkept
from memoryd_client.wire.session_context import SUMMARY_OPENING
from memoryd_client.wire.transcripts import Entry

_ESCAPE = re.compile(r"\\\\|\\u([0-9a-fA-F]{4})")
MARGIN = 4_000
"""Characters read beyond a cut, for secrets only: one that the cut goes through is known by its beginning, and longer
than this is no key."""


def recorded(
    entry: Entry, rules: Rules, *, longest: int, seen: ProjectFiles = NO_FILES, withheld: str = ""
) -> Entry | None:
    """Return the entry as it is to be stored; None where nothing of it is.

    `seen` is what the project says of the files that it quotes, `withheld` why nothing of it is to be kept but that it
    was there.

    Of a content longer than `longest` characters the beginning is kept, with a marker that says how long it was.
    """
    if withheld:
        entry = msgspec.structs.replace(entry, content=f"[left out: {withheld}]", size=0)
    visible = strip_unkept(_unescaped(entry.content) if entry.kind == "tool_call" else entry.content)
    if is_skipped(visible) or (entry.role == "system" and visible.lstrip().startswith(SUMMARY_OPENING)):
        # A summary that comes back with a context was never said, and is in the transcript already.
        return None
    if seen.ignored or "env" in visible:
        visible = without_files(visible, entry.kind, seen)
    # A size that is no more than what is here says that nothing was cut off.
    cut = entry.size if entry.size > len(entry.content) else 0
    whole = max(len(visible), cut)
    name, call_id = redacted(entry.name, rules), redacted(entry.call_id, rules)
    if len(visible) <= longest and not cut:
        text = redacted(visible, rules)
    else:
        text = redacted(visible[: longest + MARGIN], rules)
        if len(visible) > longest + MARGIN or cut:
            # What the cut went through is within the margin, however short the secrets before it have become.
            text = text[:-MARGIN]
        # Once more: what a cut through code leaves of a tag in it counts as one wherever it is read again.
        text = f"{strip_unkept(text[:longest])}\n[cut: {whole} characters in all]"
    if not text.strip() and entry.kind == "message":
        return None
    if entry.kind == "tool_call":
        text = _one_line(text)
    return msgspec.structs.replace(
        entry,
        content=text,
        name=name,
        call_id=call_id,
        size=whole if whole > longest or cut else 0,
    )


def brought(entry: Entry, rules: Rules) -> Entry | None:
    """Return an entry that was written down elsewhere as it is to be stored here: gated again, not cut again.

    Of what `recorded` returned, it changes nothing.
    """
    visible = strip_unkept(entry.content)
    if is_skipped(visible) or (not visible.strip() and entry.kind == "message"):
        return None
    text = redacted(visible, rules)
    name, call_id = redacted(entry.name, rules), redacted(entry.call_id, rules)
    return msgspec.structs.replace(
        entry, content=_one_line(text) if entry.kind == "tool_call" else text, name=name, call_id=call_id
    )


def _unescaped(arguments: str) -> str:
    """Return JSON with its letters as such: an escape must not hide the word that leads to a secret."""
    return _ESCAPE.sub(_letter, arguments) if "\\u" in arguments else arguments


def _letter(escape: "re.Match[str]") -> str:
    letter = chr(int(escape[1], 16)) if escape[1] else ""
    return letter if letter.isalpha() else escape[0]


def _one_line(arguments: str) -> str:
    """Return arguments that are a JSON object without the white space between its parts, others as they are."""
    try:
        msgspec.json.decode(arguments, type=dict[str, msgspec.Raw])
        return msgspec.json.format(arguments, indent=-1)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return arguments
