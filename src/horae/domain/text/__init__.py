"""Validation of user input, and its error messages."""
