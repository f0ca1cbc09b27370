"""Alerts, through the API."""

from __future__ import annotations

from typing import TypedDict, Unpack

from horae.sdk.calls import C, Pages, Request, Resource, When, call, given, instant, pages, part
from horae.sdk.records import Alert, AlertSettings, MonitoredAlerts

__all__ = ["Alert", "AlertFilters", "AlertSettings", "AlertThresholds", "Alerts", "MonitoredAlerts"]


class AlertFilters(TypedDict, total=False):
    """Filters; None: any."""

    state: str | None
    severity: str | None
    rule: str | None
    job: str | None
    project: str | None


class AlertThresholds(TypedDict, total=False):
    """Durations as numbers of seconds or as text (`"30m"`); None restores the installation's, 0 turns a rule off."""

    failing: int | None
    late: float | str | None
    queued: float | str | None
    failure_rate: float | None
    dead_letters: int | None


class Alerts(Resource[C]):
    @pages
    def list(self, *, limit: int | None = 50, **filters: Unpack[AlertFilters]) -> Pages[Alert]:
        """Alerts of the project and of the installation, newest first."""
        return Pages("alerts", Alert, filters, limit)

    @call
    def get(self, alert_id: str) -> Request[Alert]:
        return Request("GET", f"alerts/{part(alert_id)}", read=Alert)

    @call
    def ack(self, alert_id: str, *, note: str | None = None) -> Request[Alert]:
        """Acknowledges an open alert: others see who takes care of it."""
        return Request("POST", f"alerts/{part(alert_id)}/ack", given({"note": note}), read=Alert)

    @call
    def silence(
        self, alert_id: str, *, until: When = None, lasting: float | str | None = None, note: str | None = None
    ) -> Request[Alert]:
        """Sends no notices about it `until` an instant, or for so long (`"2h"`); `lasting=0` ends the silence."""
        body = given({"until": instant(until), "for": lasting, "note": note})
        return Request("POST", f"alerts/{part(alert_id)}/silence", body, read=Alert)

    @call
    def settings(self) -> Request[AlertSettings]:
        """The project's own thresholds."""
        return Request("GET", "alerts/settings", read=AlertSettings)

    @call
    def configure(self, **thresholds: Unpack[AlertThresholds]) -> Request[AlertSettings]:
        """Sets the given thresholds; the others are unchanged."""
        return Request("PATCH", "alerts/settings", dict(thresholds), read=AlertSettings)

    @call
    def summary(self) -> Request[MonitoredAlerts]:
        """How many are open, and the worst of them."""
        return Request("GET", "monitoring/alerts", read=MonitoredAlerts)
