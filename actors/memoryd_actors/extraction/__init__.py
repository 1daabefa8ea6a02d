"""What of a conversation is worth remembering: the rules, and what they need to know of a conversation."""

from memoryd_actors.extraction.candidate import BY_RULE as BY_RULE
from memoryd_actors.extraction.candidate import TRUST as TRUST
from memoryd_actors.extraction.candidate import Extraction as Extraction
from memoryd_actors.extraction.candidate import capped as capped
from memoryd_actors.extraction.input_message import InputMessage as InputMessage
from memoryd_actors.extraction.input_message import input_messages as input_messages
from memoryd_actors.extraction.statements import stated as stated

__all__ = ["BY_RULE", "TRUST", "Extraction", "InputMessage", "capped", "input_messages", "stated"]
