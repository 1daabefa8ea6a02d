"""Which candidates are relevant: the local judge, and the remote one within deadline, breaker and budget."""
