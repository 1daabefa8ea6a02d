"""Puts together what belongs together: who judges, what follows a conversation, what is done once a day."""

from memoryd.assembly.consolidation import ConsolidationServices as ConsolidationServices
from memoryd.assembly.consolidation import build_consolidation as build_consolidation
from memoryd.assembly.conversations import ConversationServices as ConversationServices
from memoryd.assembly.judging import Judging as Judging
from memoryd.assembly.judging import build_judging as build_judging

__all__ = ["ConsolidationServices", "ConversationServices", "Judging", "build_consolidation", "build_judging"]
