"""Long conversations told shortly: by a model, or in their own words where there is none."""

from memoryd_actors.summarising.local import LocalSummariser as LocalSummariser
from memoryd_actors.summarising.sidecar import SummarySettings as SummarySettings
from memoryd_actors.summarising.sidecar import SummarySidecar as SummarySidecar
from memoryd_actors.summarising.summary import EXTRACTED as EXTRACTED
from memoryd_actors.summarising.summary import KINDS_OF_FOCUS as KINDS_OF_FOCUS
from memoryd_actors.summarising.summary import Purpose as Purpose
from memoryd_actors.summarising.summary import Spoken as Spoken
from memoryd_actors.summarising.summary import Summariser as Summariser
from memoryd_actors.summarising.summary import Summary as Summary
from memoryd_actors.summarising.summary import said_of as said_of

__all__ = [
    "EXTRACTED",
    "KINDS_OF_FOCUS",
    "LocalSummariser",
    "Purpose",
    "Spoken",
    "Summariser",
    "Summary",
    "SummarySettings",
    "SummarySidecar",
    "said_of",
]
