"""`memoryd ui`: memory as a person sees it, in a terminal. Needs the extra `ui`."""
