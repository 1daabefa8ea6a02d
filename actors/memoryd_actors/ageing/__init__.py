"""What becomes of memories with time."""
