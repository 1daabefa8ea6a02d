"""How much of what an agent needs to know is in its context, on days as persons type them."""
