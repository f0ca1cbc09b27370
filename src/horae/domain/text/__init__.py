"""Checks on what people send, and the words in which it is refused."""
