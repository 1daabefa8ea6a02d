"""Ways of doing things, told once: `how we release: first ..., then ..., finally ...`."""

from memoryd_actors.admission.workflow import numbered
from memoryd_actors.capture.captured import Captured
from memoryd_actors.capture.kinds import is_everywhere
from memoryd_actors.memory.settings import PROCEDURAL
from memoryd_actors.texts.procedures import told_procedure


def procedure(message: str) -> Captured | None:
    """Return the procedure that a user's message tells; None where it is anything else."""
    told = told_procedure(message)
    if told is None or (content := numbered(told.text)) is None:
        return None
    return Captured(
        content=content,
        category=PROCEDURAL,
        asked="",
        everywhere=is_everywhere("", message),
        title=told.trigger.casefold(),
    )
