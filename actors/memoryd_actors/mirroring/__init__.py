"""Memories as Markdown files that people edit: what a file says, what it is called, and what a change of it does."""
