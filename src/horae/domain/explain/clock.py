"""The gates of a clock schedule: from whether any occurrences are left to which scheduler fires them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from horae.domain.cluster.process import ShardView
from horae.domain.cluster.trouble import Trouble
from horae.domain.explain.capacity import silent
from horae.domain.explain.explanation import Gate, command, distance, moment, named, span, when
from horae.domain.explain.facts import JobFacts
from horae.domain.time.blackouts import WEEKDAYS, BlackoutRange, WeeklyWindow, closed_until
from horae.domain.time.calendar import calendar_of
from horae.domain.time.openings import Timed, next_open
from horae.domain.time.schedule import AfterSchedule, AtSchedule
from horae.domain.time.zones import zone

_LATE = timedelta(seconds=10)  # a scheduler that owns the shard takes a fraction of that


def clock_gates(facts: JobFacts, schedule: Timed) -> list[Gate]:
    gates = [_occurrences(facts, schedule)]
    for make in (_bounds, _blackout, _due):
        gate = make(facts, schedule)
        if gate is None:
            continue
        # If an earlier gate is closed, a later one does not matter yet.
        settled = not facts.job.enabled or facts.paused or any(one.closed for one in gates)
        gates.append(replace(gate, state="info", unblock=None) if settled and gate.closed else gate)
    return gates if facts.shard is None else [*gates, _scheduler(facts, facts.shard)]


def _occurrences(facts: JobFacts, schedule: Timed) -> Gate:
    job, now, limit = facts.job, facts.now, schedule.max_runs
    used_up = limit is not None and job.fired_count >= limit
    left = job.next_run_at is not None
    if not job.enabled:  # it has none until it is enabled, and continues from that moment
        left = not used_up and next_open(schedule, calendar_of(schedule, job.anchor_at), now) is not None
    if left:
        made = "occurrences are left" if limit is None else f"{job.fired_count} of at most {limit} runs have fired"
        return Gate("occurrences", "open", made)
    if used_up:
        cause, remedy = f"max_runs ({limit}) is reached", "raise max_runs"
    elif schedule.end_at is not None and schedule.end_at < now:
        cause, remedy = f"its end_at was {when(schedule.end_at, now)}", "give it a later end_at"
    elif isinstance(schedule, AtSchedule):
        cause, remedy = f"its only time was {when(schedule.at, now)}", "give it another time"
    else:
        cause, remedy = "its calendar has ended", "give it another schedule"
    unblock = f"{remedy}, or {by_hand(facts)}"
    return Gate("occurrences", "closed", f"no occurrences are left: {cause}", unblock, meaning="intended")


def after_gates(facts: JobFacts, schedule: AfterSchedule) -> list[Gate]:
    """What keeps a job from following another one just now."""
    found = _bounds(facts, schedule)
    gates = [found] if found is not None else []
    end = schedule.end_at
    if end is not None and end < facts.now:
        remedy = f"give it a later end_at, or {by_hand(facts)}"
        gates = [Gate("start_end", "closed", f"it ended at {when(end, facts.now)}", remedy, meaning="intended")]
    for blackout in schedule.blackouts:
        until = closed_until([blackout], schedule.timezone, facts.now)
        if until is not None:
            which = blackout_in_words(blackout, schedule.timezone)
            detail = f"it is in the blackout {which}: a run that ends now does not start it"
            unblock = f"wait until {moment(until)}, or {by_hand(facts)}"
            gates.append(Gate("blackout", "closed", detail, unblock, until, "waiting"))
            break
    return gates


def _bounds(facts: JobFacts, schedule: Timed | AfterSchedule) -> Gate | None:
    start, end, now = schedule.start_at, schedule.end_at, facts.now
    if start is not None and start > now:
        unblock = f"wait, or {by_hand(facts)}"
        return Gate("start_end", "closed", f"it begins at {when(start, now)}", unblock, start, "waiting")
    if end is not None:
        return Gate("start_end", "open", f"it {'ends' if end > now else 'ended'} at {when(end, now)}")
    return None if start is None else Gate("start_end", "open", f"it began at {when(start, now)}")


def _blackout(facts: JobFacts, schedule: Timed) -> Gate | None:
    """Closed if the very next occurrence is in a blackout: a blackout at another time does not matter."""
    if not schedule.blackouts:
        return None
    through = facts.job.fired_through
    after = facts.now if through is None else max(facts.now, through)
    coming = None if facts.due else calendar_of(schedule, facts.job.anchor_at).next_after(after)
    if coming is not None:
        for blackout in schedule.blackouts:
            end = closed_until([blackout], schedule.timezone, coming)
            if end is not None:
                which = blackout_in_words(blackout, schedule.timezone)
                detail = f"its next occurrence, {moment(coming)}, falls in the blackout {which} and will be skipped"
                unblock = f"wait until {moment(end)}, or {by_hand(facts)}"
                return Gate("blackout", "closed", detail, unblock, end, "waiting")
    return Gate("blackout", "open", "its next occurrence is not in a blackout")


def blackout_in_words(blackout: BlackoutRange | WeeklyWindow, timezone: str) -> str:
    if isinstance(blackout, BlackoutRange):
        return f"from {moment(blackout.start)} to {moment(blackout.end)}"
    days = "every day" if len(blackout.days) == len(WEEKDAYS) else f"on {', '.join(blackout.days)}"
    return f"from {blackout.start} to {blackout.end} {days}, {timezone}"


def _due(facts: JobFacts, schedule: Timed) -> Gate:
    at, now = facts.job.next_run_at, facts.now
    if at is None:
        return Gate("due", "info", "no occurrence is planned")
    if at <= now:
        return Gate("due", "open", f"its occurrence of {when(at, now)} is due")
    there = (
        "" if schedule.timezone == "UTC" else f", {at.astimezone(zone(schedule.timezone)):%H:%M} {schedule.timezone}"
    )
    spread = f", spread by up to {span(timedelta(seconds=schedule.jitter))}" if schedule.jitter else ""
    detail = f"it is due {distance(at, now)}, at {moment(at)}{there}{spread}"
    return Gate("due", "closed", detail, f"wait, or {by_hand(facts)}", at, "waiting")


def _scheduler(facts: JobFacts, shard: ShardView) -> Gate:
    now, at = facts.now, facts.job.next_run_at
    names = {one.id: f"scheduler {one.name}" for one in facts.schedulers}
    owner = names.get(shard.owner_id or "", f"scheduler {shard.owner_id}")
    if shard.owner_id is None or shard.lease_until is None:
        detail = f"no scheduler owns its shard {shard.shard}"
    elif shard.lease_until <= now:
        detail = (
            f"no live scheduler owns its shard {shard.shard}: {owner} did, but its lease ran out "
            f"{distance(shard.lease_until, now)}"
        )
    elif (trouble := _fails_to_fire(facts, shard.owner_id)) is not None:
        detail = f"{owner} has failed to fire schedules for {span(now - trouble.since)}: {trouble.reason}"
        return Gate("scheduler", "closed", detail, "fix the cause; its log has the full error, and it keeps trying")
    elif facts.due and at is not None and now - at > _LATE:
        detail = f"{owner} owns its shard {shard.shard}, yet it is {span(now - at)} late"
        return Gate("scheduler", "unknown", detail, "see the log of that scheduler")
    else:
        return Gate("scheduler", "open", f"{owner} owns its shard {shard.shard}")
    others = [
        names[one.id] for one in facts.schedulers if one.id != shard.owner_id and not silent(one.heartbeat_at, now)
    ]
    start = f"start a scheduler: {command('scheduler')}"
    unblock = f"wait: {named(others)} should take over the shard within seconds" if others else start
    return Gate("scheduler", "closed", detail, unblock)


def _fails_to_fire(facts: JobFacts, owner_id: str) -> Trouble | None:
    owner = next((one for one in facts.schedulers if one.id == owner_id), None)
    return owner.trouble if owner and owner.trouble and owner.trouble.loop == "fire" else None


def by_hand(facts: JobFacts) -> str:
    return f"start it by hand: {command('jobs', 'run', facts.spec.name)}"
