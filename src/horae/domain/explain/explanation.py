"""Explanations: the shape of the answer, and the phrases that all answers share."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from horae.domain.time.cron_words import listed
from horae.domain.time.durations import two_largest

GateState = Literal["open", "closed", "unknown", "info"]
Meaning = Literal["problem", "doubt", "intended", "waiting", "consequence"]
"""What a closed gate means: someone has to act; it is not known yet; a person or a rule wanted it so; it is a matter of
time or load; or it follows from another closed gate (likewise if that one is `unknown`)."""
Level = Literal["ok", "info", "waiting", "intended", "warning", "problem"]

_LEVELS: dict[Meaning, Level] = {
    "problem": "problem",
    "doubt": "warning",
    "intended": "intended",
    "waiting": "waiting",
    "consequence": "waiting",
}

_MOST_NAMED = 3
_LONGEST_ERROR = 200
_UNITS = ((86_400, " d"), (3_600, " h"), (60, " min"), (1, " s"))


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition for a run to start. `detail` is a clause that can follow a colon; `unblock` says what would open a
    closed gate, and `until` when it opens automatically; `meaning` says what that means."""

    name: str
    state: GateState
    detail: str
    unblock: str | None = None
    until: datetime | None = None
    meaning: Meaning = "problem"

    @property
    def closed(self) -> bool:
        return self.state == "closed"

    @property
    def level(self) -> Level:
        """How serious it is: a healthy job has no `problem`, even though not all of its gates are open."""
        if self.state == "closed":
            return _LEVELS[self.meaning]
        if self.state == "unknown":  # not evaluated, because of an earlier gate, or not known
            return "info" if self.meaning == "consequence" else "warning"
        return "ok" if self.state == "open" else "info"


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """A past or future event of a run; `waited_ms` passed since the previous entry, with `waited_for`."""

    at: datetime
    event: str
    detail: str
    waited_ms: int | None = None
    waited_for: str | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer, true `at` that instant of the database's clock: one sentence, then the gates in the order in which
    they are passed, and for a run its timeline. `cause` is the gate that the sentence is about."""

    at: datetime
    summary: str
    gates: tuple[Gate, ...]
    timeline: tuple[TimelineEntry, ...] = ()

    @property
    def cause(self) -> Gate | None:
        return foremost(self.gates) or doubtful(self.gates)

    @property
    def level(self) -> Level:
        return "ok" if self.cause is None else self.cause.level


def foremost(gates: Sequence[Gate]) -> Gate | None:
    """The root cause among the closed gates: what requires action comes before what resolves automatically, and what
    merely follows from another cause (a limit that a stuck run has reached) comes last."""
    return min((gate for gate in gates if gate.closed), key=_rank, default=None)


def _rank(gate: Gate) -> int:
    if gate.meaning == "consequence":
        return 3
    if gate.until is not None:
        return 1
    return 2 if gate.meaning == "waiting" else 0


def doubtful(gates: Sequence[Gate]) -> Gate | None:
    return next((gate for gate in gates if gate.state == "unknown"), None)


def besides(gates: Sequence[Gate], named: Gate) -> str:
    """The other closed gates, by name."""
    others = [gate.name for gate in gates if gate.closed and gate is not named]
    return f"; also blocked by {listed(others)}" if others else ""


# Words


def span(time: timedelta) -> str:
    """The two largest units: "1 d 3 h", "2 min 5 s"; below a second, milliseconds."""
    seconds = abs(time.total_seconds())
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return two_largest(seconds, _UNITS)


def moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def when(at: datetime, now: datetime) -> str:
    """An instant, and its distance from now."""
    return f"{moment(at)} ({distance(at, now)})"


def distance(at: datetime, now: datetime) -> str:
    return f"in {span(at - now)}" if at > now else f"{span(now - at)} ago"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def named(names: Iterable[str], total: int = 0) -> str:
    """A few names, and how many more there are (of a `total`, if not all names are known)."""
    found = list(names)
    shown = found[:_MOST_NAMED]
    rest = max(len(found), total) - len(shown)
    if rest:
        shown.append(f"{rest} more" if shown else counted(rest, "other"))
    return listed(shown) if shown else "none"


def brief(error: str | None) -> str:
    """The first line of an error, cut to fit into a sentence."""
    lines = (error or "").strip().splitlines()
    if not lines:
        return "no reason given"
    return lines[0] if len(lines[0]) <= _LONGEST_ERROR else lines[0][:_LONGEST_ERROR] + "…"


def command(*words: str) -> str:
    """A command line to be copied."""
    return f"horae {shlex.join(words)}"
