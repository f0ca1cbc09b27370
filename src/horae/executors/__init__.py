"""Executors run attempts, one module per kind of target. No executor touches the store."""
