"""The alert rules and the dashboard that come with Horae: they name only what exists, and Prometheus takes them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from horae.cli.commands import app as command_line
from horae.domain.cluster.metrics import AUTH_FAILURES, FAMILIES, QUEUE_AGE, QUEUE_DEPTH, RUNS
from horae.watch.alert_rules import ALERT_RULES, AlertRule, prometheus_rules
from horae.watch.dashboard import grafana_dashboard
from horae.watch.queries import quantile, rate, select, total
from tests.lacking import lacking

NAMES = {family.name for family in FAMILIES} | {
    f"{family.name}{suffix}"
    for family in FAMILIES
    if family.kind == "histogram"
    for suffix in ("_bucket", "_count", "_sum")
}
QUERIES = [rule.expression for rule in ALERT_RULES] + [
    target["expr"] for panel in grafana_dashboard()["panels"] for target in panel.get("targets", ())
]


def promtool() -> str:
    return shutil.which("promtool") or lacking("no promtool: install Debian's prometheus")


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_names_only_metrics_that_exist(query: str) -> None:
    named = set(re.findall(r"horae_\w+", query))
    assert named
    assert named <= NAMES


def test_a_query_cannot_name_a_label_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match="horae_runs_total has no label 'state'"):
        select(RUNS, state="failed")
    with pytest.raises(ValueError, match="horae_queue_oldest_seconds is not a histogram"):
        quantile(QUEUE_AGE, 0.99)


def test_the_remedies_name_commands_that_exist() -> None:
    groups = {group.name for group in command_line.registered_groups}
    alone = {command.name for command in command_line.registered_commands}
    for rule in ALERT_RULES:
        for word in re.findall(r"`horae (\w+)", rule.remedy):
            assert word in groups | alone, rule.name


def test_the_panels_of_the_dashboard_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    panels = grafana_dashboard()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    for panel in panels:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        assert place["x"] + place["w"] <= 24
        taken |= cells


def series(name: str, values: str) -> dict[str, str]:
    return {"series": name, "values": values}


# What each alert is made to fire by, minute by minute, and the labels that it then has.
FORCED: dict[str, tuple[list[dict[str, str]], dict[str, str]]] = {
    "HoraeNoWorker": (
        [series('horae_workers{status="offline"}', "1x20"), series('horae_shards{state="owned"}', "64x20")],
        {},
    ),
    "HoraeUnseen": ([series("horae_shards", "_x20")], {}),
    "HoraeNotReady": ([series('horae_ready{instance="w1"}', "0x20")], {"instance": "w1"}),
    "HoraeShardsWithoutScheduler": ([series('horae_shards{state="free"}', "3x20")], {}),
    "HoraeQueueWaits": ([series('horae_queue_oldest_seconds{queue="mail"}', "2000+60x20")], {"queue": "mail"}),
    "HoraeRunsFail": (
        [
            series('horae_runs_total{status="failed"}', "0+60x40"),
            series('horae_runs_total{status="succeeded"}', "0+60x40"),
        ],
        {},
    ),
    "HoraeDeadLettersGrow": ([series("horae_dead_letters_open", "0+1x200")], {}),
    "HoraeProcessInTrouble": (
        [series('horae_loop_troubled{instance="w1", loop="claim"}', "1x20")],
        {"instance": "w1", "loop": "claim"},
    ),
    "HoraeDatabaseSlow": (
        [
            series('horae_statement_seconds_bucket{instance="w1", le="1.0"}', "0+1x40"),
            series('horae_statement_seconds_bucket{instance="w1", le="2.5"}', "0+60x40"),
            series('horae_statement_seconds_bucket{instance="w1", le="+Inf"}', "0+60x40"),
        ],
        {"instance": "w1"},
    ),
    "HoraeFiresLate": (
        [
            series('horae_fire_lag_seconds_bucket{le="10.0"}', "0+1x40"),
            series('horae_fire_lag_seconds_bucket{le="30.0"}', "0+60x40"),
            series('horae_fire_lag_seconds_bucket{le="+Inf"}', "0+60x40"),
        ],
        {},
    ),
    "HoraeRunsStartLate": (
        [
            series('horae_lateness_seconds_bucket{le="60.0"}', "0+1x60"),
            series('horae_lateness_seconds_bucket{le="300.0"}', "0+60x60"),
            series('horae_lateness_seconds_bucket{le="+Inf"}', "0+60x60"),
        ],
        {},
    ),
    "HoraeSlotsExhausted": (
        [
            series("horae_slots", "16x90"),
            series("horae_slots_busy", "16x90"),
            series('horae_queue_depth{queue="mail"}', "5x90"),
        ],
        {},
    ),
    "HoraeSignInsRefused": ([series('horae_auth_failures_total{kind="key"}', "0+600x40")], {}),
    "HoraeDeliveriesFail": (
        [series('horae_deliveries_total{kind="slack", result="failed"}', "0x5 1x20")],
        {"kind": "slack"},
    ),
    "HoraeNotificationsWait": ([series("horae_notifications_oldest_seconds", "600+60x40")], {}),
    "HoraeWakeupsLost": ([series('horae_wakeups_reliable{instance="w1"}', "1x20 0x60")], {"instance": "w1"}),
}
WELL = [
    series('horae_workers{status="idle"}', "2x200"),
    series('horae_shards{state="free"}', "0x200"),
    series('horae_ready{instance="w1"}', "1x200"),
    series('horae_ready{instance="leaving"}', "0x200"),
    series('horae_worker_draining{instance="leaving"}', "1x200"),
    series('horae_queue_oldest_seconds{queue="mail"}', "3x200"),
    series('horae_runs_total{status="failed"}', "0+1x200"),
    series('horae_runs_total{status="succeeded"}', "0+60x200"),
    series("horae_dead_letters_open", "7x200"),
    series('horae_deliveries_total{kind="slack", result="sent"}', "0+60x200"),
    series('horae_deliveries_total{kind="slack", result="failed"}', "3x200"),
    series("horae_notifications_oldest_seconds", "20x200"),
    series('horae_loop_troubled{instance="w1", loop="claim"}', "0x200"),
    series("horae_slots", "16x200"),
    series("horae_slots_busy", "4x200"),
    series('horae_wakeups_reliable{instance="maria"}', "0x200"),
]


def play(folder: Path, given: list[dict[str, str]], minutes: int, expected: dict[str, list[dict[str, Any]]]) -> None:
    """Has Prometheus itself play the rules on these series; what their texts say is not compared."""
    rules = prometheus_rules()
    for rule in rules["groups"][0]["rules"]:
        del rule["annotations"]
    alerts = [{"eval_time": f"{minutes}m", "alertname": name, "exp_alerts": fired} for name, fired in expected.items()]
    (folder / "rules.yml").write_text(yaml.safe_dump(rules))
    evaluate(folder, {"interval": "1m", "input_series": given, "alert_rule_test": alerts}, ["rules.yml"])


def evaluate(folder: Path, test: dict[str, Any], rules: Sequence[str] = ()) -> None:
    (folder / "tests.yml").write_text(yaml.safe_dump({"rule_files": list(rules), "tests": [test]}))
    command = [promtool(), "test", "rules", "tests.yml"]
    told = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr


def test_what_every_serve_reports_counts_once(tmp_path: Path) -> None:
    given = [
        series(f'{name}{{instance="{instance}"}}'.replace("}{", ", "), values)
        for instance in ("serve-1", "serve-2")
        for name, values in {
            'horae_queue_depth{queue="mail"}': "3x10",
            'horae_queue_depth{queue="web"}': "4x10",
            'horae_runs_total{status="failed"}': "0+60x10",
            'horae_runs_total{status="succeeded"}': "0+120x10",
            'horae_auth_failures_total{kind="key"}': "0+60x10",
        }.items()
    ]
    expected = {
        total(QUEUE_DEPTH): [("{}", 7)],
        total(QUEUE_DEPTH, ("queue",)): [('{queue="mail"}', 3), ('{queue="web"}', 4)],
        rate(RUNS): [("{}", 3)],
        rate(RUNS, status="failed"): [("{}", 1)],
        rate(AUTH_FAILURES): [("{}", 2)],  # each counts its own
    }
    asked = [
        {"expr": query, "eval_time": "10m", "exp_samples": [{"labels": at, "value": value} for at, value in samples]}
        for query, samples in expected.items()
    ]
    evaluate(tmp_path, {"interval": "1m", "input_series": given, "promql_expr_test": asked})


def test_prometheus_takes_the_rules(tmp_path: Path) -> None:
    file = tmp_path / "rules.yml"
    file.write_text(yaml.safe_dump(prometheus_rules()))
    told = subprocess.run([promtool(), "check", "rules", str(file)], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    assert f"{len(ALERT_RULES)} rules found" in told.stdout


def test_nothing_fires_while_all_is_well(tmp_path: Path) -> None:
    play(tmp_path, WELL, 180, {rule.name: [] for rule in ALERT_RULES})


@pytest.mark.parametrize("rule", ALERT_RULES, ids=lambda rule: rule.name)
def test_an_alert_fires_when_it_should(rule: AlertRule, tmp_path: Path) -> None:
    given, labels = FORCED[rule.name]
    minutes = sum(map(int, re.findall(r"x(\d+)", given[0]["values"])))
    play(tmp_path, given, minutes, {rule.name: [{"exp_labels": {"severity": rule.severity, **labels}}]})
