"""The providers of models, and which of them is configured."""

from memoryd.model.building import Chosen as Chosen
from memoryd.model.building import choose as choose

__all__ = ["Chosen", "choose"]
