"""Reading YAML: alias bombs ("billion laughs"), odd values, and the positions of mistakes."""

from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from horae.declarative import reading
from horae.declarative.files import STDIN, load
from horae.domain.errors import InvalidInput

ECHO = "name: x\ntarget:\n  kind: python\n  function: horae.echo\n  arguments: {{value: {}}}\n"
BOMB = "{a: &a [x,x,x,x,x,x,x,x,x], " + ", ".join(f"{n}: &{n} [{','.join(['*' + o] * 9)}]" for o, n in zip("abcdefgh", "bcdefghi", strict=True)) + "}"  # fmt: skip # noqa: E501


def refused(tmp_path: Path, text: str | bytes) -> str:
    (tmp_path / "a.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InvalidInput) as error:
        load([tmp_path])
    return str(error.value).removeprefix(f"{tmp_path}/")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ECHO.format(BOMB), "a.yaml: expands too much"),
        (ECHO.format("&v [*v]"), "a.yaml: expands too much"),
        (ECHO.format("[" * 5_000 + "]" * 5_000), "a.yaml: is nested too deep"),
        (ECHO.format("9" * 5_000), "a.yaml:5: is not a whole number, or is far too large"),
        (ECHO.format("1e400"), "a.yaml:5: target.arguments: must not contain NaN"),
        (ECHO.format("!!float .nan"), "a.yaml:5: is not a number"),
        (ECHO.format("!!binary aGk="), "a.yaml:5: has the tag '!!binary'"),
        (ECHO.format("!secret db"), "a.yaml:5: has the tag '!secret'"),
        (ECHO.format('"a\\0b"'), "a.yaml:5: target.arguments: texts in it must not contain the NUL"),
        (ECHO.format("a\0b"), "a.yaml:5: holds a character that YAML does not allow (0x0000)"),
        ("? [a, b]\n: x\n", "a.yaml:1: a key must be a string"),
        ("name: x\n\ttarget: y\n", "a.yaml:2: is indented with a tab"),
        ("jobs: []\njobs: []\n", "a.yaml:1: 'jobs' appears twice"),
        ("name: 5\n", "a.yaml:1: its name must be a string"),
        ("apiVersion: batch/v1\nkind: CronJob\n", "a.yaml:1: is a Kubernetes manifest"),
        (b"name: x\n# \xff\n", "a.yaml:2: is not UTF-8 text"),
        (ECHO.format(1) + "retry:\n  max_attempts: 3\n  backoff: cubic\n", "a.yaml:8: retry.backoff: should be"),
        (ECHO.format(1) + "tags:\n- fine\n- 5\n", "a.yaml:8: tags[1]: should be a valid string"),
    ],
)
def test_syntax_errors_are_reported_with_their_position(tmp_path: Path, text: str | bytes, words: str):
    assert refused(tmp_path, text).startswith(words)


def test_a_merge_key_brings_fields_that_the_job_may_say_otherwise(tmp_path: Path):
    (tmp_path / "a.yaml").write_text(
        "x-common: &common {target: {kind: script, source: a}, timeout: 70}\n"
        "jobs:\n- {<<: *common, name: one}\n- {<<: *common, name: two, timeout: 80}\n"
    )
    assert [(job.name, job.spec.timeout) for job in load([tmp_path]).jobs] == [("one", 70), ("two", 80)]


def test_a_mistake_in_an_overlay_names_the_overlay_file(tmp_path: Path):
    (tmp_path / "a.yaml").write_text("name: x\ntarget: {kind: script, source: a}\n\ntimeout: 70\n")
    (tmp_path / "a.prod.yaml").write_text("name: x\npriority: 70\n")
    with pytest.raises(InvalidInput, match=r"a\.prod\.yaml:2: priority"):
        load([tmp_path], "prod")
    (tmp_path / "a.yaml").write_text("name: x\ntarget: {kind: script, source: a}\n\ntimeout: 0\n")
    (tmp_path / "a.prod.yaml").write_text("name: x\npriority: 7\n")
    with pytest.raises(InvalidInput, match=r"a\.yaml:4: timeout"):
        load([tmp_path], "prod")


def test_standard_input(monkeypatch: pytest.MonkeyPatch):
    text = b"\xef\xbb\xbfname: x\ntarget: {kind: script, source: a}\n"
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text)))
    assert [(job.name, job.source) for job in load([STDIN]).jobs] == [("x", "standard input:1")]


def test_a_thousand_jobs_are_no_bomb(tmp_path: Path):
    one = "- {{name: job-{}, target: {{kind: script, source: a}}}}\n"
    (tmp_path / "a.yaml").write_text("".join(one.format(n) for n in range(1_000)))
    assert len(load([tmp_path]).jobs) == 1_000


def test_the_line_of_a_field_that_is_not_there_is_that_of_its_parent():
    (node,) = reading.documents("a:\n  b: 1\n", "x")
    assert [reading.line(node, path) for path in ("", "a", "a.b", "a.c", "z")] == [1, 1, 2, 1, 1]
