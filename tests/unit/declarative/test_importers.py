"""Jobs of other schedulers: real objects and real formats, each with what is not imported."""

import json
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from apscheduler.schedulers.background import BackgroundScheduler
from celery import Celery
from celery.schedules import crontab as celery_crontab

from horae.declarative.importers import apscheduler, celery_beat, crontab, kubernetes
from horae.domain.errors import InvalidInput
from horae.domain.jobs.job import JobSpec


def named(imported: Any) -> dict[str, dict[str, Any]]:
    for one in imported.definitions:  # each is a job that Horae takes
        JobSpec.model_validate({name: value for name, value in one.items() if name != "enabled"})
    return {one["name"]: one for one in imported.definitions}


CRONTAB = r"""
# m h dom mon dow command
SHELL=/bin/bash
MAILTO="me"
CRON_TZ = Europe/Berlin
GREETING='hello'
*/5 * * * *  /usr/local/bin/backup.sh --all
0 9 * * mon-fri /usr/local/bin/backup.sh
@daily echo "100\% done"
5 4 * * 7 mail -s x%first%second
@reboot forget
0 0 31 2 * never
* * * *
"""


def test_a_crontab():
    imported = crontab.read(CRONTAB)
    found = named(imported)
    assert list(found) == ["backup.sh", "backup.sh-2", "echo", "mail"]
    assert found["backup.sh"]["schedule"] == {"cron": "*/5 * * * *", "timezone": "Europe/Berlin"}
    assert found["backup.sh"]["target"]["env"] == {"GREETING": "hello"}
    assert found["echo"]["target"]["source"] == 'echo "100% done"'
    assert found["mail"]["target"]["source"] == "mail -s x <<'HORAE_INPUT'\nfirst\nsecond\nHORAE_INPUT\n"
    told = "\n".join(imported.notes)
    for words in ("@reboot", "never: left out", "mail of its output", "too few fields"):
        assert words in told


def test_a_system_crontab_without_a_zone():
    imported = crontab.read("17 * * * * root cd / && run-parts /etc/cron.hourly\n", system=True)
    (job,) = imported.definitions
    assert (job["target"]["source"], job["target"]["interpreter"]) == ("cd / && run-parts /etc/cron.hourly", "sh")
    assert any("ran as root" in note for note in imported.notes)
    assert any("time zone" in note for note in imported.notes)


def test_a_beat_schedule_of_a_real_app():
    app = Celery("x")
    app.conf.timezone = "Europe/Berlin"
    app.conf.beat_schedule = {
        "cron": {"task": "a.b", "schedule": celery_crontab(minute="*/15", hour={9, 17}, day_of_week="mon-fri")},
        "seconds": {"task": "a.c", "schedule": 30.0, "args": (1,), "options": {"queue": "mail", "expires": 60}},
        "delta": {"task": "a.d", "schedule": timedelta(hours=1), "kwargs": {"x": 1}},
        "sun": {"task": "a.e", "schedule": object()},
    }
    imported = celery_beat.read_app(app)
    found = named(imported)
    assert found["cron"]["schedule"] == {"cron": "*/15 9,17 * * mon-fri", "timezone": "Europe/Berlin"}
    assert found["seconds"]["target"] == {"kind": "celery", "task": "a.c", "queue": "mail", "args": [1]}
    assert found["seconds"]["start_within"] == 60
    assert found["delta"]["target"] == {"kind": "celery", "task": "a.d", "kwargs": {"x": 1}}
    assert [note.split(":")[0] for note in imported.notes] == ["sun"]
    with pytest.raises(InvalidInput):
        celery_beat.read_app(object())


def test_a_beat_schedule_as_functions():
    options = {"queue": "mail", "priority": 7, "headers": {"a": "1"}}
    entry = {"task": "a.c", "schedule": 30.0, "args": (1,), "kwargs": {"x": 1}, "options": options}
    imported = celery_beat.read_app({"seconds": entry}, functions=True)
    (job,) = imported.definitions
    assert job["target"] == {"kind": "python", "function": "a.c", "arguments": {"x": 1}}
    assert (job["queue"], job["priority"]) == ("mail", 7)
    assert imported.notes == [
        "seconds: positional arguments are not imported: pass them by name",
        "seconds: not imported: headers",
    ]


