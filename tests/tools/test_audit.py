"""The audit of packages: what it makes of the answers of pip-audit and npm, and of no answer at all."""

import datetime
import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import audit

TODAY = datetime.date(2026, 11, 16)
FINE: dict[str, Any] = {"name": "fine", "version": "1.0", "vulns": []}
BAD: dict[str, Any] = {
    "name": "bad",
    "version": "1.0",
    "vulns": [{"id": "PYSEC-2026-1", "aliases": ["CVE-2026-1"], "fix_versions": ["1.1"], "description": "…"}],
}
SKIPPED = {"name": "strange", "skip_reason": "not found"}
NPM: dict[str, Any] = {
    "metadata": {"dependencies": {"total": 2}},
    "vulnerabilities": {
        "direct": {"via": ["deep"]},
        "deep": {"via": [{"source": 7, "url": "https://example.org/advisories/GHSA-1", "range": "<2"}]},
    },
}


def pip(*packages: dict[str, Any]) -> audit.Report:
    return audit.of_pip_audit(json.dumps({"dependencies": packages}), "")


def test_a_known_vulnerability_fails(capsys: pytest.CaptureFixture[str]):
    assert audit.tell([pip(FINE, BAD)], set(), [], require=False) == 1
    assert "python: bad 1.0: PYSEC-2026-1 (mended in 1.1)" in capsys.readouterr().out
    assert audit.tell([audit.of_npm_audit(json.dumps(NPM), "")], set(), [], require=False) == 1
    assert "npm: deep <2: GHSA-1" in capsys.readouterr().out


@pytest.mark.parametrize("accepted", ["PYSEC-2026-1", "CVE-2026-1"])
def test_an_accepted_vulnerability_passes(accepted: str):
    assert audit.tell([pip(BAD)], {accepted}, [], require=True) == 0


@pytest.mark.parametrize(
    "report",
    [
        pip(SKIPPED),
        audit.of_pip_audit("", "Traceback\nConnectionError: cannot reach https://index.example.org/simple now"),
        audit.of_npm_audit('{"error": {"summary": ""}}', "npm error audit endpoint returned an error\n"),
        audit.of_npm_audit("", ""),
    ],
)
def test_an_unavailable_database_is_reported_as_not_audited(report: audit.Report, capsys: pytest.CaptureFixture[str]):
    assert audit.tell([report], set(), [], require=False) == 0
    told = capsys.readouterr().out
    assert told.startswith("NOT AUDITED: ")
    assert "://" not in told
    assert "audited," not in told
    assert audit.tell([report], set(), [], require=True) == 1


def test_packages_that_were_not_audited_are_reported(capsys: pytest.CaptureFixture[str]):
    assert audit.tell([pip(FINE, SKIPPED)], set(), [], require=False) == 0
    told = capsys.readouterr().out
    assert "NOT AUDITED: python: 1 packages, such as strange" in told
    assert "python: 1 packages audited, 0 known vulnerabilities" in told


def test_what_is_accepted_has_a_reason_and_an_end():
    text = """
        accepted = [
            {id = "A", why = "only for Windows", until = 2026-11-16},
            {id = "B", why = "only for Windows", until = 2026-11-15},
            {id = "C", until = 2026-12-01},
            {id = "D", why = "no date", until = "soon"},
        ]
    """
    good, stale = audit.acceptance(text, TODAY)
    assert good == {"A"}
    assert [line.split()[0] for line in stale] == ["B", "C", "D"]
    assert audit.tell([], good, stale, require=False) == 1


def test_the_accepted_list_of_this_repository_is_valid():
    audit.acceptance(audit.ACCEPTED.read_text(), TODAY)
