"""All checks; importing this package makes them known."""

from horae.conformance.checks import calls, claiming, leases, leaving, registering, reporting, scripts

__all__ = ["calls", "claiming", "leases", "leaving", "registering", "reporting", "scripts"]
