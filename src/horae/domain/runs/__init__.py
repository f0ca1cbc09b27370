"""Runs: how they are fired, admitted, attempted and judged; their states, and how they end."""
