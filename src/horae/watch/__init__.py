"""Observability: logs, metrics, traces, health checks and error reports."""
