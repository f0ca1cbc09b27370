"""`horae apply`, `horae export`, `horae import`: jobs as files, against a running Horae."""

from pathlib import Path

import pytest

from .conftest import Horae

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

JOBS = """
jobs:
- name: declared-load
  tags: [declared]
  target: {kind: script, source: "echo load"}
  schedule: {cron: "0 2 * * *", timezone: Europe/Berlin}
- name: declared-report
  tags: [declared]
  target: {kind: script, source: "echo report"}
  schedule: {after: {job: declared-load, on: success}}
"""


def test_from_files_to_jobs_and_back(horae: Horae, tmp_path: Path):
    file = tmp_path / "jobs.yaml"
    file.write_text(JOBS)
    planned = horae("apply", str(file), "--dry-run")
    assert (planned.code, "2 to create" in planned.err) == (1, True)
    assert "+ declared-load" in planned.out
    assert horae("jobs", "show", "declared-load").code == 3, "a dry run changes nothing"
    assert horae("apply", str(file)).code == 0
    assert horae("jobs", "show", "declared-report", "--json").json["schedule"]["after"]["on"] == "success"
    again = horae("apply", str(file), "--json").json
    assert {step["action"] for step in again["steps"]} == {"same"}

    out = tmp_path / "exported.yaml"
    horae("export", "--tag", "declared", "-o", str(out))
    assert horae("export", "--tag", "declared").out == out.read_text()
    assert {step["action"] for step in horae("apply", str(out), "--json").json["steps"]} == {"same"}

    file.write_text(JOBS.replace("0 2 * * *", "0 3 * * *"))
    (change, same) = horae("apply", str(file), "--dry-run", "--json").json["steps"]
    assert (change["action"], same["action"]) == ("change", "same")
    assert change["changes"] == [{"path": "schedule.cron", "old": "0 2 * * *", "new": "0 3 * * *"}]
    assert horae("apply", str(file), "--yes").code == 0
    assert horae("jobs", "show", "declared-load", "--json").json["version"] == 2


def test_channels_and_pings_stand_beside_jobs(horae: Horae, tmp_path: Path):
    file = tmp_path / "beside.yaml"
    file.write_text(
        """
pings:
- {name: declared-backup, schedule: {cron: "0 3 * * *", timezone: Europe/Rome}, grace: 2h, tags: [ops]}
jobs:
- {name: declared-notifier, target: {kind: script, source: "true"}, notify: [declared-hook]}
channels:
- {name: declared-hook, target: {kind: webhook, url: "{{ secrets.DECLARED_URL }}"}, severity: warning}
- name: declared-mail
  target: {kind: email, to: [ops@example.org], server: {host: mx.example.org, port: 25, security: none}}
"""
    )
    refused = horae("apply", str(file))
    assert (refused.code, "channel declared-hook: target.url: no secret named DECLARED_URL" in refused.err) == (1, True)
    value = tmp_path / "value"
    value.write_text("https://example.org/very-secret")
    assert horae("secrets", "set", "DECLARED_URL", "--from-file", str(value)).code == 0
    steps = horae("apply", str(file), "--json").json["steps"]
    assert [(step["action"], step["kind"], step["error"]) for step in steps] == [
        ("create", "channel", None), ("same", "channel", None), ("create", "job", None), ("same", "ping", None),
    ]  # fmt: skip
    assert steps[0]["signing_key"].startswith("whsec_")

    exported = horae("export")
    file.write_text(exported.out)
    assert "very-secret" not in exported.out
    assert "{{ secrets.DECLARED_URL }}" in exported.out
    assert "declared-hook" in exported.err, "its signing key is not exported"
    assert {step["action"] for step in horae("apply", str(file), "--prune", "--json").json["steps"]} == {"same"}

    file.write_text(exported.out.replace("port: 25", "port: 26").replace("    timezone: Europe/Rome\n", ""))
    changed = [step for step in horae("apply", str(file), "--json").json["steps"] if step["action"] == "change"]
    assert [(step["name"], step["changes"][0]["path"], step["error"]) for step in changed] == [
        ("declared-mail", "target.server.port", None),
        ("declared-backup", "schedule.timezone", None),
    ]
    assert {step["action"] for step in horae("apply", str(file), "--json").json["steps"]} == {"same"}
    for noun, name in (("jobs", "notifier"), ("channels", "hook"), ("channels", "mail"), ("pings", "backup")):
        assert horae(noun, "delete", f"declared-{name}", "--yes").code == 0


