"""The providers of models, and which of them is configured."""

from memoryd.model.building import Chosen as Chosen
from memoryd.model.building import agent_state as agent_state
from memoryd.model.building import choose as choose

__all__ = ["Chosen", "agent_state", "choose"]
