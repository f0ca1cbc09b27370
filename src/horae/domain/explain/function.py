"""The gate for the function that a job calls."""

from __future__ import annotations

from horae.domain.explain.explanation import Gate, command
from horae.domain.explain.facts import JobFacts
from horae.domain.jobs.function import FunctionRecord
from horae.domain.jobs.job import JobSpec
from horae.domain.targets import PythonTarget


def function_of(spec: JobSpec | None) -> str | None:
    """The name of the function that a job calls, if it calls one."""
    return spec.target.function if spec is not None and isinstance(spec.target, PythonTarget) else None


def _unimportable(function: FunctionRecord) -> Gate:
    """Without the reason, which is for admins: the text of an exception may contain anything."""
    detail = f"no worker can import the function that it calls ({function.name}: {function.handler_path})"
    remedy = f"{command('functions', 'show', function.name)} says why, to admins"
    return Gate("function", "closed", detail, remedy)


def function_gates(facts: JobFacts) -> list[Gate]:
    """None if there is nothing to say about it, which is almost always the case."""
    function = facts.function
    if function is None:
        return []
    if function.is_active:
        return [] if function.import_error is None else [_unimportable(function)]
    detail = f"the function that it calls ({function.name}) is disabled: occurrences are skipped, triggers refused"
    enable = f"{command('functions', 'enable', function.name)} (an admin can)"
    return [Gate("function", "closed", detail, enable, meaning="intended")]
