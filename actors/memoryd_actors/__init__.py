"""What the system does: the actors, the rules they follow, and the ports they need."""
