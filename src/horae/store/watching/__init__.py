"""Alerts and their facts, the outbox of notices, channels and deliveries, pings and badges."""
