"""Folders of Markdown files that are kept in step with memory, in both directions."""
