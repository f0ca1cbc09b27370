"""Alerts, and the thresholds set by jobs and projects."""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint

from horae.store.tables.columns import Big, Flag, Id, Int, Json, LongText, Real, Time, name
from horae.store.tables.table import key, may, must, table

alerts = table(
    "alerts",
    key("id", Id),
    may("project_id", Id),  # NULL: the installation
    must("rule", name(50)),
    must("severity", name(10)),
    must("subject_kind", name(20)),
    must("subject_id", name(200)),
    must("subject_name", name(200)),
    must("identity", name(40)),  # of project, rule and subject
    may("open_key", name(40)),  # the identity while it is open, NULL once it is cleared: it opens once
    must("state", name(10)),
    must("title", name(300)),
    must("why", LongText),
    must("action", Json),
    may("tags", Json),
    must("since", Time),
    must("last_seen_at", Time),
    may("quiet_since", Time),  # since when its rule has held again; it clears after a while
    must("flaps", Int),
    may("cleared_at", Time),
    may("acknowledged_by", name(200)),
    may("acknowledged_at", Time),
    may("silenced_until", Time),
    may("silenced_by", name(200)),
    may("note", name(500)),
    may("notified_at", Time),
    UniqueConstraint("open_key", name="alerts_open"),
    Index("alerts_project", "project_id", "state", "id"),
    Index("alerts_state", "state", "id"),
    Index("alerts_subject", "subject_id", "id"),
    Index("alerts_identity", "identity", "id"),
)

alert_settings = table(
    "alert_settings",  # of jobs whose definition has `alert`, and of projects that changed a threshold
    key("subject_id", Id),
    must("project_id", Id),
    must("subject_kind", name(10)),
    must("settings", Json),
    # A copy in columns for jobs, so that the database finds the few that are in trouble.
    may("late", Real),
    may("longer_ms", Big),
    may("shorter_ms", Big),
    may("no_success_for", Real),
    may("missed", Flag),
    may("budget", Real),  # the seconds that it is for
    may("done_by", name(5)),
    may("timezone", name(64)),
    Index("alert_settings_project", "project_id"),
    Index("alert_settings_kind", "subject_kind"),
)
