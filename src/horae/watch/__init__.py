"""Watching Horae work: logs, and what grows from them."""
