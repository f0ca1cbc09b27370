"""Routing: which notices become messages of a channel, and when, by rules, quiet hours, repeats, digests and the rate
limit. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from horae.domain.notify.channel import OPENING, ChannelSpec, QuietHours, at_least, hears
from horae.domain.notify.message import EMPTY, LINES, Message, Notice
from horae.domain.notify.notice import NoticeKind, Severity
from horae.domain.time.blackouts import closed_until

MOST_PENDING = 100  # messages of a channel; further notices are collected
_OVERFLOW = timedelta(minutes=10)  # for how long they are collected
_WINDOWS = 50  # quiet windows that may follow each other without a gap
_OPENED_BY: Mapping[NoticeKind, tuple[NoticeKind, ...]] = {
    NoticeKind.RECOVERY: (NoticeKind.FAILURE, NoticeKind.DEAD_LETTER),
    NoticeKind.CLEARED: (NoticeKind.ALERT, NoticeKind.BUDGET),
}


@dataclass(frozen=True, slots=True)
class Told:
    """The latest message of a channel about an incident, by cause."""

    id: str  # of the delivery
    kind: str
    cause: str | None
    at: datetime

    @property
    def opens(self) -> bool:
        return self.kind in OPENING


@dataclass(frozen=True, slots=True)
class RoutingState:
    """The state of a channel when notices arrive: the latest messages by incident, the level of its bucket, and the
    digest in progress."""

    told: Mapping[str, Sequence[Told]] = field(default_factory=dict)  # oldest first
    level: float = 0.0
    digest: Message | None = None
    pending: int = 0  # messages that have not been sent yet


@dataclass(slots=True)
class RoutingPlan:
    """`single` are notices with their own message; `digest` is everything collected now, due at `due_at` at the
    latest (None: unchanged). `repeats`: how many additional notices each message covers, by the id of its delivery or,
    for a message of this plan, of its notice."""

    single: list[Notice] = field(default_factory=list)
    collected: list[Notice] = field(default_factory=list)
    digest: Message | None = None
    due_at: datetime | None = None
    repeats: dict[str, int] = field(default_factory=dict)
    level: float = 0.0


def concerns(name: str, spec: ChannelSpec, notice: Notice) -> bool:
    """Whether a channel may get a notice. A notice that closes an incident goes to every channel that reported it: its
    job, and the rules of the channel, may have changed in the meantime."""
    return matches(name, spec, notice) if notice.opens else hears(spec.events, notice.kind)


def matches(name: str, spec: ChannelSpec, notice: Notice) -> bool:
    """Whether a channel gets a notice at all. If the job names the channel, its tags and jobs do not matter."""
    if not hears(spec.events, notice.kind):
        return False
    # A notice that closes an incident is as important as the one that opened it.
    if notice.opens and not at_least(notice.severity, spec.severity):
        return False
    if name in notice.channels:
        return True
    if spec.named_only:
        return False
    if spec.tags and not set(spec.tags).intersection(notice.tags):
        return False
    return not spec.jobs or (
        notice.subject_kind == "job"
        and notice.subject_name is not None
        and any(fits(notice.subject_name, job) for job in spec.jobs)
    )


def fits(name: str, pattern: str) -> bool:
    """Whether a name is what a pattern with `*` describes. Not by a regular expression, whose backtracking would take
    hours for some patterns: what may stand between two `*` is searched for from left to right, once."""
    first, *rest = pattern.split("*")
    if not rest:
        return name == first
    *between, last = rest
    at, end = len(first), len(name) - len(last)
    if at > end or not (name.startswith(first) and name.endswith(last)):
        return False
    for part in between:
        found = name.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def quiet_until(quiet: QuietHours | None, now: datetime) -> datetime | None:
    """The end of the quiet hours that `now` lies in."""
    if quiet is None:
        return None
    until: datetime | None = None
    for _ in range(_WINDOWS):
        further = closed_until(quiet.windows, quiet.timezone, until or now)
        if further is None:
            break
        until = further
    return until


def _wakes(quiet: QuietHours | None, severity: Severity) -> bool:
    """Whether a message of this severity is sent in quiet hours."""
    return quiet is None or (quiet.allow is not None and at_least(severity, quiet.allow))


def drained(level: float, since: datetime | None, now: datetime, per_hour: int) -> float:
    """The level of a channel's bucket now."""
    if since is None:
        return 0.0
    return max(level - max((now - since).total_seconds(), 0.0) * per_hour / 3_600, 0.0)


def plan(name: str, spec: ChannelSpec, notices: Sequence[Notice], state: RoutingState, now: datetime) -> RoutingPlan:
    """For notices that concern the channel, in order."""
    return _Planning(name, spec, state, now).of(notices)


