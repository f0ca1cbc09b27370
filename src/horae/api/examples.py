"""An example of every body, for those who read the description rather than the documentation."""

from __future__ import annotations

from typing import Any

_RUN = "01a1de05-bc6e-7493-ac17-5c90c59c6a0f"
_JOB = "01a1dd71-4c0a-7d11-9a52-0f6f2a3c9b10"
_TARGET = {"kind": "http", "method": "POST", "url": "https://example.org/hook", "body": '{"report": "sales"}'}
_JOB_BODY = {
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

BODIES: dict[str, Any] = {
    "JobBody": _JOB_BODY,
    "RecurringJobBody": {"name": "ping", "target": _TARGET, "schedule": {"every": "15m"}},
    "JobPatch": {"schedule": {"cron": "30 2 * * *"}, "description": None},
    "TriggerBody": {"input": {"customer": 7}, "priority": 9},
    "BatchBody": {"runs": [{"input": {"customer": 7}}, {"input": {"customer": 8}}]},
    "RetryBody": {"input": {"customer": 7}},
    "PauseBody": {"until": "2026-12-24T08:00:00+01:00"},
    "RollbackBody": {"version": 3},
    "BackfillBody": {"start": "2026-11-01T00:00:00Z", "end": "2026-11-07T23:59:59Z", "parallelism": 2},
    "PreviewBody": {"schedule": {"cron": "0 9 * * MON-FRI", "timezone": "Europe/Berlin"}, "count": 5},
    "RedriveBody": {"filter": {"job": "nightly-report", "since": "2026-11-14T00:00:00Z"}, "rate": 5},
    "DiscardBody": {"ids": [_RUN], "reason": "the customer is gone"},
    "CallbackBody": {"status": "succeeded", "result": {"rows": 1200}},
    "SecretBody": {"value": "the value, which nobody reads again"},
    "FunctionPatch": {"is_active": False},
    "SignupBody": {"username": "ann", "password": "a long sentence is best", "token": "the one-time token"},
    "LoginBody": {"username": "ann", "password": "a long sentence is best"},
    "RefreshBody": {"refresh_token": "as it came with the last answer"},
    "PasswordBody": {"password": "a long sentence is best", "new_password": "another one is better still"},
    "ProjectBody": {"slug": "finance", "name": "Finance"},
    "ProjectPatch": {"name": "Finance and controlling"},
    "InvitationBody": {"role": "editor", "note": "for Ben"},
    "TokenBody": {"token": "from the link"},
    "KeyBody": {"name": "deploy", "role": "editor"},
    "MemberBody": {"role": "operator"},
    "UserBody": {"username": "ben", "password": "a long sentence is best"},
    "UserPatch": {"is_active": False},
}

ANSWERS: dict[str, Any] = {
    "JobView": {
        "id": _JOB,
        **_JOB_BODY,
        "enabled": True,
        "version": 1,
        "status": "scheduled",
        "next_run_at": "2026-11-16T01:00:00Z",
        "last_run_at": "2026-11-15T01:00:04Z",
        "last_status": "succeeded",
        "paused": False,
        "paused_until": None,
        "created_at": "2026-11-01T09:30:00Z",
        "updated_at": "2026-11-01T09:30:00Z",
    },
    "RunView": {
        "id": _RUN,
        "job_id": _JOB,
        "job_name": "nightly-report",
        "version": 1,
        "trigger": "schedule",
        "scheduled_for": "2026-11-15T01:00:00Z",
        "due_at": "2026-11-15T01:00:00Z",
        "queue": "default",
        "priority": 5,
        "status": "succeeded",
        "attempt": 1,
        "max_attempts": 3,
        "started_at": "2026-11-15T01:00:00.021Z",
        "finished_at": "2026-11-15T01:00:04.381Z",
        "duration_ms": 4360,
        "response_code": 200,
    },
    "Problem": {
        "type": "urn:horae:problem:invalid-input",
        "title": "Invalid input",
        "status": 422,
        "detail": "schedule.cron: minute 99 is out of range 0–59 (at character 1)",
        "request_id": "01a1de05-bc6e-7493-ac17-5c90c59c6a0f",
        "field": "schedule.cron",
        "errors": [{"field": "schedule.cron", "message": "minute 99 is out of range 0–59 (at character 1)"}],
    },
}


def illustrate(schema: dict[str, Any]) -> None:
    """Puts the examples into an OpenAPI document, wherever a body or an answer is of their kind."""
    for methods in schema["paths"].values():
        for operation in methods.values():
            contents = [operation["requestBody"]["content"]] if "requestBody" in operation else []
            contents += [answer.get("content", {}) for answer in operation["responses"].values()]
            for content in contents:
                _fill_in(content)


def _fill_in(content: dict[str, Any]) -> None:
    for described in content.values():
        name = described.get("schema", {}).get("$ref", "").rpartition("/")[2]
        example = BODIES.get(name, ANSWERS.get(name))
        if example is not None:
            described["example"] = example
