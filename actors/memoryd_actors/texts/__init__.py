"""What is done with any text: cleaning, fencing, splitting, stemming."""
