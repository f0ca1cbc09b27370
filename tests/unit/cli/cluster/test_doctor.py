"""`horae doctor`: the settings that it shows, and its checks."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from horae.cli.cluster.doctor import _without_password
from horae.domain.cluster.isolation import Isolation
from horae.domain.cluster.process import Host, SchedulerRecord, ShardView, WorkerRecord
from horae.domain.people.quota import Quota, Strained, Usage
from horae.watch.health import Cluster, State, bounding, clock, isolating, scheduling, versions, working

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HOST = Host("machine", "Linux", "key", 1, 1)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://horae:s3cret@db.example.org:5432/horae", "postgresql://horae***@db.example.org:5432/horae"),
        ("postgresql://db.example.org/horae", "postgresql://db.example.org/horae"),
        ("sqlite:////srv/horae.db", "sqlite:////srv/horae.db"),
        ("redis://:s3cret@localhost:6379/0", "redis://***@localhost:6379/0"),
        ("mysql://u:p@ss@host/x", "(hidden)"),
        ("0123456789abcdef", "(hidden)"),
    ],
)
def test_no_password_is_shown(text: str, shown: str):
    assert _without_password(text) == shown


def worker(**fields: Any) -> WorkerRecord:
    given = {"queues": (), "status": "idle", "version": "1", "busy": 1, **fields}
    return WorkerRecord(
        id="w", name="w", host=HOST, offers=(), slots=4, runs_done=0, started_at=NOW, heartbeat_at=NOW, **given
    )


def cluster(
    *,
    owned: int = 2,
    workers: tuple[WorkerRecord, ...] = (),
    queues: tuple[str, ...] = (),
    strained: tuple[Strained, ...] = (),
) -> Cluster:
    lease = NOW + timedelta(seconds=5)
    shards = [ShardView(n, "s" if n < owned else None, 1, lease if n < owned else None) for n in range(2)]
    schedulers = [SchedulerRecord("s", HOST, "1", NOW, NOW, ())]
    return Cluster(NOW, schedulers, shards, workers, queues, strained=strained)


def test_clocks():
    assert clock(NOW, NOW + timedelta(seconds=1)).state is State.OK
    assert "90 s off" in clock(NOW, NOW - timedelta(seconds=90)).finding


def test_schedulers():
    assert [scheduling(cluster(owned=n)).state for n in range(3)] == [State.FAILED, State.WARNING, State.OK]


def test_workers_and_the_queues_that_they_serve():
    assert [check.state for check in working(cluster(workers=(worker(status="offline"),)))] == [State.FAILED]
    assert working(cluster(workers=(worker(), worker())))[0].finding == "2 alive, 2 of 8 slots busy"
    some = (worker(queues=("mail",)),)
    _, unserved = working(cluster(workers=some, queues=("default", "mail")))
    assert (unserved.state, unserved.finding) == (State.WARNING, "no worker serves default")
    assert len(working(cluster(workers=(*some, worker()), queues=("default", "mail")))) == 1


def test_versions():
    assert versions("1", [worker()]).state is State.OK
    assert "others run 2" in versions("1", [worker(), worker(version="2")]).finding


def test_workers_without_isolation_are_reported():
    apart = Isolation(("script",), "horae", "scripts")
    open_ones = [worker(isolation=replace(apart, root=True)), worker(isolation=replace(apart, root=True))]
    assert isolating(cluster(workers=(worker(), worker(isolation=apart)))) == []
    (check,) = isolating(cluster(workers=(*open_ones, worker(isolation=apart))))
    assert (check.state, check.finding) == (
        State.WARNING,
        "an owner of any project that w, w serves is an admin: scripts run as root",
    )
    assert isolating(cluster(workers=(worker(status="offline", isolation=replace(apart, root=True)),))) == []


def test_projects_at_their_quotas():
    assert bounding(cluster()) == []
    full = Strained("billing", Quota.LIVE_RUNS, Usage(2_000, 2_000, NOW - timedelta(minutes=3)))
    near = Strained("payroll", Quota.JOBS, Usage(10, 9))
    (check,) = bounding(cluster(strained=(full, near)))
    assert (check.state, check.finding) == (
        State.WARNING,
        "billing uses 2,000 of 2,000 live_runs, something was refused 3 min ago; payroll uses 9 of 10 jobs",
    )
    assert "horae projects quota billing" in (check.remedy or "")
