"""Alerts, notification channels, event sinks, pings, badges and metrics."""
