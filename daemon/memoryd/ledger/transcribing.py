"""What was said, as rows: one for each transcript, with what is known of it, and one for each of its lines.

Every change has a number, given out under the lock that the ledger's writers hold until they commit: whoever reads on
from the last number that it knows misses none.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec
from sqlalchemy import ARRAY, BigInteger, ColumnElement, Connection, any_, delete, func, insert, literal, select, update

from memoryd.ledger.batches import batches
from memoryd.ledger.rows import to_micros
from memoryd.ledger.sharing import tell, telling
from memoryd.ledger.tables import entries, erased_transcripts, transcripts
from memoryd.transcripts.lines import decode_line, encoded, record, reworded
from memoryd.transcripts.metadata import Metadata
from memoryd.transcripts.seen import short_id
from memoryd_actors.core.errors import OutOfStep
from memoryd_actors.ports.transcripts import Kept, Key, Stored, TranscriptNews, digest_of
from memoryd_actors.texts.characters import clean
from memoryd_actors.upkeep.sharing import Notice
from memoryd_client.wire.transcripts import TranscriptRecord

_AT_ONCE = 64
"""Lines that are fetched in one go where a reader may have enough after some."""
_ROWS = 500
"""In one statement."""
_about = msgspec.json.Decoder(Metadata).decode


class SharedTranscript(msgspec.Struct, frozen=True):
    """A transcript as its row has it."""

    key: Key
    number: int
    """0: there is none yet."""
    about: Metadata


class EntryRow(msgspec.Struct, frozen=True):
    """A line on its way into a transcript."""

    text: bytes
    """Without its end of line."""
    sequence: int | None
    """None where it cannot be read."""
    entry_id: str = ""


def find(connection: Connection, key: Key) -> SharedTranscript:
    """Return what is known of a transcript; where there is none, what would be of a new one."""
    row = connection.execute(select(transcripts.c.number, transcripts.c.about).where(_named(key))).first()
    return _shared(key, *(row or (None, None)))


def append(
    connection: Connection, key: Key, given: Sequence[Kept], *, project: str, agent: str, after: int | None
) -> Stored:
    """Add the entries whose ids are new; see `memoryd_actors.ports.transcripts.Transcripts`."""
    found, there, changed = _known(connection, key, [stored_id(kept.entry.id) for kept in given])
    about = found.about
    if after is not None and about.last != after:
        raise OutOfStep(f"the session {key[1]!r} goes on to entry {about.last}, not {after}")
    fresh: dict[str, Kept] = {}
    for kept in given:
        if stored_id(kept.entry.id) not in there:
            fresh.setdefault(kept.entry.id, kept)
    if not fresh:
        return Stored(about.last, 0, len(given))
    if not all(kept.covers for kept in fresh.values()):
        # A summary is spoken from nowhere.
        about.project = project
        about.spoke(agent)
    rows: list[EntryRow] = []
    for sequence, kept in enumerate(fresh.values(), start=about.last + 1):
        text = encoded(kept, sequence).removesuffix(b"\n")
        about.count(decode_line(text))
        rows.append(EntryRow(text, sequence, kept.entry.id))
    _add(connection, found, rows, changed + 1)
    return Stored(about.last, len(fresh), len(given) - len(fresh))


def add(connection: Connection, found: SharedTranscript, rows: Iterable[EntryRow]) -> None:
    """Add lines at the end of a transcript; what is known of it now is put down with them."""
    _add(connection, found, rows, _newest(connection) + 1)


def _add(connection: Connection, found: SharedTranscript, rows: Iterable[EntryRow], changed: int) -> None:
    number, about = found.number, found.about
    values = {
        "last": about.last,
        "updated_at": None if about.updated_at is None else to_micros(about.updated_at),
        "changed": changed,
        "about": msgspec.json.encode(about),
    }
    told = telling(connection, Notice.SAID, changed)
    if number:
        written = update(transcripts).where(transcripts.c.number == number).values(**values)
        connection.execute(written.returning(*told) if told else written)
    else:
        name = {"owner": clean(found.key[0]), "session": clean(found.key[1])}
        new = insert(transcripts).values(**name, **values).returning(transcripts.c.number, *told)
        number = connection.execute(new).scalar_one()
    rest = iter(rows)
    while some := [_values(number, row) for row in islice(rest, _ROWS)]:
        connection.execute(insert(entries), some)


def _known(connection: Connection, key: Key, short_ids: Sequence[int]) -> tuple[SharedTranscript, set[int], int]:
    """Return a transcript, which of these ids it has, and the number of the newest change, all asked for at once."""
    there = select(func.array_agg(entries.c.short_id))
    # One value, however many they are: a statement has room for 65,535.
    named = any_(literal(list(short_ids), ARRAY(BigInteger)))
    there = there.where(entries.c.transcript == transcripts.c.number, entries.c.short_id == named)
    newest = select(*_last_changes()).subquery()
    query = select(transcripts.c.number, transcripts.c.about, there.scalar_subquery().label("there"), *newest.c)
    row = connection.execute(query.select_from(newest.outerjoin(transcripts, _named(key)))).one()
    return _shared(key, row.number, row.about), set(row.there or ()), max(row.said, row.erased)


def known(connection: Connection, found: SharedTranscript, ids: Sequence[str]) -> set[int]:
    """Return which of these ids a transcript has, as it stores them."""
    there: set[int] = set()
    for some in batches([stored_id(entry_id) for entry_id in ids]):
        query = select(entries.c.short_id)
        query = query.where(entries.c.transcript == found.number, entries.c.short_id.in_(some))
        there.update(connection.execute(query).scalars())
    return there


def stored_id(entry_id: str) -> int:
    """Return an id as it is stored: databases have no unsigned numbers."""
    return short_id(entry_id) - 2**63


def read(connection: Connection, key: Key, *, after: int, limit: int, characters: int) -> list[TranscriptRecord]:
    """Return entries after that number; see the port."""
    query = select(entries.c.line).join(transcripts, transcripts.c.number == entries.c.transcript)
    query = query.where(_named(key), entries.c.sequence > after).order_by(entries.c.sequence).limit(limit)
    if limit > _AT_ONCE:
        query = query.execution_options(yield_per=_AT_ONCE)
    found: list[TranscriptRecord] = []
    with connection.execute(query) as lines:
        for text in lines.scalars():
            entry = record(decode_line(text), key[1])
            characters -= len(entry.content)
            if found and characters < 0:
                break
            found.append(entry)
    return found


def get(connection: Connection, key: Key, sequences: Sequence[int]) -> dict[int, TranscriptRecord]:
    """Return the entries with these numbers, those that there are."""
    found: dict[int, TranscriptRecord] = {}
    for some in batches(sorted(set(sequences))):
        query = select(entries.c.line).join(transcripts, transcripts.c.number == entries.c.transcript)
        query = query.where(_named(key), entries.c.sequence.in_(some))
        for text in connection.execute(query).scalars():
            entry = record(decode_line(text), key[1])
            found[entry.sequence] = entry
    return found


def last(connection: Connection, key: Key) -> int:
    """Return the number of the newest entry; 0 where there is none."""
    return connection.execute(select(transcripts.c.last).where(_named(key))).scalar() or 0


def listed(connection: Connection, owner: str, limit: int, offset: int) -> list[Metadata]:
    """Return what is known of an owner's sessions, the latest first."""
    query = select(transcripts.c.about).where(
        transcripts.c.owner == clean(owner), transcripts.c.updated_at.is_not(None)
    )
    query = query.order_by(transcripts.c.updated_at.desc(), transcripts.c.session.desc()).limit(limit).offset(offset)
    return [_about(about) for about in connection.execute(query).scalars()]


