"""Definitions in files: what is read, and what is refused with its place."""

from pathlib import Path

import pytest

from horae.declarative.files import load
from horae.domain.errors import InvalidInput

JOB = "name: {}\ntarget: {{kind: script, source: 'true'}}\n"


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


def test_a_file_may_hold_one_job_several_or_many_documents(tmp_path: Path):
    write(
        tmp_path,
        a__yaml=JOB.format("one"),
        b__yml="jobs:\n- {name: two, target: {kind: script, source: x}}\n",
        c__yaml=JOB.format("three") + "---\n- {name: four, target: {kind: script, source: x}, enabled: false}\n---\n",
    )
    found = load([tmp_path]).jobs
    assert [(job.name, job.enabled) for job in found] == [
        ("one", True), ("two", True), ("three", True), ("four", False),
    ]  # fmt: skip
    assert found[1].source.endswith("b.yml:2")


def test_what_yaml_would_twist_stays_as_written(tmp_path: Path):
    write(
        tmp_path,
        a__yaml="""
name: no
tags: [on, yes, 010, 1e3x, 2026-01-01]
target: {kind: script, source: "true", args: [22:00, "1", 0x1f]}
schedule:
  after: {job: other, on: any}
""",
    )
    (job,) = load([tmp_path]).jobs
    assert (job.name, job.spec.tags) == ("no", ("on", "yes", "010", "1e3x", "2026-01-01"))
    assert job.spec.target.args == ("22:00", "1", "0x1f")  # type: ignore[union-attr]
    assert job.spec.schedule.after.on == "any"  # type: ignore[union-attr]


def test_an_overlay_is_laid_over_the_jobs_of_its_environment(tmp_path: Path):
    write(
        tmp_path,
        jobs__yaml="""
- name: report
  target: {kind: http, url: "https://test.example/", headers: {a: "1", b: "2"}}
  schedule: {cron: "0 2 * * *", timezone: Europe/Berlin}
  timeout: 60
- {name: other, target: {kind: script, source: x}}
""",
        jobs__prod__yaml="""
- name: report
  target: {url: "https://example.org/", headers: {b: null, c: "3"}}
  schedule: {every: 1h}
  timeout: null
""",
    )
    assert [job.spec.timeout for job in load([tmp_path]).jobs] == [60, 300]
    report, other = load([tmp_path], "prod").jobs
    assert report.spec.target.url == "https://example.org/"  # type: ignore[union-attr]
    assert report.spec.target.headers == {"a": "1", "c": "3"}  # type: ignore[union-attr]
    assert (report.spec.timeout, "every" in type(report.spec.schedule).model_fields) == (300, True)
    assert other.spec.timeout == 300


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("name: x\ntarget: {kind: script", "a.yaml:2", "expected"),
        ("name: x\nname: y\n", "a.yaml:2", "'name' appears twice"),
        ("- 1\n", "a.yaml:1", "must be a job"),
        ("target: {kind: script, source: x}\n", "a.yaml:1", "has no name"),
        (JOB.format("x") + "tiemout: 3\n", "a.yaml:3: tiemout", "is not a known field; did you mean 'timeout'?"),
        (JOB.format("x") + "schedule: {cron: '61 * * * *'}\n", "a.yaml:3: schedule.cron", "minute 61 is out of range"),
        (JOB.format("x") + "enabled: 1\n", "a.yaml:3: enabled", "must be true or false"),
        ("jobs: []\nversion: 2\n", "a.yaml:2", "'version' is not allowed next to jobs"),
        ("just text\n", "a.yaml:1", "must contain a job"),
        (JOB.format("x") + "---\n" + JOB.format("x"), "a.yaml:4", "the job 'x' is already in"),
        ("name: x\ntarget: !!python/object:os.system {}\n", "a.yaml:2", "which means nothing here"),
    ],
)
def test_mistakes_are_reported_with_their_position(tmp_path: Path, text: str, place: str, words: str):
    write(tmp_path, a__yaml=text)
    with pytest.raises(InvalidInput) as refused:
        load([tmp_path])
    assert refused.value.field.endswith(place)
    assert words in str(refused.value)


def test_no_field_of_a_job_is_suggested_for_one_of_its_target(tmp_path: Path):
    write(tmp_path, a__yaml="name: x\ntarget: {kind: script, sorce: a}\n")
    with pytest.raises(InvalidInput, match=r"a\.yaml:2: target\.sorce: is not a known field$"):
        load([tmp_path])


def test_an_overlay_of_nothing_and_missing_files_are_refused(tmp_path: Path):
    with pytest.raises(InvalidInput, match="is neither a file nor a folder"):
        load([tmp_path / "nowhere"])
    with pytest.raises(InvalidInput, match=r"contains no \.yaml"):
        load([tmp_path])
    write(tmp_path, a__yaml=JOB.format("x"), a__prod__yaml="name: y\ntimeout: 3\n")
    with pytest.raises(InvalidInput, match="which no file declares"):
        load([tmp_path], "prod")
    with pytest.raises(InvalidInput, match=r"--env: no file is an overlay for 'prd'.*there are overlays for prod"):
        load([tmp_path], "prd")
