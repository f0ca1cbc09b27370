"""Channels and pings in files: planned, compared, exported; what is secret is named, never written down."""

from pathlib import Path
from typing import Any

import pytest

from horae.declarative import export
from horae.declarative.beside import plan_channels, plan_pings
from horae.declarative.files import Files, load
from horae.declarative.kinds import Kind
from horae.domain.errors import InvalidInput
from horae.domain.notify.channel import ChannelDefinition
from horae.domain.pings.spec import PingSpec

FILE = """
channels:
- name: on-call
  target: {kind: slack, url: "{{ secrets.SLACK }}"}
  quiet: {windows: [{start: "22:00", end: "07:00"}], timezone: Europe/Berlin}
- {name: mail, target: {kind: email, to: [ops@example.org]}, enabled: false}
jobs:
- {name: report, target: {kind: script, source: "true"}, notify: [on-call]}
pings:
- {name: backup, schedule: {cron: "0 3 * * *"}, grace: 2h, tags: [ops]}
"""


def declared(folder: Path, text: str = FILE) -> Files:
    (folder / "all.yaml").write_text(text)
    return load([folder])


def channel(name: str = "on-call", has_secret: bool = True, **fields: Any) -> dict[str, Any]:
    """As the API shows it."""
    given = {"name": name, "target": {"kind": "slack", "url": "{{ secrets.SLACK }}"}, **fields}
    spec = ChannelDefinition.model_validate(given)
    return {**spec.model_dump(mode="json"), "id": name, "kind": spec.target.kind, "has_secret": has_secret}


def ping(name: str = "backup", **fields: Any) -> dict[str, Any]:
    return {**PingSpec.model_validate({"name": name, **fields}).to_json(), "id": name, "version": 4}


def done(steps: list[Any]) -> list[tuple[str, str]]:
    return [(step.action.value, step.label) for step in steps]


def test_new_ones_are_created_and_others_changed(tmp_path: Path):
    files = declared(tmp_path)
    assert files.named == set(Kind)
    assert done(plan_channels(files, [])) == [("create", "channel mail"), ("create", "channel on-call")]
    assert done(plan_pings(files, [])) == [("create", "ping backup")]
    (_, change) = plan_channels(files, [channel()])
    assert [one.path for one in change.changes] == ["quiet"]
    (step,) = plan_pings(files, [ping(schedule={"cron": "0 4 * * *"}, grace=7200, tags=["ops"])])
    assert (step.version, [(one.path, one.old, one.new) for one in step.changes]) == (
        4, [("schedule.cron", "0 4 * * *", "0 3 * * *")],
    )  # fmt: skip


def test_what_is_exported_is_applied_without_a_change(tmp_path: Path):
    channels = [
        channel(),
        channel("hook", target={"kind": "webhook"}, per_hour=5, tags=["a"]),  # with its own secret value
        channel("pager", target={"kind": "pagerduty", "routing_key": "{{ secrets.PAGER }}"}, severity="critical"),
        channel("mail", target={"kind": "email", "to": ["a@example.org"], "server": {"host": "mx.example.org"}}),
        channel("quiet", quiet={"windows": [{"start": "22:00", "end": "07:00"}]}, enabled=False),
    ]
    pings = [ping(), ping("odd", schedule={"every": 5400}, timeout=61.5, description="a\nb", tags=["x"])]
    text = export.text(
        {"channels": export.beside(Kind.CHANNEL, channels), "pings": export.beside(Kind.PING, reversed(pings))}
    )
    files = declared(tmp_path, text)
    assert {step.action.value for step in plan_channels(files, channels, prune=True)} == {"same"}
    assert {step.action.value for step in plan_pings(files, pings, prune=True)} == {"same"}
    assert len(files.channels) == len(channels)
    assert text.startswith("channels:\n- name: hook\n  target:\n    kind: webhook\n")


def test_a_secret_that_a_file_leaves_out_stays(tmp_path: Path):
    files = declared(tmp_path, "channels:\n- {name: on-call, target: {kind: slack}}\n")
    (step,) = plan_channels(files, [channel()])
    assert step.action.value == "same"
    with pytest.raises(InvalidInput, match=r"all\.yaml:2: target\.url: must name a secret"):
        plan_channels(files, [])
    with pytest.raises(InvalidInput, match=r"target\.kind: cannot be changed"):
        plan_channels(files, [channel(target={"kind": "apprise"})])


def test_files_hold_no_secrets(tmp_path: Path):
    text = "channels:\n- name: x\n  target:\n    kind: slack\n    url: https://hooks.example.org/very-secret\n"
    with pytest.raises(InvalidInput, match=r"all\.yaml:5: target\.url: must name a secret") as refused:
        declared(tmp_path, text)
    assert "very-secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pings:\n- {name: x, enabled: false}\n", "all.yaml:2: enabled: is not a known field"),
        ("pings:\n- {name: x, grce: 3}\n", "did you mean 'grace'?"),
        ("pings:\n- {name: x}\n- {name: x}\n", "the ping 'x' is already in"),
        ("channels:\n- 3\n", "must be a channel"),
        ("channels: {}\n", "must contain a job, a list of jobs, or lists below jobs, channels, pings"),
        ("channels:\n- {name: x, digest: 5m, target: {kind: opsgenie}}\n", "digest: must be 0"),
    ],
)
def test_mistakes_are_reported_with_their_place(tmp_path: Path, text: str, words: str):
    with pytest.raises(InvalidInput) as refused:
        declared(tmp_path, text)
    assert words in str(refused.value)


def test_a_job_that_names_no_channel_is_refused_before_anything_is_done(tmp_path: Path):
    files = declared(tmp_path, "{name: x, target: {kind: script, source: x}, notify: [nobody]}\n")
    with pytest.raises(InvalidInput, match=r"all\.yaml:1: notify\[0\]: no channel named 'nobody'"):
        plan_channels(files, [channel()])
    both = FILE.replace("notify: [on-call]", "notify: [old]")
    assert plan_channels(declared(tmp_path, both), [channel("old")])
    with pytest.raises(InvalidInput, match="no channel named 'old'"):  # it would be deleted
        plan_channels(declared(tmp_path, both), [channel("old")], prune=True)


def test_only_kinds_that_files_name_are_pruned(tmp_path: Path):
    there = [channel("old")], [ping("old", tags=["ops"]), ping("other")]
    files = declared(tmp_path)
    assert ("delete", "channel old") in done(plan_channels(files, there[0], prune=True))
    assert done(plan_pings(files, there[1], prune=True))[-2:] == [("delete", "ping old"), ("delete", "ping other")]
    assert done(plan_pings(files, there[1], prune=True, tag="ops"))[-1] == ("delete", "ping old")
    jobs = declared(tmp_path, "jobs:\n- {name: x, target: {kind: script, source: x}}\n")
    assert (plan_channels(jobs, there[0], prune=True), plan_pings(jobs, there[1], prune=True)) == ([], [])
    with pytest.raises(InvalidInput, match="so all pings would be deleted"):
        plan_pings(declared(tmp_path, "pings: []\n"), there[1], prune=True)
