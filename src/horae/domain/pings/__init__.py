"""Pings: monitors for jobs that Horae does not run. What they expect, and their state."""
