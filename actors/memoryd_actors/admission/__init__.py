"""The gate: what may be stored, and how a model has to write."""
