"""What destroys for good."""
