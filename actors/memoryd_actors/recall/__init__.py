"""From a context to what is handed over: the Memory actor, its steps, and the pure rules of each."""
