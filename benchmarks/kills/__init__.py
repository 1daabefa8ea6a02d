"""What is left of what a daemon acknowledged when it is killed with -9 at any moment."""
