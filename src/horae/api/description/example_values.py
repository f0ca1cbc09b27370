"""Values for the examples of answers. A field that is not listed gets an example by its type (examples.py), so only
those that would be misleading need a line."""

from __future__ import annotations

from typing import Any

from horae.api.description.example_bodies import JOB_BODY, PING_BODY

_RUN = "01a1de05-bc6e-7493-ac17-5c90c59c6a0f"
_JOB = "01a1dd71-4c0a-7d11-9a52-0f6f2a3c9b10"
_PROJECT = "01a1d001-7b20-7c55-8f1e-3d5a90b1c2d3"
_WORKER = "01a1d9a4-02f1-7e0b-b6c1-64d1f2a7e801"
_USER = "01a1d002-11aa-7f43-9c3e-5b1d8e7f6a52"
_SCHEDULER = "01a1d9a4-0417-7d52-9b0a-8c1e5f7a2d34"
_CHANNEL = "01a1dd80-3f52-7b6e-8d0c-71b2c3d4e5f6"
_SINK = "01a1dd80-6a07-7c11-9b3e-20c1d2e3f4a5"
_DELIVERY = "01a1de06-0a11-7c2d-9e3f-4a5b6c7d8e90"
_MADE, _NIGHT, _ENDED = "2026-11-01T09:30:00Z", "2026-11-15T01:00:00Z", "2026-11-15T01:00:04.381Z"
_TOMORROW = "2026-11-16T01:00:00Z"
_INVALID = "minute 99 is out of range 0–59 (at character 1)"

NOW = "2026-11-15T07:03:23Z"

BY_FIELD: dict[str, Any] = {
    # Ids, and who did it
    "id": _RUN, "run_id": _RUN, "last_run_id": _RUN, "current_runs": [_RUN], "job_id": _JOB,
    "job_name": JOB_BODY["name"], "worker_id": _WORKER, "scheduler_id": _SCHEDULER, "project_id": _PROJECT,
    "user_id": _USER, "maker_id": _USER, "created_by": "user:ann", "updated_by": "user:ann", "paused_by": "user:ann",
    "maker": "user:ann", "actor": "user:ann", "username": "ann", "address": "192.0.2.7", "request_id": _RUN,
    "project": "finance", "slug": "finance", "role": "editor", "prefix": "11e7b7c0fb00edfc",
    # When
    "created_at": _MADE, "updated_at": _MADE, "enabled_at": _MADE, "first_seen_at": _MADE, "password_changed_at": _MADE,
    "scheduled_for": _NIGHT, "due_at": _NIGHT, "started_at": _NIGHT, "finished_at": _ENDED, "last_run_at": _ENDED,
    "expires_at": "2026-11-21T16:00:00Z", "last_login_at": "2026-11-15T07:01:12Z", "last_used_at": NOW,
    "next_run_at": _TOMORROW, "lease_until": "2026-11-15T07:03:28Z", "owned_since": "2026-11-14T06:00:01Z",
    "start": "2026-11-01T00:00:00Z", "end": "2026-11-07T23:59:59Z", "complete_until": "2026-11-07T23:59:59Z",
    "first": "2026-11-01T01:00:00Z", "last": "2026-11-07T01:00:00Z", "first_at": "2026-11-14T01:07:02Z",
    "paused_at": "2026-11-15T06:00:00Z", "timestamp": NOW,
    # Jobs and their runs
    "target": JOB_BODY["target"], "schedule": JOB_BODY["schedule"], "queue": "default", "priority": 5,
    "status": "succeeded", "outcome": "succeeded", "last_status": "succeeded", "max_attempts": 3, "uncounted": 0,
    "duration_ms": 4360, "result": {"rows": 1200}, "stream": "stdout", "text": "1200 rows\n", "enabled": True,
    "words": "At 02:00 every day, Europe/Berlin", "path": "queue", "old": "default", "new": "mail",
    "definition": {**JOB_BODY, "queue": "mail"}, "done": 3, "total": 7, "parallelism": 2, "recovered": 2,
    "fingerprint": "364185c912d0a4ee", "count": 12, "level": "problem", "cause": "queue",
    "summary": "Job 'nightly-report' is blocked: no live worker serves queue 'mail': no worker is alive.",
    "unblock": "start a worker that serves queue 'mail': horae worker --queues mail", "event": "claimed",
    "waited_ms": 21, "waited_for": "a worker",
    # Counts
    "succeeded": 97, "failed": 3, "cancelled": 0, "skipped": 2, "success_rate": 97.0, "avg_duration_ms": 4360,
    "skipped_by_reason": {"overlap": 2}, "queued": 5, "stuck": 0, "unreadable_jobs": 0, "recovery_codes_left": 9,
    # Processes and queues
    "hostname": "mail-1", "platform": "Linux x86_64, Python 3.11.7", "pid": 4711, "version": "0.1.0",
    "queues": ["mail"], "other_queues": 2, "other_projects": 0, "offers": ["http", "python:send_report"], "slots": 16,
    "slots_busy": 3, "busy": 3, "runs_done": 1200, "shards": [0], "shard": 0, "epoch": 3, "served": True,
    "kinds": ["script"], "user": "horae-scripts", "sandbox": "bubblewrap",
    "readable": ["files that the user horae-scripts may read"], "projects": ["finance"], "service": "horae",
    "loop": "upkeep", "reason": "TryAgain: a lock took too long", "broker": "none",
    # Signing in
    "access_token": "eyJhbGciOi…", "refresh_token": "hr1.01a1de05-…", "expires_in": 870, "has_password": True,
    "recovery_codes": ["n4ks-7dqa-x2ph-9mwe", "and nine more, shown only once"], "is_active": True, "sso": "Keycloak",
    "secret": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "qr": ["111111101…", "100000100…", "and so on"],
    "uri": "otpauth://totp/Horae:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Horae",
    "url": "https://login.example.org/authorize?response_type=code&client_id=horae&…",
    "device_code": "hd1_…, kept by the device", "user_code": "BCDF-GHJK", "client": "horae on laptop", "interval": 5,
    "verification_path": "/device", "verification_url": "https://horae.example.org/device",
    "permissions": ["jobs:read", "runs:read"], "second_factor": True, "same_address": True, "limit": 1000, "used": 842,
}  # fmt: skip

