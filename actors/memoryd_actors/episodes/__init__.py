"""What each run of a session was about and came to, told shortly when it is over."""

from memoryd_actors.episodes.episode import CATEGORY as CATEGORY
from memoryd_actors.episodes.episode import PATH as PATH
from memoryd_actors.episodes.episode_writer import EpisodeSettings as EpisodeSettings
from memoryd_actors.episodes.episode_writer import EpisodeWriter as EpisodeWriter

__all__ = ["CATEGORY", "PATH", "EpisodeSettings", "EpisodeWriter"]
