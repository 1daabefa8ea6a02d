"""One metered way to ask a model: deadline, breaker, budget and account in one place, whatever is asked."""
