"""The plan of `horae apply`: which jobs to create, change or delete so that they match the files."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from horae.declarative.files import Declared
from horae.declarative.kinds import Kind
from horae.domain.errors import InvalidInput
from horae.domain.jobs.difference import Change, changes, made
from horae.domain.jobs.job import JobSpec
from horae.domain.targets.templates import STORED
from horae.domain.time.schedule import AfterSchedule

Json = dict[str, Any]


class Action(StrEnum):
    CREATE = "create"
    CHANGE = "change"
    DELETE = "delete"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Step:
    """One job, channel or ping, and what to do with it. `version` is the one that was read: if it has changed
    since, the step is refused. Channels have none."""

    action: Action
    name: str
    declared: Declared[Any] | None = None
    version: int | None = None
    changes: list[Change] = field(default_factory=list)
    kind: Kind = Kind.JOB

    @property
    def label(self) -> str:
        return self.name if self.kind is Kind.JOB else f"{self.kind} {self.name}"


def plan(
    declared: Sequence[Declared[JobSpec]], current: Iterable[Json], *, prune: bool = False, tag: str | None = None
) -> list[Step]:
    """In an order in which it can be executed: a job comes after the one that it waits for; deletions come last, in
    reverse order. With `tag`, only jobs that have it are deleted."""
    there = {job["name"]: job for job in current}
    names = {job["id"]: job["name"] for job in there.values()}
    gone = doomed(Kind.JOB, declared, there, tag) if prune else []
    staying = [job for job in there.values() if job not in gone]
    _check_upstreams(declared, {job[key] for job in staying for key in ("id", "name")})
    steps = [_step(job, there.get(job.name), names) for job in _ordered(declared)]
    return steps + [Step(Action.DELETE, job["name"], version=job["version"]) for job in _followers_first(gone, names)]


def doomed(kind: Kind, declared: Sequence[Declared[Any]], there: Mapping[str, Json], tag: str | None) -> list[Json]:
    """Those that no file contains. Empty files are treated as a mistake unless a tag limits their scope, and so is one
    without that tag: the next time it would not be found."""
    if tag is None and not declared:
        raise InvalidInput(
            "--prune", f"no file declares a {kind}, so all {kind.key} would be deleted: limit this with --tag"
        )
    for one in declared:
        if tag is not None and tag not in one.spec.tags:
            raise InvalidInput(one.source, f"{one.name!r} does not have the tag {tag!r} that --prune is limited to")
    wanted = {one.name for one in declared}
    return [one for name, one in sorted(there.items()) if name not in wanted and (tag is None or tag in one["tags"])]


def _check_upstreams(declared: Sequence[Declared[JobSpec]], staying: AbstractSet[str]) -> None:
    """Dependencies on jobs that will not exist are refused before anything is changed."""
    known = {*staying, *(job.name for job in declared)}
    for job in declared:
        schedule = job.spec.schedule
        if isinstance(schedule, AfterSchedule) and schedule.after.job not in known:
            near = difflib.get_close_matches(schedule.after.job, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            place = f"{job.source}: schedule.after.job"
            raise InvalidInput(place, f"there is no job {schedule.after.job!r}, here or in a file{hint}")


def spec_of(job: Json, names: Mapping[str, str]) -> JobSpec:
    """The definition in the API's answer; a dependency is given by its name."""
    fields = {name: job[name] for name in JobSpec.model_fields if name in job}  # an older server knows fewer
    after = fields["schedule"].get("after")
    if after and after["job"] in names:
        fields["schedule"] = {**fields["schedule"], "after": {**after, "job": names[after["job"]]}}
    return JobSpec.model_validate(fields, context=STORED)


def _step(job: Declared[JobSpec], there: Json | None, names: dict[str, str]) -> Step:
    if there is None:
        said = [change for change in made(job.spec) if change.path != "name"]
        said += [] if job.enabled else [Change("enabled", None, False)]
        return Step(Action.CREATE, job.name, job, changes=said)
    if there.get("unreadable"):  # its definition is unreadable; the file replaces it
        found = [Change("definition", there["unreadable"], "as declared")]
    else:
        found = changes(spec_of(there, names), job.spec)
    if there["enabled"] != job.enabled:
        found.append(Change("enabled", there["enabled"], job.enabled))
    return Step(Action.CHANGE if found else Action.SAME, job.name, job, there["version"], found)


def _ordered(declared: Sequence[Declared[JobSpec]]) -> list[Declared[JobSpec]]:
    """Each job after the one that it waits for."""
    by_name = {job.name: job for job in declared}
    done: dict[str, Declared[JobSpec]] = {}
    for job in sorted(declared, key=lambda job: job.name):
        chain: list[Declared[JobSpec]] = []
        upstream: Declared[JobSpec] | None = job
        while upstream is not None and upstream.name not in done:
            if upstream in chain:
                circle = " → ".join(one.name for one in [*chain[chain.index(upstream) :], upstream])
                raise InvalidInput(f"{job.source}: schedule.after", f"these wait for each other: {circle}")
            chain.append(upstream)
            schedule = upstream.spec.schedule
            upstream = by_name.get(schedule.after.job) if isinstance(schedule, AfterSchedule) else None
        for one in reversed(chain):
            done[one.name] = one
    return list(done.values())


def _followers_first(gone: list[Json], names: dict[str, str]) -> list[Json]:
    """Dependents first: a job that others depend on cannot be deleted."""
    left = {job["name"]: job for job in gone}
    order: list[Json] = []
    while left:
        awaited = {names.get(after["job"], after["job"]) for job in left.values() if (after := _after(job))}
        free = [name for name in left if name not in awaited] or list(left)
        order += [left.pop(name) for name in free]
    return order


def _after(job: Json) -> Json | None:
    after: Json | None = (job["schedule"] or {}).get("after")
    return after
