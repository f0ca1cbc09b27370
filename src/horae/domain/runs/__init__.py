"""Runs: how they are fired, admitted and attempted; their states, and how they end."""
