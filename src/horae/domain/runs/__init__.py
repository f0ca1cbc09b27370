"""Runs: how they are fired, admitted, attempted and judged; the states they go through, and what becomes of them."""
