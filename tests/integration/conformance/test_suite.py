"""The conformance suite of the worker protocol can fail: each flaw of a toy agent is found by the check that is about
it, and the same agent without the flaw passes that check. Its sentences are those of the documentation."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from horae.conformance.__main__ import main
from horae.conformance.check import CHECKS
from horae.conformance.running import CheckVerdict, verdict
from horae.conformance.shapes import complaint

TOY = [sys.executable, "-S", str(Path(__file__).with_name("toy_agent.py"))]
DOCS = Path(__file__).resolve().parents[3] / "docs"
FLAWS = {
    "says-more": "register",
    "changes-instance": "register-reply-lost",
    "claims-anew": "claim-reply-lost",
    "never-says-again": "claim-reply-lost",
    "polls": "long-poll",
    "overbooks": "slots",
    "reads-anything": "unreadable-field",
    "ignores-faults": "secrets-fault",
    "ignores-retry-after": "too-many-requests",
    "hammers-when-revoked": "key-revoked-pause",
    "never-renews": "renew",
    "ignores-cancel": "cancel",
    "ignores-lost": "lost",
    "reports-lost": "lost",
    "outlives-leases": "lease-over",
    "ends-only-the-shell": "script-timeout",
    "calls-everything-failed": "script-timeout",
    "forgets-reports": "report-reply-lost",
    "mixes-up-logs": "logs-in-order",
    "logs-too-late": "logs-in-order",
    "leaks": "redaction-split",
    "leaves-silently": "shutdown-idle",
    "leaves-claims": "shutdown-claim",
}


@pytest.mark.slow
async def test_every_flaw_of_a_toy_agent_is_found_by_its_check():
    turns = asyncio.Semaphore(10)

    async def judged(flaw: str, name: str) -> CheckVerdict:
        async with turns:
            return await verdict(CHECKS[name], [*TOY, flaw], patience=12 if flaw == "" else 6)

    flawed = await asyncio.gather(*(judged(flaw, name) for flaw, name in FLAWS.items()))
    passed = [flaw for flaw, found in zip(FLAWS, flawed, strict=True) if found.passed]
    assert not passed
    assert all(found.sentence and found.found for found in flawed)
    sound = await asyncio.gather(*(judged("", name) for name in sorted(set(FLAWS.values()))))
    assert [(found.check.name, found.found) for found in sound if not found.passed] == []


def test_sentences_are_those_of_the_documentation():
    for check in CHECKS.values():
        page = " ".join((DOCS / check.page).read_text().split())
        assert check.sentence in page, check.name


@pytest.mark.parametrize(
    ("verb", "body", "said"),
    [
        ("renew", {"worker_id": "w"}, "renew: runs is missing"),
        ("renew", {"worker_id": "w", "runs": [{"id": "r", "token": "x"}]}, "renew: runs [0] token must be a UUID"),
        ("goodbye", {"worker_id": "w", "why": ""}, "goodbye: why is not a field that the page lists"),
        ("signals", {"worker_id": "w", "wait": True}, "signals: wait must be a number from 0 to 30"),
        ("signals", [], "signals: must be an object"),
        ("sing", {}, "there is no /api/v1/worker/sing"),
        ("signals", {"worker_id": "w", "wait": 2.5}, None),
    ],
)
def test_requests_are_held_to_the_page(verb, body, said):
    assert complaint(verb, body) == said


def test_a_single_check_of_an_agent_that_does_not_start(capsys):
    assert main(["--check", "register", "--patience", "1", "--", "false"]) == 1
    printed = capsys.readouterr().out
    assert "register               FAILED" in printed
    assert "it has exited with 1" in printed
    assert "0 passed, 1 failed, 0 skipped" in printed


def test_without_an_agent_it_says_how_to_name_one(capsys):
    assert main([]) == 2
    assert "name the command that starts your agent" in capsys.readouterr().err


def test_it_lists_its_checks_without_a_database():
    listed = subprocess.run(
        [sys.executable, "-m", "horae.conformance", "--list"], capture_output=True, text=True, check=True
    )
    assert len(listed.stdout.splitlines()) == len(CHECKS)
