"""The bytes of the wire stay: what an older side wrote is read by a newer one, and the other way round.

Lines of frames.txt are never changed; `python tests/frames.py` adds those of new messages.
"""

import msgspec
import pytest

from frames import FRAMES, samples
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.events import Event
from memoryd_client.wire.protocol import Answer, Envelope, encode

LINES = [line.split("\t") for line in FRAMES.read_text(encoding="utf-8").splitlines()]
KINDS: dict[str, object] = {"update": ContextUpdate, "request": Envelope, "reply": Answer, "event": Event}


@pytest.mark.parametrize(("name", "frame", "said"), LINES, ids=lambda text: text if len(text) < 60 else "")
def test_a_message_has_the_bytes_that_it_always_had(name: str, frame: str, said: str) -> None:
    kind = KINDS[name.split(maxsplit=1)[0]]
    message = msgspec.json.decode(said, type=kind)
    assert encode(message).hex() == frame
    assert msgspec.msgpack.decode(bytes.fromhex(frame), type=kind) == message


def test_every_message_is_pinned() -> None:
    assert {name for name, *_ in LINES} >= samples().keys()
