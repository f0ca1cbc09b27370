"""One grammar for durations and one for sizes, wherever one can be given: definitions, settings, options."""

import pytest
from pydantic import ValidationError

from horae.cli.jobs.definition import seconds as option
from horae.config import kinds as setting
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.policy import Retry
from horae.domain.targets.fields import Limits
from horae.domain.text.sizes import bytes_in

SCRIPT = {"kind": "script", "source": "true"}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("5m", 300), ("PT5M", 300), ("300", 300), ("1500ms", 1.5), ("1h30m", 5_400), ("1.5m", 90), ("P1D", 86_400)],
)
def test_a_duration_means_the_same_everywhere(text: str, seconds: float) -> None:
    spec = JobSpec.model_validate({"name": "a", "target": {**SCRIPT, "limits": {"cpu": text}}, "timeout": text})
    assert spec.timeout == seconds
    assert spec.to_json()["target"]["limits"]["cpu"] == seconds, "kept as a number: older versions read it"
    assert Retry(delay=text).delay == seconds  # type: ignore[arg-type]
    assert setting.duration(0, 10**6)(text) == seconds
    assert option("--timeout", text) == seconds


@pytest.mark.parametrize("text", ["soon", "1m1h", "5 m", "", "-5m", "P1M"])
def test_invalid_durations_are_refused_everywhere(text: str) -> None:
    for read in (setting.duration(0, 10**6), lambda given: Retry(delay=given)):
        with pytest.raises(ValueError, match=r"must be a duration|no fixed length"):
            read(text)


def test_whole_seconds_where_only_those_are_kept() -> None:
    job = {"name": "a", "target": SCRIPT}
    assert JobSpec.model_validate({**job, "catch_up_window": "2h"}).catch_up_window == 7_200
    with pytest.raises(ValidationError):
        JobSpec.model_validate({**job, "catch_up_window": "1500ms"})


@pytest.mark.parametrize(
    ("text", "size"),
    [("64KiB", 2**16), ("1MB", 10**6), ("1.5GiB", 3 * 2**29), ("512 MiB", 2**29), ("2097152", 2**21), ("1TB", 10**12)],
)
def test_a_size_means_the_same_everywhere(text: str, size: int) -> None:
    assert bytes_in(text) == size
    assert setting.size(0, 2**44)(text) == size
    if size >= 2**20:
        assert Limits.model_validate({"memory": text}).memory == size
    for wrong in ("much", "1 PiB", "-1", "1e3", "MiB"):
        with pytest.raises(ValueError, match="must be a size such as"):
            bytes_in(wrong)
