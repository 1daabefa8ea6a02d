"""What the whole client rests on: its errors, and where things are."""
