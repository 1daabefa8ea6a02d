"""Connects the agents that people use to the daemon, and disconnects them again."""
