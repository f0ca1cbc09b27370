"""Plans: what would be done so that the jobs are as the files say."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from horae.api.views import definition_json
from horae.declarative.export import export
from horae.declarative.files import Declared, load
from horae.declarative.plan import Action, plan
from horae.domain.errors import InvalidInput
from horae.domain.jobs.job import JobSpec

SCRIPT = {"kind": "script", "source": "true"}


def declared(name: str, *, enabled: bool = True, **fields: Any) -> Declared[JobSpec]:
    return Declared(JobSpec.model_validate({"name": name, "target": SCRIPT, **fields}), enabled, "file")


def there(name: str, *, enabled: bool = True, **fields: Any) -> dict[str, Any]:
    spec = JobSpec.model_validate({"name": name, "target": SCRIPT, **fields})
    return {"id": f"id of {name}", "version": 3, "enabled": enabled, **definition_json(spec)}


def done(steps: list[Any]) -> list[tuple[str, str]]:
    return [(step.action.value, step.name) for step in steps]


def test_jobs_are_created_changed_kept_and_deleted_only_with_prune():
    files = [declared("new"), declared("same", timeout=60), declared("other", priority=7)]
    now = [there("same", timeout=60), there("other"), there("extra")]
    assert done(plan(files, now)) == [("create", "new"), ("change", "other"), ("same", "same")]
    steps = plan(files, now, prune=True)
    assert done(steps)[-1] == ("delete", "extra")
    assert {step.name: step.version for step in steps} == {"new": None, "other": 3, "same": 3, "extra": 3}
    (change,) = steps[1].changes
    assert (change.path, change.old, change.new) == ("priority", 5, 7)


def test_turning_off_is_a_change():
    (step,) = plan([declared("x", enabled=False)], [there("x")])
    assert [(c.path, c.old, c.new) for c in step.changes] == [("enabled", True, False)]


def test_predecessors_are_created_first_and_deleted_last():
    def after(name: str) -> Any:
        return {"after": {"job": name}}

    files = [declared("a", schedule=after("b")), declared("b", schedule=after("c")), declared("c")]
    assert [step.name for step in plan(files, [])] == ["c", "b", "a"]
    now = [there("c"), there("b", schedule=after("id of c")), there("a", schedule=after("b"))]
    assert {step.action for step in plan(files, now)} == {Action.SAME}
    assert [step.name for step in plan([declared("d")], now, prune=True)] == ["d", "a", "b", "c"]


def test_a_circle_is_refused_before_anything_is_done():
    files = [declared("a", schedule={"after": {"job": "b"}}), declared("b", schedule={"after": {"job": "a"}})]
    with pytest.raises(InvalidInput, match="a → b → a"):
        plan(files, [])


def test_what_is_exported_is_applied_without_a_change(tmp_path: Path):
    now = [
        there("plain"),
        there("cron", schedule={"cron": "0 9 * * MON-FRI", "timezone": "Europe/Berlin"}, tags=["a", "b"], timeout=61.5),
        there("allow", schedule={"every": "90s"}, overlap="allow", retry={"max_attempts": 1}),
        there("many", schedule={"every": "1h"}, max_instances=3, enabled=False),
        there("unlimited", schedule={"every": "1h"}, max_instances=None, overlap="queue_all"),
        there("script", target={"kind": "script", "source": "set -e\necho 'hello'\n\ttab \n", "args": ["22:00", "no"]}),
        there("http", target={"kind": "http", "url": "https://example.org/", "body": '{"a": "{{ input.x }}"}'}),
        there("python", target={"kind": "python", "function": "f", "arguments": {"on": 1.0, "x": None, "s": "1"}}),
        there("after", schedule={"after": {"job": "id of cron", "on": "any"}}),
        there("ünï: 'x' # \"y\"", description="a\nb\n\n  c"),
    ]
    names = {job["id"]: job["name"] for job in now}
    text = export(now, names)
    assert text == export(reversed(now), names)
    (tmp_path / "jobs.yaml").write_text(text)
    steps = plan(load([tmp_path]).jobs, now, prune=True)
    assert {(step.action.value, tuple(step.changes)) for step in steps} == {("same", ())}
    assert len(steps) == len(now)
    assert "job: cron" in text
    assert yaml.safe_load(text)["jobs"][-1]["name"].startswith("ünï")
    (tmp_path / "jobs.yaml").write_text(export([], {}))
    assert load([tmp_path]).jobs == []


def test_pruning_by_a_tag_leaves_the_jobs_of_others_alone():
    now = [there("mine", tags=["a"]), there("old", tags=["a", "b"]), there("theirs", tags=["b"]), there("bare")]
    assert done(plan([declared("mine", tags=["a"])], now, prune=True, tag="a")) == [
        ("same", "mine"), ("delete", "old"),
    ]  # fmt: skip
    assert done(plan([], now, prune=True, tag="b")) == [("delete", "old"), ("delete", "theirs")]
    with pytest.raises(InvalidInput, match="'mine' does not have the tag 'a'"):
        plan([declared("mine")], now, prune=True, tag="a")
    with pytest.raises(InvalidInput, match="no file declares a job, so all jobs would be deleted"):
        plan([], now, prune=True)


def test_an_unknown_predecessor_is_refused_before_anything_is_done():
    waits = declared("waits", schedule={"after": {"job": "lod"}})
    with pytest.raises(InvalidInput, match="there is no job 'lod', here or in a file; did you mean 'load'"):
        plan([waits, declared("load")], [])
    assert done(plan([waits], [there("lod")])) == [("create", "waits")]
    with pytest.raises(InvalidInput, match="there is no job 'lod'"):
        plan([waits], [there("lod")], prune=True)  # it would be deleted


def test_the_changes_of_a_new_job_omit_its_name():
    (step,) = plan([declared("x", timeout=60)], [])
    assert [change.path for change in step.changes] == ["target", "timeout"]
