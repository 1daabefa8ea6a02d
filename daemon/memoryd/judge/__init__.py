"""The remote judge: a model behind Anthropic's Messages API. The SDK is loaded when it is first needed."""

from memoryd.judge.anthropic_extraction import AnthropicExtraction as AnthropicExtraction
from memoryd.judge.anthropic_insights import AnthropicInsights as AnthropicInsights
from memoryd.judge.anthropic_judge import AnthropicJudge as AnthropicJudge
from memoryd.judge.anthropic_judge import build_judge as build_judge
from memoryd.judge.anthropic_pairs import AnthropicPairs as AnthropicPairs
from memoryd.judge.anthropic_summaries import AnthropicSummaries as AnthropicSummaries

__all__ = [
    "AnthropicExtraction",
    "AnthropicInsights",
    "AnthropicJudge",
    "AnthropicPairs",
    "AnthropicSummaries",
    "build_judge",
]
