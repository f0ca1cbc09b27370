"""An example of every request body, by the name of its model."""

from __future__ import annotations

from typing import Any

_RUN = "01a1de05-bc6e-7493-ac17-5c90c59c6a0f"
_TARGET = {"kind": "http", "method": "POST", "url": "https://example.org/hook", "body": '{"report": "sales"}'}
JOB_BODY = {
    "name": "nightly-report",
    "description": "Yesterday's sales, by mail",
    "tags": ["finance"],
    "target": _TARGET,
    "schedule": {"cron": "0 2 * * *", "timezone": "Europe/Berlin"},
    "retry": {"max_attempts": 3, "backoff": "exponential", "delay": 60},
    "timeout": 300,
    "queue": "default",
    "priority": 5,
}
PING_BODY = {
    "name": "backup-db",
    "description": "pg_dump on db-1, by its own crontab",
    "tags": ["backup"],
    "schedule": {"cron": "0 3 * * *", "timezone": "Europe/Berlin"},
    "grace": "1h",
    "timeout": "3h",
}

BODIES: dict[str, Any] = {
    "JobBody": JOB_BODY,
    "RecurringJobBody": {"name": "ping", "target": _TARGET, "schedule": {"every": "15m"}},
    "JobPatch": {"schedule": {"cron": "30 2 * * *"}, "description": None},
    "PingBody": PING_BODY,
    "PingPatch": {"grace": "2h", "description": None},
    "BadgeBody": {"kind": "ping", "subject": "backup-db"},
    "TriggerBody": {"input": {"customer": 7}, "priority": 9},
    "BatchBody": {"runs": [{"input": {"customer": 7}}, {"input": {"customer": 8}}]},
    "RetryBody": {"input": {"customer": 7}},
    "PauseBody": {"until": "2026-12-24T08:00:00+01:00"},
    "RollbackBody": {"version": 3},
    "BackfillBody": {"start": "2026-11-01T00:00:00Z", "end": "2026-11-07T23:59:59Z", "parallelism": 2},
    "PreviewBody": {"schedule": {"cron": "0 9 * * MON-FRI", "timezone": "Europe/Berlin"}, "count": 5},
    "RedriveBody": {"filter": {"job": "nightly-report", "since": "2026-11-14T00:00:00Z"}, "rate": 5},
    "DiscardBody": {"ids": [_RUN], "reason": "the customer has left"},
    "AlertSettingsPatch": {"failing": 5, "late": "30m", "dead_letters": None},
    "AckBody": {"note": "the disk is full, I am on it"},
    "SilenceBody": {"for": "2h", "note": "until the disk is replaced"},
    "CallbackBody": {"status": "succeeded", "result": {"rows": 1200}},
    "SecretBody": {"value": "the value, which cannot be read back"},
    "ChannelBody": {
        "name": "on-call",
        "target": {"kind": "email", "to": ["ops@example.org"]},
        "events": ["failure", "recovery", "alert"],
        "severity": "warning",
        "tags": ["finance"],
        "quiet": {"windows": [{"start": "22:00", "end": "07:00"}], "timezone": "Europe/Berlin"},
    },
    "ChannelPatch": {"enabled": False},
    "ReservationBody": {"projects": ["billing"]},
    "FunctionPatch": {"is_active": False},
    "SignupBody": {"username": "ann", "password": "a long sentence is best", "token": "the one-time token"},
    "LoginBody": {"username": "ann", "password": "a long sentence is best"},
    "CodeBody": {"challenge": "from the 401 that asked for a code", "code": "492039"},
    "ChallengeBody": {"challenge": "from the 401 that asked for a second factor"},
    "EnrolBody": {"password": "a long sentence is best"},
    "ConfirmBody": {"code": "492039"},
    "ProofBody": {"password": "a long sentence is best", "code": "492039"},
    "RefreshBody": {"refresh_token": "as it came with the last answer"},
    "PasswordBody": {"password": "a long sentence is best", "new_password": "another long sentence"},
    "ProjectBody": {"slug": "finance", "name": "Finance"},
    "ProjectPatch": {"name": "Finance and controlling"},
    "QuotasPatch": {"jobs": 1000, "live_runs": 20000, "log_bytes_per_day": None},
    "InvitationBody": {"role": "editor", "note": "for Ben"},
    "TokenBody": {"token": "from the link"},
    "KeyBody": {"name": "deploy", "role": "editor"},
    "MemberBody": {"role": "operator"},
    "UserBody": {"username": "ben", "password": "a long sentence is best"},
    "UserPatch": {"is_active": False},
    "SsoBody": {"next": "/jobs"},
    "LinkBody": {"next": "/settings/account", "password": "a long sentence is best"},
    "DeviceBody": {"client": "horae on laptop"},
    "DeviceTokenBody": {"device_code": "as it came with the code to show"},
    "ApprovalBody": {"approve": True},
}
