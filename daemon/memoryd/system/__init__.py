"""Life as a service of systemd: its units, and how they are installed."""
