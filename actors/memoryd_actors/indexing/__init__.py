"""The way of memories and messages into their indexes."""
