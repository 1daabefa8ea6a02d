"""Looks for what is wrong with an installation, with or without a running daemon, and changes nothing."""

from memoryd.doctor.examine import examine as examine
from memoryd.doctor.finding import Finding as Finding
from memoryd.doctor.finding import Level as Level
from memoryd.doctor.finding import rows as rows
from memoryd.doctor.finding import worst as worst

__all__ = ["Finding", "Level", "examine", "rows", "worst"]
