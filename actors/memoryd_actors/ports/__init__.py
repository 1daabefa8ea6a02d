"""What all of the system needs from outside. The daemon puts real adapters behind it; so do the tests."""
