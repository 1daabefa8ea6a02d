"""What an agent sends of a conversation: what is always there, what was summarised, what is recent; within a budget."""

from memoryd_actors.context.building import ContextBuilder as ContextBuilder
from memoryd_actors.context.compacting import Compactor as Compactor
from memoryd_actors.context.counting import Counting as Counting
from memoryd_actors.context.sizes import Sizes as Sizes
from memoryd_actors.context.summary_store import SummaryStore as SummaryStore
from memoryd_actors.context.turn_summaries import TurnSummariser as TurnSummariser
from memoryd_actors.context.window import WindowSettings as WindowSettings

__all__ = ["Compactor", "ContextBuilder", "Counting", "Sizes", "SummaryStore", "TurnSummariser", "WindowSettings"]
