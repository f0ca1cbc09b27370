"""What is wrong, for how long, and what to do about it."""
