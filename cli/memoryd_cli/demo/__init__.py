"""A real daemon, a real conversation, and what came of every turn."""
