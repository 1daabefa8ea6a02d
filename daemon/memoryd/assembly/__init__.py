"""Puts together what belongs together: memory, conversations, consolidation, upkeep, and who answers requests."""