_FAILED = {"error": "HTTP 503", "response_code": 503}
_JOB_VIEW = {**JOB_BODY, "id": _JOB, "version": 1, "status": "scheduled"}
_RUN_VIEW = {"version": 1, "created_at": _NIGHT, "response_code": 200, "reason": None}
_CHANNEL_VIEW = {
    "id": _CHANNEL,
    "name": "on-call",
    "kind": "email",
    "address": "ops@example.org",
    "target": {"kind": "email", "to": ["ops@example.org"], "sender": None, "server": None},
    "events": ["failure", "recovery", "alert"],
    "severity": "warning",
    "tags": ["finance"],
    "digest": 0,
    "repeat_after": 3600,
    "per_hour": 60,
    "last_delivery": ...,
}
_SINK_VIEW = {
    "id": _SINK,
    "name": "warehouse",
    "kind": "webhook",
    "address": "https://warehouse.example.org/…",
    "target": {"kind": "webhook", "batch": 100},
    "types": ["run.ended", "job.*"],
    "jobs": [],
    "tags": [],
    "keep_for": 86_400,
    "max_waiting": 100_000,
    "waiting": 0,
    "sent": 18_422,
    "dropped": 0,
    "last_sent_at": _ENDED,
    "last_error": None,
}
_KEY_VIEW = {"name": "deploy", "expires_at": None}
_WORKER_VIEW = {"id": _WORKER, "name": "mail-1", "status": "busy", "projects": [], "isolation": ...}
_PING_EVENT = {
    "n": 62,
    "at": "2026-11-15T02:14:07Z",
    "kind": "success",
    "exit_code": 0,
    "duration_ms": 847_000,
    "method": "POST",
    "agent": "curl/8.5.0",
    "body_bytes": 14,
}

