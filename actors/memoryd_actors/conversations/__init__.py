"""What was said: written down once, and found again."""