def everything(connection: Connection) -> list[SharedTranscript]:
    """Return what is known of every session of every owner."""
    query = select(transcripts).order_by(transcripts.c.number)
    return [
        SharedTranscript((row.owner, row.session), row.number, _about(row.about)) for row in connection.execute(query)
    ]


def lines(connection: Connection, number: int) -> Iterator[bytes]:
    """Yield every line of a transcript in its order, those that cannot be read as well."""
    query = select(entries.c.line).where(entries.c.transcript == number).order_by(entries.c.number)
    yield from connection.execute(query.execution_options(yield_per=500)).scalars()


def unreadable(connection: Connection, number: int) -> set[bytes]:
    """Return the lines of a transcript that cannot be read."""
    query = select(entries.c.line).where(entries.c.transcript == number, entries.c.sequence.is_(None))
    return set(connection.execute(query).scalars())


def heads(connection: Connection, after: int = 0) -> dict[Key, int]:
    """Return the number of the newest entry of every session that has changed since that change."""
    query = select(transcripts.c.owner, transcripts.c.session, transcripts.c.last).where(transcripts.c.changed > after)
    return {(row.owner, row.session): row.last for row in connection.execute(query)}


def news(connection: Connection, after: int) -> TranscriptNews:
    """Return what has changed since that change; see the port."""
    newest = _newest(connection)
    if newest <= after:
        return TranscriptNews(newest)
    erased = select(erased_transcripts.c.digest).where(erased_transcripts.c.changed > after)
    return TranscriptNews(newest, heads(connection, after), frozenset(connection.execute(erased).scalars()))


