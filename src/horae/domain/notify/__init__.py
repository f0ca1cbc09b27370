"""Notifications: events that users want to know about, and where they are sent."""
