"""What `horae doctor` makes of open alerts."""

from datetime import UTC, datetime, timedelta
from typing import Any

from horae.domain.alerts.alert import AlertAction, AlertRecord
from horae.watch.health import Cluster, State, alerting

NOW = datetime(2026, 11, 16, tzinfo=UTC)


def alert(**fields: Any) -> AlertRecord:
    given: dict[str, Any] = dict.fromkeys(AlertRecord.__dataclass_fields__)
    action = AlertAction("Free some space", "/")
    own = {"severity": "critical", "title": "The disk is full", "action": action, "since": NOW}
    return AlertRecord(**{**given, **own, **fields})


def test_a_critical_alert_of_the_installation_is_a_failure_and_others_are_warnings() -> None:
    alerts = [
        alert(since=NOW - timedelta(hours=2)),
        alert(severity="warning"),
        alert(project_id="p", project="finance", title="report failed"),
    ]
    found = alerting(Cluster(NOW, (), (), (), (), alerts=alerts, audible_alerts=5))
    assert [check.state for check in found] == [State.FAILED, *[State.WARNING] * 3]
    assert found[0].finding == "critical, for 2 h: The disk is full"
    assert found[0].remedy == "Free some space"
    assert ", in project finance: report failed" in found[2].finding
    assert found[3].finding == "and 2 more open alerts"
    assert alerting(Cluster(NOW, (), (), (), ())) == []