def erase(connection: Connection, key: Key, sequences: Iterable[int]) -> int:
    """Take the words out of the entries with these numbers; return how many had some."""
    found = find(connection, key)
    count = 0
    for some in batches(sorted(set(sequences))):
        query = select(entries.c.number, entries.c.line)
        query = query.where(entries.c.transcript == found.number, entries.c.sequence.in_(some))
        for row in connection.execute(query).all():
            entry = record(decode_line(row.line), key[1])
            if entry.content:
                text = reworded(entry, "").removesuffix(b"\n")
                connection.execute(update(entries).where(entries.c.number == row.number).values(line=text))
                count += 1
    if count:
        note_erased(connection, key)
    return count


def purge(connection: Connection, key: Key) -> int:
    """Delete a transcript; return how many entries it had."""
    found = find(connection, key)
    if found.number:
        # First: the number of its own last change may be the highest one.
        note_erased(connection, key)
        connection.execute(delete(entries).where(entries.c.transcript == found.number))
        connection.execute(delete(transcripts).where(transcripts.c.number == found.number))
    return found.about.entry_count


def _values(number: int, row: EntryRow) -> dict[str, object]:
    short = None if row.sequence is None else stored_id(row.entry_id)
    return {"transcript": number, "sequence": row.sequence, "short_id": short, "line": row.text}


def note_erased(connection: Connection, key: Key) -> None:
    """Have every daemon destroy what its index has of a session, and take in anew what there is of it still."""
    changed, digest = _newest(connection) + 1, digest_of(key)
    connection.execute(update(transcripts).where(_named(key)).values(changed=changed))
    connection.execute(delete(erased_transcripts).where(erased_transcripts.c.digest == digest))
    connection.execute(insert(erased_transcripts), {"digest": digest, "changed": changed})
    tell(connection, Notice.SAID, changed)


def _newest(connection: Connection) -> int:
    """Return the number of the newest change."""
    return max(map(int, connection.execute(select(*_last_changes())).one()))


def _last_changes() -> list[ColumnElement[int]]:
    changes = {"said": transcripts.c.changed, "erased": erased_transcripts.c.changed}
    return [
        select(func.coalesce(func.max(column), 0)).scalar_subquery().label(name) for name, column in changes.items()
    ]


def _shared(key: Key, number: int | None, about: bytes | None) -> SharedTranscript:
    known_of_it = Metadata(id=clean(key[1]), user_id=clean(key[0])) if about is None else _about(about)
    return SharedTranscript(key, number or 0, known_of_it)


def _named(key: Key) -> ColumnElement[bool]:
    return (transcripts.c.owner == clean(key[0])) & (transcripts.c.session == clean(key[1]))
