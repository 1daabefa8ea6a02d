"""Standing instructions: what a user tells the assistant to do from now on, without asking to have it remembered.

A message of one or two short sentences, of which the first, after an `ok` or `good`, says `always`, `never` or `from
now on` and tells the assistant what to do. Among people the same words cheer up (`never give up`) and recount (`never
had the chance`): what tells them apart is the verb, which has to be one of an assistant's work, and that nothing else
is said.
"""

from memoryd_actors.capture.captured import Captured, says_something
from memoryd_actors.capture.instructions import instructs, lead
from memoryd_actors.capture.kinds import is_everywhere
from memoryd_actors.memory.settings import RULE
from memoryd_actors.texts.quoted import told_apart
from memoryd_actors.texts.sentences import is_question, sentences

LONGEST = 300
"""Characters of an instruction; a longer message describes a task, in which such words hold for the task only."""
MOST_SENTENCES = 2


def standing_instruction(message: str) -> Captured | None:
    """Return the standing instruction that a user's message is; None where it is anything else.

    The message without secrets and hidden blocks, as for `explicit`. Nothing is captured from a message that shows
    something besides: it speaks of what it shows.
    """
    if len(message) > LONGEST:
        return None
    told = told_apart(message)
    parts = sentences(told.said)
    if told.shown or not 1 <= len(parts) <= MOST_SENTENCES or any(is_question(part.bare) for part in parts):
        return None
    if len(parts) > 1 and lead(parts[0].bare) == len(parts[0].bare):
        parts = parts[1:]  # `Good. From now on ...`
    begins = lead(parts[0].bare)
    content = told.said[parts[0].start + begins :].strip()
    if not instructs(parts[0].bare[begins:]) or not says_something(content):
        return None
    return Captured(content=content, category=RULE, asked="", everywhere=is_everywhere("", content))