class _Planning:
    def __init__(self, name: str, spec: ChannelSpec, state: RoutingState, now: datetime) -> None:
        self.name, self.spec, self.now, self.pending = name, spec, now, state.pending
        self.found = RoutingPlan(level=state.level)
        self.told = {key: list(messages) for key, messages in state.told.items()}
        self.digest = state.digest
        self.lines = {line.key for line in state.digest.lines} if state.digest else set()
        self.quiet = quiet_until(spec.quiet, now)

    def of(self, notices: Sequence[Notice]) -> RoutingPlan:
        for notice in notices:
            self._place(notice)
        if self.found.collected:
            if self.digest is None:
                self.found.level += 1
            self.found.digest = (self.digest or EMPTY).with_notices(self.found.collected)
        return self.found

    def _place(self, notice: Notice) -> None:
        until = self._held(notice)
        if notice.key in self.lines and (until is not None or not notice.opens):
            self._collect(notice, until)
        elif repeated := self._repeats(notice):
            self.found.repeats[repeated] = self.found.repeats.get(repeated, 0) + 1
        elif not notice.opens and self._needless(notice):
            return
        elif until is not None:
            self._collect(notice, until)
        else:
            self.found.level += 1
            self.found.single.append(notice)
            self.told.setdefault(notice.key, []).append(Told(notice.id, notice.kind, notice.cause, self.now))

    def _repeats(self, notice: Notice) -> str:
        """The message that already said so; empty if there is none. For a message of this plan, the notice."""
        said = self.told.get(notice.key, [])
        if not notice.opens or not said or not said[-1].opens:
            return ""
        since = self.now - timedelta(seconds=self.spec.repeat_after)
        same = [one for one in said if one.opens and one.cause == notice.cause and one.at > since]
        return same[-1].id if same else ""

    def _needless(self, notice: Notice) -> bool:
        """A closing notice is not needed if nothing was sent about the incident, unless the channel does not listen to
        what opens such incidents. An on-call service that does gets it all the same, in case the log of what was sent
        has expired."""
        said = self.told.get(notice.key, [])
        if said:
            return not said[-1].opens
        if not matches(self.name, self.spec, notice):
            return True
        heard = any(hears(self.spec.events, kind) for kind in _OPENED_BY[notice.kind])
        if self.spec.pages:
            return not heard or not at_least(notice.severity, self.spec.severity)
        return heard

    def _held(self, notice: Notice) -> datetime | None:
        """Until when it waits to be sent together with others."""
        if self.spec.pages and not notice.opens:
            return None  # it wakes no one
        wakes = _wakes(self.spec.quiet, notice.severity)
        if self.quiet is not None and not wakes:
            return self.quiet
        until = self._joined()
        if until is None or wakes:
            return until
        return quiet_until(self.spec.quiet, until) or until

    def _joined(self) -> datetime | None:
        """When the digest is due that it joins; None if it gets its own message."""
        if self.spec.digest:
            return self.now + timedelta(seconds=self.spec.digest)
        over = self.found.level + 1 - self.spec.per_hour
        if over > 0:
            return self.now + timedelta(seconds=over * 3_600 / self.spec.per_hour)
        if self.pending + len(self.found.single) >= MOST_PENDING:
            return self.now + _OVERFLOW
        return None

    def _collect(self, notice: Notice, due_at: datetime | None) -> None:
        self.found.collected.append(notice)
        if len(self.lines) < LINES:
            self.lines.add(notice.key)
        if due_at is not None and (self.found.due_at is None or due_at < self.found.due_at):
            self.found.due_at = due_at


FIRST_PAUSE, LONGEST_PAUSE, TRIES = 10.0, 3_600.0, 24


def pause_after(tries: int, chance: float, asked: float | None = None) -> float | None:
    """Seconds until a delivery is retried after so many tries; None: give up. `asked` is what the receiver
    requested."""
    if tries >= TRIES:
        return None
    pause = min(FIRST_PAUSE * 2.0 ** (tries - 1), LONGEST_PAUSE) * (0.75 + 0.5 * chance)
    return max(pause, min(asked, LONGEST_PAUSE)) if asked is not None else pause


def quiet_pause(pause: float, spec: ChannelSpec, message: Message, now: datetime) -> float:
    """A pause before the next try, prolonged to the end of the quiet hours that it would end in."""
    if message.is_trial or _wakes(spec.quiet, message.severity):
        return pause
    if spec.pages and not any(line.opens for line in message.lines):
        return pause
    until = quiet_until(spec.quiet, now + timedelta(seconds=pause))
    return pause if until is None else (until - now).total_seconds()
