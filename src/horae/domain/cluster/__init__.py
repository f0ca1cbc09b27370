"""Workers and schedulers: registration, heartbeats, isolation, metrics and failing loops."""