def test_rows_of_django_celery_beat():
    def row(model: str, pk: int, **fields: Any) -> dict[str, Any]:
        return {"model": f"django_celery_beat.{model}", "pk": pk, "fields": fields}

    def task(pk: int, **fields: Any) -> dict[str, Any]:
        return row("periodictask", pk, name=f"task {pk}", task="a.b", args="[]", kwargs='{"x": 1}', **fields)

    every = dict.fromkeys(("hour", "day_of_month", "month_of_year", "day_of_week"), "*")
    rows = [
        row("crontabschedule", 1, minute="0", timezone="Asia/Tokyo", **every),
        row("intervalschedule", 2, every=5, period="minutes"),
        row("clockedschedule", 3, clocked_time="2030-01-01T00:00:00Z"),
        task(1, crontab=1, enabled=True, queue="q", description="said"),
        task(2, interval=2, enabled=False, one_off=True, start_time="2026-01-01T00:00:00+00:00"),
        task(3, clocked=3, enabled=True),
        task(4, solar=1, enabled=True),
    ]
    imported = celery_beat.read_rows(json.dumps(rows))
    found = named(imported)
    assert found["task 1"]["schedule"] == {"cron": "0 * * * *", "timezone": "Asia/Tokyo"}
    assert found["task 1"]["target"] == {"kind": "celery", "task": "a.b", "queue": "q", "kwargs": {"x": 1}}
    assert found["task 1"]["description"] == "said"
    assert (found["task 2"]["schedule"]["max_runs"], found["task 2"]["enabled"]) == (1, False)
    assert "at" in found["task 3"]["schedule"]
    assert imported.notes == ["task 4: left out: Horae has no such kind of schedule"]
    with pytest.raises(InvalidInput):
        celery_beat.read_rows("[1]")


def work(x: int = 1) -> None:
    pass


def test_the_jobs_of_a_real_apscheduler():
    scheduler = BackgroundScheduler(timezone="Europe/Berlin")
    scheduler.start(paused=True)
    scheduler.add_job(work, "cron", id="c", name="cron", day_of_week="0-4", hour=9, kwargs={"x": 2}, max_instances=3)
    scheduler.add_job(work, "interval", id="i", name="interval", minutes=10, args=[1], jitter=5, coalesce=False)
    scheduler.add_job(work, "date", id="d", name="date", run_date=datetime(2030, 1, 1, tzinfo=UTC))
    scheduler.add_job(work, "cron", id="w", name="week", week=3)
    scheduler.pause_job("d")
    try:
        imported = apscheduler.read_scheduler(scheduler)
    finally:
        scheduler.shutdown()
    found = named(imported)
    assert found["cron"]["schedule"] == {"cron": "0 9 * * 1-5", "timezone": "Europe/Berlin"}
    assert found["cron"]["target"]["function"].endswith("test_importers.work")
    assert (found["cron"]["max_instances"], found["interval"]["catch_up"]) == (3, "all")
    assert found["interval"]["schedule"]["jitter"] == 5
    assert (found["date"]["enabled"], "at" in found["date"]["schedule"]) == (False, True)
    assert [note.split(":")[0] for note in imported.notes] == ["interval", "week"]
    with pytest.raises(InvalidInput):
        apscheduler.read_scheduler(SimpleNamespace())


MANIFESTS = """
apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  schedule: "30 6 * * *"
  timeZone: Europe/Berlin
  concurrencyPolicy: Forbid
  startingDeadlineSeconds: 200
  suspend: true
  jobTemplate:
    spec:
      backoffLimit: 4
      activeDeadlineSeconds: 600
      template:
        spec:
          volumes: [{name: data}]
          containers:
          - name: main
            image: registry.example.com/team/report:1.2
            command: [python, -m]
            args: [report, "7"]
            imagePullPolicy: Always
            workingDir: /app
            env:
            - {name: MODE, value: fast}
            - {name: TOKEN, valueFrom: {secretKeyRef: {name: s, key: k}}}
            - {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
            resources: {limits: {memory: 512Mi, cpu: 250m}}
          - {name: side, image: x}
---
kind: List
items:
- {kind: ConfigMap}
- kind: CronJob
  metadata: {name: plain}
  spec: {schedule: "@hourly", jobTemplate: {spec: {template: {spec: {containers: [{image: busybox}]}}}}}
"""


def test_cron_jobs_of_kubernetes():
    imported = kubernetes.read(MANIFESTS)
    found = named(imported)
    report = found["report"]
    assert report["schedule"] == {"cron": "30 6 * * *", "timezone": "Europe/Berlin"}
    assert report["retry"]["max_attempts"] == 5
    assert (report["timeout"], report["enabled"], report["catch_up_window"]) == (600, False, 200)
    target = report["target"]
    assert (target["entrypoint"], target["command"]) == (["python", "-m"], ["report", "7"])
    assert target["limits"] == {"memory": 512 * 2**20, "cpus": 0.25}
    assert target["env"] == {"MODE": "fast", "TOKEN": "{{ secrets.TOKEN }}"}
    assert (target["pull"], target["cwd"]) == ("always", "/app")
    assert found["plain"]["overlap"] == "allow"
    told = "\n".join(imported.notes)
    for words in ("first container", "volumes", "horae secrets set TOKEN", "NODE is not imported", "ConfigMap"):
        assert words in told
    with pytest.raises(InvalidInput):
        kubernetes.read("a: [")


