"""Pings: monitors for jobs that Horae does not run. What is expected of them, and where they stand."""