def test_pruning_is_asked_for_and_kept_to_its_tag(horae: Horae, tmp_path: Path):
    file = tmp_path / "jobs.yaml"
    file.write_text(JOBS.replace("declared", "pruned"))
    assert horae("apply", str(file)).code == 0
    horae("jobs", "create", "not-pruned", "--script", "true")
    file.write_text("jobs: []\n")
    refused = horae("apply", str(file), "--prune", "--tag", "pruned")
    assert (refused.code, "--yes: is required" in refused.err) == (2, True)
    done = horae("apply", str(file), "--prune", "--tag", "pruned", "--yes", "--json").json
    assert [(step["action"], step["job"]) for step in done["steps"]] == [
        ("delete", "pruned-report"),
        ("delete", "pruned-load"),
    ]
    assert horae("jobs", "show", "not-pruned").code == 0


def test_failed_steps_are_named_and_the_rest_is_applied(horae: Horae, tmp_path: Path):
    file = tmp_path / "jobs.yaml"
    file.write_text(
        "- {name: fine-one, target: {kind: script, source: x}}\n"
        "- {name: bad-one, target: {kind: python, function: nobody_has_it}}\n"
    )
    said = horae("apply", str(file))
    assert (said.code, "bad-one: " in said.err) == (1, True)
    assert horae("jobs", "show", "fine-one").code == 0
    file.write_text("- {name: x, target: {kind: script}, prority: 3}\n")
    refused = horae("apply", str(file))
    assert (refused.code, f"{file}:1" in refused.err) == (2, True)


def test_a_crontab_becomes_jobs(horae: Horae, tmp_path: Path):
    tab, out = tmp_path / "crontab", tmp_path / "jobs.yaml"
    tab.write_text("CRON_TZ=UTC\n*/5 * * * * /usr/bin/imported --all\n")
    said = horae("import", "crontab", str(tab))
    out.write_text(said.out)
    assert (said.code, "1 jobs" in said.err) == (0, True)
    assert horae("apply", str(out)).code == 0
    assert horae("jobs", "show", "imported", "--json").json["schedule"]["cron"] == "*/5 * * * *"
    assert horae("import", "celery-beat", "nowhere:app").code == 2


def test_what_exceeds_a_quota_is_refused_as_a_whole(horae: Horae, tmp_path: Path):
    file = tmp_path / "jobs.yaml"
    file.write_text(JOBS.replace("declared", "many"))
    there = horae("projects", "quota", "default", "--json").json["jobs"]["used"]
    told = horae("projects", "quota", "default", "--jobs", str(there + 1), "--fires-per-minute", "none")
    assert (told.code, f"{there + 1}" in told.out) == (0, True)
    try:
        for arguments in (["--yes"], ["--dry-run"], ["--json"]):
            refused = horae("apply", str(file), *arguments)
            assert refused.code != 0
            assert f"quota jobs is {there + 1}: {there} in use, and these files need 2 more" in refused.err
        assert horae("jobs", "show", "many-load").code == 3
        horae("projects", "quota", "default", "--jobs", "none", "--fires-per-minute", "0")
        refused = horae("apply", str(file))
        assert (refused.code, "quota fires_per_minute is 0" in refused.err) == (1, True)
        one = horae("jobs", "create", "one-more", "--script", "true", "--every", "1m")
        assert (one.code, "quota fires_per_minute is 0" in one.err) == (1, True)
    finally:
        assert horae("projects", "quota", "default", "--jobs", "none", "--fires-per-minute", "none").code == 0
    assert horae("apply", str(file)).code == 0


def test_quotas_are_shown_and_set(horae: Horae):
    table = horae("projects", "quota", "default", "--log-bytes-per-day", "1GiB")
    assert "1,073,741,824" in table.out
    assert horae("projects", "quota", "default", "--json").json["log_bytes_per_day"] == {
        "limit": 1 << 30, "used": 0, "refused_at": None,
    }  # fmt: skip
    wrong = horae("projects", "quota", "default", "--jobs", "few")
    assert (wrong.code, "--jobs: must be a whole number, or `none`" in wrong.err) == (2, True)
    assert horae("projects", "quota", "nowhere").code == 3
    horae("projects", "quota", "default", "--log-bytes-per-day", "none")
