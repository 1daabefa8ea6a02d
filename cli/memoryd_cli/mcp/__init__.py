"""`memoryd mcp`: memory for whatever speaks the Model Context Protocol, over stdin and stdout."""
