"""Decrypts the secrets that claimed runs name, and keeps them from leaking: the output and outcome of an attempt pass
through here, whatever its executor does."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from horae.domain.runs.attempt import LogSink
from horae.domain.runs.claim import Claimed
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.domain.secrets.outcome_redaction import redact_outcome
from horae.domain.secrets.redaction import redactor
from horae.domain.secrets.secret import CannotOpen, unknown
from horae.ports import Controller, Place, Specs
from horae.processes.logbook import AttemptLog
from horae.processes.redacted import RedactedLog


class Opened:
    """The secrets of one attempt, or why they are unavailable (`fault`)."""

    def __init__(self, values: Mapping[str, str], fault: Outcome | None = None) -> None:
        self.values, self.fault = values, fault
        self._known = redactor(values)
        self._log: RedactedLog | None = None

    def log(self, log: AttemptLog) -> LogSink:
        self._log = RedactedLog(log, self._known)
        return self._log

    def outcome(self, outcome: Outcome) -> Outcome:
        """The attempt's outcome; nothing comes after it."""
        if self._log is not None:
            self._log.end()
        return redact_outcome(outcome, self._known)


class Vault:
    def __init__(self, controller: Controller) -> None:
        self._controller = controller

    async def open(self, runs: Collection[Claimed], definitions: Specs) -> dict[str, Opened]:
        """By run, for those that name secrets: one query for all, none if no run does."""
        secrets = {pair: spec.target.secrets for pair, spec in definitions.items()}
        if not any(secrets.values()):
            return {}
        named = {run: names for run in runs if (names := secrets.get((run.job_id, run.version)))}
        if not named:
            return {}
        wanted = {(run.project_id, name) for run, names in named.items() for name in names}
        values = await self._controller.secrets(wanted)
        return {run.id: _opened(run.project_id, names, values) for run, names in named.items()}


def _opened(project_id: str, names: Collection[str], values: Mapping[Place, str | CannotOpen]) -> Opened:
    found: dict[str, str] = {}
    for name in sorted(names):
        value = values.get((project_id, name))
        if value is None:
            return _refused(unknown(name), permanent=True)
        if isinstance(value, CannotOpen):
            return _refused(str(value))
        found[name] = value
    return Opened(found)


def _refused(why: str, *, permanent: bool = False) -> Opened:
    """Not permanent if another worker, or this one with other settings, might succeed."""
    return Opened({}, Outcome(AttemptOutcome.FAILED, error=why, permanent=permanent))