BY_VIEW: dict[str, dict[str, Any]] = {
    "JobView": _JOB_VIEW,
    "ListedJobView": {**_JOB_VIEW, "stranded": False, "words": "At 02:00 every day, Europe/Berlin", "recent": ...},
    "RunView": _RUN_VIEW,
    "RunDetailView": {**_RUN_VIEW, "lease_until": None},
    "AttemptView": {**_FAILED, "outcome": "failed", "result": {"status": 503, "body": "upstream is down"}},
    "GateView": {
        "name": "queue",
        "state": "closed",
        "detail": "no live worker serves queue 'mail': no worker is alive",
    },
    "EntryView": {"detail": "attempt 1 by worker mail-1"},
    "PingView": {
        **PING_BODY,
        "id": "01a1dd71-9d20-7e10-8a11-6d1f0a3c9b44",
        "version": 1,
        "grace": 3600,
        "timeout": 10_800,
        "words": "At 03:00 every day, Europe/Berlin",
        "state": "up",
        "reason": None,
        "paused": False,
        "expected_at": "2026-11-16T02:00:00Z",
        "deadline_at": "2026-11-16T03:00:00Z",
        "last_ping_at": "2026-11-15T02:14:07Z",
        "last_success_at": "2026-11-15T02:14:07Z",
        "last_duration_ms": 847_000,
        "last_exit_code": 0,
        "events": 62,
        "url": "https://horae.example.org/ping/6hYk4n0mJ3vUeO1yq2TzXb8sGd5rWc9A",
    },
    "PingEventView": _PING_EVENT,
    "PingEventDetailView": {**_PING_EVENT, "body": "12 GB written\n", "truncated": False},
    "PingCountsView": {"new": 1, "up": 40, "started": 2, "late": 0, "down": 1, "paused": 3},
    "BadgeView": {
        "kind": "ping",
        "url": "https://horae.example.org/badge/Zk3…U.svg",
        "markdown": "![ping](https://horae.example.org/badge/Zk3…U.svg)",
    },
    "VersionView": {"version": 2},
    "ClaimedRunView": {"version": 1},
    "ClaimedJobView": {"version": 1},
    "OccurrenceView": {"at": _TOMORROW, "local": "2026-11-16T02:00:00+01:00"},
    "CalendarEntryView": {"at": _TOMORROW, "count": 1},
    "OperationView": {"version": 1, "kind": "backfill", "state": "running", "finished_at": None, "reason": None},
    "DeadLetterView": {**_FAILED, "version": 1, "attempt": 3},
    "DeadGroupView": _FAILED,
    "DeadJobView": {"id": _JOB, "name": "nightly-report"},
    "AlertView": {
        "rule": "failing",
        "severity": "critical",
        "state": "open",
        "title": "nightly-report failed 3 times in a row",
        "why": "No run has succeeded since 2026-11-13 01:00:04 UTC. Last error: HTTP 503",
        "since": "2026-11-13T01:00:04Z",
        "last_seen_at": NOW,
        "cleared_at": None,
        "acknowledged_by": "user:ann",
        "note": "the disk is full, I am on it",
        "silenced_until": None,
        "silenced_by": None,
    },
    "AlertSettingsView": {"failing": 5, "late": 1800, "queued": None, "failure_rate": None, "dead_letters": None},
    "AlertSubjectView": {"kind": "job", "id": _JOB, "name": "nightly-report"},
    "AlertActionView": {
        "text": "Read the log of the last run, fix the cause, then run the job again",
        "path": f"/runs/{_RUN}",
    },
    "AlertNumbers": {"open": 1, "critical": 1, "warning": 0, "info": 0, "acknowledged": 1, "silenced": 0},
    "AuditView": {"action": "job.edit", "changes": ...},
    "SubjectView": {"id": _JOB, "name": "nightly-report", "kind": "job"},
    "SecretView": {"name": "MAIL_TOKEN"},
    "ChannelView": _CHANNEL_VIEW,
    "NewChannelView": {**_CHANNEL_VIEW, "signing_key": None},
    "SinkView": _SINK_VIEW,
    "NewSinkView": {**_SINK_VIEW, "signing_key": "whsec_…"},
    "SinkTestView": {"event_id": _DELIVERY, "sink": ...},
    "LastDeliveryView": {"state": "sent", "at": _ENDED},
    "DeliveryView": {
        "id": _DELIVERY,
        "channel_id": _CHANNEL,
        "state": "sent",
        "kind": "failure",
        "severity": "warning",
        "title": "nightly-report failed",
        "notices": 1,
        "tries": 1,
        "created_at": _ENDED,
    },
    "FunctionView": {
        "name": "send_report",
        "display_name": "Send report",
        "description": "Mails a customer their report.",
        "handler": "mail.tasks.send_report",
        "kind": "async",
        "queue": "mail",
        "default_timeout": 60,
        "parameters": {"type": "object", "properties": {"customer_id": {"type": "integer"}}},
    },
    "WorkerView": _WORKER_VIEW,
    "BusyWorkerView": _WORKER_VIEW,
    "WorkerNumbers": {"total": 1, "idle": 0, "busy": 1, "draining": 0, "stopped": 0, "offline": 0},
    "SchedulerView": {"id": _SCHEDULER, "hostname": "clock-1", "status": "active", "trouble": ...},
    "QueueStateView": {"name": "mail", "paused": True},
    "QueueView": {"name": "mail", "paused": True, "reserved": True},
    "ReservationView": {"name": "mail"},
    "JobNumbers": {"total": 100, "enabled": 85, "disabled": 15},
    "ExecutionNumbers": {"total": 10_000, "success": 9_490, "failure": 493, "success_rate": 95.06},
    "StrandedGroupView": {
        "queue": "gpu",
        "needs": "container",
        "cause": "capability",
        "runs": 3,
        "detail": "no live worker that serves queue 'gpu' offers 'container'; mail-1 offers http, script",
        "unblock": "start a worker that runs container targets: HORAE_EXECUTORS=container horae worker",
    },
    "SeriesView": {"since": _NIGHT, "until": NOW, "step": 3600},
    "SeriesPoint": {"at": _NIGHT, "done": None},
    "QueuedPoint": {"mean": 1.5, "max": 12, "oldest_seconds": 4.2},
    "RunningPoint": {"mean": 3.2, "max": 9, "slots": 16, "utilisation": 0.2},
    "SpreadPoint": {"count": 100, "p50": 0.021, "p90": 0.064, "p99": 0.4},
    "HealthView": {"status": "healthy"},
    "DetailedHealthView": {"status": "healthy", "workers": 3},
    "SignOutView": {"url": "https://login.example.org/logout?client_id=horae&…"},
    "StartView": {"password": True},
    "DeviceTokenView": {"status": "authorization_pending"},
    "NewDeviceView": {"expires_in": 600},
    "UserView": {"id": _USER},
    "ChangedUserView": {"id": _USER, "is_active": False},
    "MeView": {"user": ..., "projects": ...},
    "ProjectView": {"id": _PROJECT, "name": "Finance"},
    "PlaceView": {"name": "Finance"},
    "KeyView": _KEY_VIEW,
    "MadeKeyView": _KEY_VIEW,
    "NewKeyView": {**_KEY_VIEW, "token": "horae_11e7b7c0fb00edfc_…, shown only once"},
    "InvitationView": {"note": "for Ben"},
    "NewInvitationView": {"note": "for Ben", "token": "hi1_…, shown only once"},
    "Problem": {
        "type": "urn:horae:problem:invalid-input",
        "title": "Invalid input",
        "status": 422,
        "detail": f"schedule.cron: {_INVALID}",
        "field": "schedule.cron",
        "errors": ...,
    },
    "FieldError": {"field": "schedule.cron", "message": _INVALID},
}
"""Exceptions of single views, by name. `...` forces an example where the field may be null or omitted."""
