"""Whether every message that was said can be found."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from memoryd.config import Config
from memoryd.doctor.finding import Finding, fail, ok, quoted
from memoryd.doctor.generation import messages_index
from memoryd.doctor.transcripts import Looked
from memoryd_client.base.paths import Paths
from memoryd_client.base.wording import counted
from memoryd_client.wire.status import Status

if TYPE_CHECKING:
    import pyarrow as pa

NAME = "message index"
Key = tuple[str, str]


def indexed(paths: Paths, config: Config) -> Mapping[Key, set[int]] | str:
    """Return which entries of which sessions the index has, or why that cannot be told. Changes nothing; blocks.

    Raises:
        ModuleNotFoundError: the daemon's packages are missing.
    """
    from memoryd.index.importing import import_lancedb
    from memoryd.index.message_table import NAME as TABLE

    if config.index.url:
        return "it is in the object store of index.url, which was not called"
    if not (messages_index(paths) / f"{TABLE}.lance").exists():
        return {}
    try:
        table = import_lancedb().connect(str(messages_index(paths))).open_table(TABLE)
        query = table.search().select(["owner", "session", "sequence"])
        rows: pa.Table = query.limit(max(1, table.count_rows())).to_arrow()
    except Exception as exc:  # LanceDB's errors have no common root; whichever it is, the finding tells it
        return f"it cannot be read: {str(exc).splitlines()[0][:200]}"
    found: dict[Key, set[int]] = {}
    columns = (rows[name].to_pylist() for name in ("owner", "session", "sequence"))
    for owner, session, number in zip(*columns, strict=True):
        found.setdefault((owner, session), set()).add(number)
    return found


def examine_messages(
    folder: Path, sessions: list[Looked], there: Mapping[Key, set[int]] | str, status: Status | None
) -> Finding:
    """Compare what was said with what the index in the folder has."""
    aside = _aside(folder)
    if isinstance(there, str):
        return fail(NAME, there, aside) if "cannot be read" in there else ok(NAME, there)
    known = {
        (session.written.user_id, session.written.id): session.numbers
        for session in sessions
        if session.written is not None
    }
    later = holes = 0
    for key, numbers in known.items():
        has = there.get(key, set[int]())
        head = max(has, default=0)
        lacking = numbers - has
        later += sum(number > head for number in lacking)
        holes += sum(number < head for number in lacking)
    gone = sum(len(has) for key, has in there.items() if key not in known)
    counts = {"messages": sum(map(len, there.values())), "waiting": later, "missing": holes, "without_session": gone}
    if holes:
        what = f"it lacks {counted(holes, 'entry')} of transcripts, which no search finds"
        return Finding(NAME, "warn", what, aside, counts)
    if gone:
        what = f"it has {counted(gone, 'message')} of sessions that have no transcript"
        return Finding(NAME, "warn", what, aside, counts)
    if later:
        soon = "the daemon is at it" if status is not None else "the next start brings them in"
        return Finding(NAME, "ok", f"it lacks {counted(later, 'entry')} yet; {soon}", numbers=counts)
    return Finding(NAME, "ok", "everything that was said can be found", numbers=counts)


def _aside(folder: Path) -> str:
    moved = f"mv {quoted(folder)} {quoted(folder)}.aside"
    return f"memoryd stop; {moved}; memoryd start  # builds it from the transcripts"
