"""The nouns: what memory is made of, and the pure rules on it."""
