"""Runs: what happened, their output, failures that need attention, operations, and why a run does not start."""
