"""Writes: what arrives meets what is there, as steps of an operation."""
