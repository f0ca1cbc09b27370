"""The Python client about schedules, against a running Horae."""

from datetime import UTC, datetime, timedelta

import pytest

import horae
from horae.clock import SystemClock
from horae.domain.errors import Conflict, InvalidInput, NotFound, StaleVersion

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]


def test_schedules_through_the_client(up: tuple[str, str]) -> None:
    with horae.Client(*up) as client:
        target = {"kind": "script", "source": "true"}
        client.jobs.create(name="sdk", target=target, schedule={"cron": "0 */6 * * *"}, tags=["sdk"])
        later = SystemClock().now() + timedelta(hours=1)
        assert client.jobs.pause("sdk", until=later)["status"] == "paused"
        assert [job["name"] for job in client.jobs.list(paused=True, tag="sdk")] == ["sdk"]
        assert client.jobs.resume("sdk")["paused"] is False
        assert client.jobs.disable("sdk")["enabled"] is False
        assert [job["name"] for job in client.jobs.list(enabled=False, tag="sdk")] == ["sdk"]
        assert client.jobs.enable("sdk")["enabled"] is True
        client.jobs.edit("sdk", version=1, schedule={"every": "1h"})
        assert [one["version"] for one in client.jobs.versions("sdk")] == [2, 1]
        assert client.jobs.version("sdk", 2)["changes"][0]["path"] == "schedule"
        with pytest.raises(StaleVersion):
            client.jobs.rollback("sdk", 1, version=1)
        assert client.jobs.rollback("sdk", 1, version=2)["version"] == 3
        with pytest.raises(NotFound):
            client.jobs.rollback("sdk", 99)
        start, end = datetime(2020, 3, 1, tzinfo=UTC), datetime(2020, 3, 2, tzinfo=UTC)
        assert client.jobs.backfill("sdk", start=start, end=end, dry_run=True)["total"] == 5
        operation = client.jobs.backfill("sdk", start=start, end=end, parallelism=5)
        assert next(client.operations.list(limit=1))["id"] == operation["id"]
        assert client.operations.get(operation["id"])["total"] == 5
        with pytest.raises(InvalidInput) as refused:
            client.jobs.backfill("sdk", start=end, end=start)
        assert refused.value.field == "end"
        shown = client.preview({"every": "2h"}, 3, start=start, compare={"every": "1h"})
        assert shown["compare"]["removed"] == ["2020-03-01T01:00:00Z"]
        assert client.preview({"every": "2h"}, 3, job="sdk")["compare"]["words"] == "Every 6 hours, UTC"
        assert client.jobs.stats("sdk")["job_id"] == client.jobs.get("sdk")["id"]
        client.jobs.create(name="sdk-after", target=target, schedule={"after": {"job": "sdk"}})
        with pytest.raises(Conflict, match="other jobs wait for it"):
            client.jobs.delete("sdk")
