"""Everything that a home keeps, into one archive and back; see docs/moving.md."""
