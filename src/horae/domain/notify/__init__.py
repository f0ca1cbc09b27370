"""Notices: what happened that people want to hear of, and where it goes."""
