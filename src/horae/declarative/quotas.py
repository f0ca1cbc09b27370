"""Whether the declared jobs fit into the project's quotas: checked before anything is changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from horae.declarative.kinds import Kind
from horae.declarative.plan import Action, Step, spec_of
from horae.domain.errors import QuotaReached
from horae.domain.people.quota import Quota, amount
from horae.domain.time.rate import per_hour

Json = dict[str, Any]


def check(steps: Sequence[Step], current: Iterable[Json], quotas: Mapping[str, Json]) -> None:
    """Raises QuotaReached if they do not. Deletions come last and free no places here."""
    there = {job["name"]: job for job in current}
    needed = {
        Quota.JOBS: sum(step.action is Action.CREATE for step in steps if step.kind is not Kind.CHANNEL),
        Quota.FIRES_PER_MINUTE: sum(_more_fires(step, there.get(step.name)) for step in steps if step.kind is Kind.JOB),
    }
    for quota, places in needed.items():
        known = quotas.get(quota.value) or {}
        limit, used, wanted = known.get("limit"), known.get("used") or 0, amount(quota, places)
        if limit is not None and places > 0 and used + wanted > limit:
            raise QuotaReached(
                f"the project's quota {quota.value} is {limit}: {used:,} in use, and these files need {wanted:,} more; "
                "nothing was changed",
                quota=quota.value,
                limit=limit,
                used=used,
            )


def _more_fires(step: Step, there: Json | None) -> int:
    """Per hour; negative if there are fewer than before."""
    if step.action is Action.SAME:
        return 0
    before = 0
    if there is not None and there["enabled"] and not there.get("unreadable"):
        before = per_hour(spec_of(there, {}).schedule)
    if step.declared is None:
        return 0
    return (per_hour(step.declared.spec.schedule) if step.declared.enabled else 0) - before
