"""Secrets, and how they are kept out of definitions, logs and results."""
