"""What of a conversation is worth remembering: the rules, and what they need to know of a conversation."""

from memoryd_actors.extraction.candidate import BY_RULE as BY_RULE
from memoryd_actors.extraction.candidate import TRUST as TRUST
from memoryd_actors.extraction.candidate import Candidate as Candidate
from memoryd_actors.extraction.candidate import capped as capped
from memoryd_actors.extraction.heard import Heard as Heard
from memoryd_actors.extraction.heard import heard as heard
from memoryd_actors.extraction.statements import stated as stated

__all__ = ["BY_RULE", "TRUST", "Candidate", "Heard", "capped", "heard", "stated"]
