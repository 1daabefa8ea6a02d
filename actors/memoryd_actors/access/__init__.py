"""Who sees what, and where memory is off."""
