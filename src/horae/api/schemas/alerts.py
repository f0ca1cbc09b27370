"""Alerts as the API shows them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from horae.api.views import shown
from horae.domain.alerts.alert import AlertRecord, Severity, State
from horae.domain.alerts.spec import ProjectAlertSpec
from horae.domain.text.measures import DURATION
from horae.domain.text.refusal import refusal
from horae.domain.time.instants import Instant

_STRICT = ConfigDict(frozen=True, extra="forbid", strict=True)
Note = Annotated[str, Field(min_length=1, max_length=500)]


class AlertSubjectView(BaseModel):
    """What it is about; the id of a queue is its name."""

    kind: str
    id: str
    name: str


class AlertActionView(BaseModel):
    """The one thing to do, and the page of the portal on which to begin."""

    text: str
    path: str


class AlertView(BaseModel):
    """`project` is the slug, null if the alert concerns the whole installation. `last_seen_at` is when the rule was
    last found broken, to the minute. While `silenced_until` lies ahead, no notices are sent about it."""

    id: str
    project: str | None
    rule: str
    severity: Severity
    subject: AlertSubjectView
    state: State
    title: str
    why: str
    action: AlertActionView
    since: datetime
    last_seen_at: datetime
    cleared_at: datetime | None
    acknowledged_by: str | None
    acknowledged_at: datetime | None
    silenced_until: datetime | None
    silenced_by: str | None
    note: str | None


class AlertNumbers(BaseModel):
    """Of open alerts."""

    open: int
    critical: int
    warning: int
    info: int
    acknowledged: int
    silenced: int


class MonitoredAlertsView(BaseModel):
    """`items` are at most fifty open alerts that are not silenced: unacknowledged ones come first, the
    worst of them first."""

    timestamp: datetime
    alerts: AlertNumbers
    items: list[AlertView]


class AlertSettingsView(BaseModel):
    """The thresholds that a project sets itself: durations in seconds, the failure rate in per cent. null: as the
    installation says; 0: the rule is off."""

    failing: int | None
    late: float | None
    queued: float | None
    failure_rate: float | None
    dead_letters: int | None


class AlertSettingsPatch(ProjectAlertSpec):
    """Thresholds of a project; what is left out stays as it is."""


class AckBody(BaseModel):
    model_config = _STRICT

    note: Note | None = None


class SilenceBody(BaseModel):
    """Exactly one of `until` and `for`; `for: 0` ends the silence."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=True)

    until: Instant | None = None
    lasting: Annotated[float, Field(ge=0, le=366 * 86_400, allow_inf_nan=False), DURATION] | None = Field(
        default=None, alias="for"
    )
    note: Note | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> SilenceBody:
        if (self.until is None) == (self.lasting is None):
            raise refusal("until", "is required unless for is given: give exactly one of the two")
        return self


def alert_json(alert: AlertRecord) -> dict[str, Any]:
    subject = {"kind": alert.subject_kind, "id": alert.subject_id, "name": alert.subject_name}
    return shown(AlertView, alert, subject=subject, action={"text": alert.action.text, "path": alert.action.path})
