"""Counters and time series: appended as deltas, rolled up, and read without scanning the history."""
