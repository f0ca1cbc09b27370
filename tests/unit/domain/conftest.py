"""Properties are not timed: a busy machine is no reason to fail."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("patient", settings.default, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