@pytest.mark.parametrize(
    ("fields", "cron"),
    [
        ({"day_of_week": "0"}, "0 1 * * 1"),
        ({"day_of_week": "6"}, "0 1 * * 7"),
        ({"day_of_week": "4-6"}, "0 1 * * 5-7"),
        ({"day_of_week": "*/2"}, "0 1 * * 1,3,5,7"),
        ({"day_of_week": "1-5/2"}, "0 1 * * 2,4,6"),
        ({"day_of_week": "mon-fri"}, "0 1 * * MON-FRI"),
        ({"day": "last"}, "0 1 L * *"),
        ({"day": "2nd mon"}, "0 1 * * MON#2"),
        ({"day": "last fri"}, "0 1 * * 5L"),
    ],
)
def test_days_of_apscheduler_count_from_monday(fields: dict[str, str], cron: str):
    scheduler = BackgroundScheduler(timezone="UTC")
    scheduler.add_job(work, "cron", id="x", hour=1, **fields)
    found = apscheduler.read_scheduler(scheduler)
    assert (found.definitions[0]["name"], found.definitions[0]["schedule"]["cron"]) == ("x", cron), found.notes


def test_what_kubernetes_says_beyond_horae_is_named_field_by_field():
    found = kubernetes.read(
        "{kind: CronJob, metadata: {name: x}, spec: {schedule: 'TZ=Asia/Tokyo 0 2 * * *', jobTemplate: {spec: "
        "{completions: 3, template: {spec: {serviceAccountName: me, containers: ["
        "{name: a, image: alpine, volumeMounts: [{name: v}]}, {name: side, image: envoy}]}}}}}}\n"
        "---\n{kind: CronJob, metadata: {name: broken}, spec: 5}\n"
    )
    assert found.definitions[0]["schedule"] == {"cron": "0 2 * * *", "timezone": "Asia/Tokyo"}
    assert found.notes == [
        "x: not imported: completions, serviceAccountName, volumeMounts",
        "x: only its first container is imported, not side",
        "broken: left out: it is not a valid CronJob",
    ]


def test_rows_of_celery_that_cannot_be_read_are_named_and_the_others_taken():
    rows = [
        {"model": "django_celery_beat.intervalschedule", "pk": 1, "fields": {"every": 10, "period": "seconds"}},
        {"model": "django_celery_beat.periodictask", "pk": 1, "fields": {
            "name": "fine", "task": "t", "interval": 1, "priority": 7, "exchange": "e", "headers": '{"a": 1}'}},
        {"model": "django_celery_beat.periodictask", "pk": 2, "fields": {"name": "gone", "task": "t", "crontab": 9}},
    ]  # fmt: skip
    found = celery_beat.read_rows(json.dumps(rows))
    assert [(one["name"], one["target"]["priority"]) for one in found.definitions] == [("fine", 7)]
    assert found.definitions[0]["target"]["headers"] == {"a": "1"}
    assert found.notes == [
        "fine: not imported: exchange",
        "gone: left out: its row, or the one of its schedule, cannot be read",
    ]


@pytest.mark.parametrize(
    ("days", "weekdays", "fields"),
    [
        ("1-7", "mon", "* * mon#1"),
        ("8-14", "tuesday,fri", "* * tue#2,fri#2"),
        ("1,15", "*", "1,15 * *"),
        ("*/2", "fri", "*/2 * fri"),  # both, also here: the field begins with a star
        ("1,15", "fri", None),
        ("1-7", "mon-fri", None),
    ],
)
def test_days_of_the_month_and_of_the_week_must_both_match_in_celery(days: str, weekdays: str, fields: str | None):
    entry = {"task": "t", "schedule": celery_crontab(minute=0, hour=9, day_of_month=days, day_of_week=weekdays)}
    row = {"minute": "0", "hour": "9", "day_of_month": days, "month_of_year": "*", "day_of_week": weekdays}
    rows = [
        {"model": "django_celery_beat.crontabschedule", "pk": 1, "fields": row},
        {"model": "django_celery_beat.periodictask", "pk": 1, "fields": {"name": "x", "task": "t", "crontab": 1}},
    ]
    for found in (celery_beat.read_app({"x": entry}), celery_beat.read_rows(json.dumps(rows))):
        if fields is None:
            assert (found.definitions, len(found.notes)) == ([], 1)
            assert "must both match" in found.notes[0]
        else:
            assert found.definitions[0]["schedule"]["cron"] == f"0 9 {fields}", found.notes


def test_days_of_the_month_and_of_the_week_must_both_match_in_apscheduler():
    scheduler = BackgroundScheduler(timezone="UTC")
    scheduler.add_job(work, "cron", id="first", hour=9, day="1-7", day_of_week="mon")
    scheduler.add_job(work, "cron", id="last", hour=9, day="last", day_of_week="fri")
    found = apscheduler.read_scheduler(scheduler)
    assert [one["schedule"]["cron"] for one in found.definitions] == ["0 9 * * MON#1"]
    assert found.notes == [
        "last: left out: its day of month and its day of week must both match, which cron cannot express"
    ]


def test_beat_has_no_time_limit_no_retries_and_no_rule_about_overlap():
    (job,) = celery_beat.read_app({"x": {"task": "t", "schedule": 60}}).definitions
    assert (job["timeout"], job["retry"], job["overlap"]) == (86_400, {"max_attempts": 1}, "allow")
