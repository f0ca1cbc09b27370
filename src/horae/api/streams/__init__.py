"""Answers that stay open: server-sent events, what they follow, and when they must end."""
