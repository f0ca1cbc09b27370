"""Known vulnerabilities of what Horae is made of: pip-audit for the Python packages, npm audit for the portal's.

    tools/audit.py             what was found, but for what requirements/accepted.toml accepts
    tools/audit.py --require   as well an error where no database of advisories could be asked

Which database is asked is a matter of your pip and npm configuration. Where none answers, this says so: nothing found
is then no answer.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import setup

import portal

TARGET = portal.CACHE / "audit"
PINS = ("runtime.txt", "dev.txt", "uv.txt", "node.txt")
ACCEPTED = setup.PINS / "accepted.toml"


@dataclass(frozen=True)
class Finding:
    package: str
    id: str
    aliases: tuple[str, ...] = ()
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.package}: {self.id}{self.remedy}"


@dataclass
class Report:
    """`unasked` are packages about which no one could say anything; `reason` is why there is no answer at all."""

    what: str
    asked: int = 0
    unasked: list[str] = field(default_factory=list)
    found: list[Finding] = field(default_factory=list)
    reason: str = ""


def main() -> int:
    if sys.argv[1:] not in ([], ["--require"]):
        sys.exit("usage: tools/audit.py [--require]")
    reports = [python(), npm()]
    accepted, stale = acceptance(ACCEPTED.read_text(), datetime.datetime.now(datetime.UTC).date())
    return tell(reports, accepted, stale, require=bool(sys.argv[1:]))


def tell(reports: list[Report], accepted: set[str], stale: list[str], *, require: bool) -> int:
    """Says what the reports have found; whether that is a failure."""
    bad = bool(stale)
    for line in stale:
        print(f"{ACCEPTED.name}: {line}")
    for report in reports:
        open_ = [one for one in report.found if not accepted & {one.id, *one.aliases}]
        for one in sorted(set(open_), key=str):
            print(f"{report.what}: {one}")
        if report.reason:
            print(f"NOT AUDITED: {report.what}: {report.reason}")
        elif report.unasked:
            print(f"NOT AUDITED: {report.what}: {len(report.unasked)} packages, such as {report.unasked[0]}")
        if report.asked:
            print(f"{report.what}: {report.asked} packages audited, {len(set(open_))} known vulnerabilities")
        bad = bad or bool(open_) or (require and bool(report.reason or report.unasked))
    return int(bad)


def acceptance(text: str, today: datetime.date) -> tuple[set[str], list[str]]:
    """The ids that are accepted today, and what is wrong with the others."""
    good, stale = set(), []
    for entry in tomllib.loads(text).get("accepted", []):
        if not entry.get("why") or not isinstance(entry.get("until"), datetime.date):
            stale.append(f"{entry.get('id')} needs `why` and a date `until`")
        elif entry["until"] < today:
            stale.append(f"{entry['id']} was accepted until {entry['until']}: look at it again")
        else:
            good.add(entry["id"])
    return good, stale


# ---- Python


def python() -> Report:
    pins, stamp = (setup.PINS / "audit.txt").read_text(), TARGET / ".pins"
    if not stamp.is_file() or stamp.read_text() != pins:
        setup.fetch("audit.txt", TARGET)
        stamp.write_text(pins)
    files = [word for name in PINS for word in ("-r", str(setup.PINS / name))]
    options = ["--disable-pip", "--require-hashes", "--progress-spinner", "off", "--format", "json"]
    done = subprocess.run(
        [setup.VENV / "bin" / "python", "-m", "pip_audit", *options, *files],
        env={**os.environ, "PYTHONPATH": str(TARGET)},
        capture_output=True,
        text=True,
        check=False,
    )
    return of_pip_audit(done.stdout, done.stderr)


def of_pip_audit(out: str, errors: str) -> Report:
    report = Report("python")
    try:
        packages: Iterable[dict[str, Any]] = json.loads(out)["dependencies"]
    except (ValueError, KeyError):
        report.reason = f"pip-audit could not ask: {_last(errors)}"
        return report
    for package in packages:
        if "skip_reason" in package:
            report.unasked.append(package["name"])
            continue
        report.asked += 1
        for one in package["vulns"]:
            remedy = f" (mended in {', '.join(one['fix_versions'])})" if one.get("fix_versions") else ""
            name = f"{package['name']} {package['version']}"
            report.found.append(Finding(name, one["id"], tuple(one.get("aliases", ())), remedy))
    if not report.asked:
        report.unasked, report.reason = [], "the index that pip uses has no advisories"
    return report


# ---- npm


def npm() -> Report:
    try:
        node = portal.on_machine() or portal.from_wheel()
    except portal.Missing as reason:
        return Report("npm", reason=str(reason))
    done = subprocess.run(
        [node.program, node.npm_script, "audit", "--json"],
        cwd=portal.SOURCES,
        capture_output=True,
        text=True,
        check=False,
    )
    return of_npm_audit(done.stdout, done.stderr)


def of_npm_audit(out: str, errors: str) -> Report:
    report = Report("npm")
    try:
        told = json.loads(out)
        report.asked = told["metadata"]["dependencies"]["total"]
    except (ValueError, KeyError, TypeError):
        report.reason = f"npm audit could not ask: {_last(errors)}"
        return report
    for name, package in told.get("vulnerabilities", {}).items():
        # A text names the package through which this one is concerned, which has its own entry.
        for one in (via for via in package["via"] if isinstance(via, dict)):
            advisory = one.get("url", "").rpartition("/")[2] or str(one.get("source"))
            report.found.append(Finding(f"{name} {one.get('range', '')}".strip(), advisory, (str(one.get("source")),)))
    return report


def _last(text: str) -> str:
    """The last line, without the address it came from: whose registry it is, is no one's business."""
    lines = [line for line in text.splitlines() if line.strip() and "complete log" not in line]
    words = (lines or ["no answer"])[-1].split()
    return " ".join(word for word in words if "://" not in word)[:200]


if __name__ == "__main__":
    sys.exit(main())
