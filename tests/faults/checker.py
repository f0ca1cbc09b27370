"""Compares what attempts wrote down themselves, what the database says, and what the calendar expects.

An attempt's number stands for its token: a claim increments the one and renews the other, and jobs are given the
first alone. Two claims with the same number would show as an attempt that began twice.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

from tests.faults.tally import Tally
from tests.integration.cluster.cluster import Cluster
from tests.integration.cluster.oracle import Note, Oracle

Row = dict[str, Any]
Calendar = Mapping[str, Sequence[datetime]]

_RUNS = (
    'id, job_id, "trigger", status, reason, scheduled_for, scheduled_until, occurrences, attempt, uncounted, worker_id'
)


NOT_PROMISED = "overlapping, not promised"


class Checker:
    """`calendar`: the occurrences of each job; `asked`: runs that were triggered; `silent`: jobs that note nothing;
    `may_fail`: runs whose end need not be a success; `limits`: how many runs of a job may be under way."""

    def __init__(self, cluster: Cluster, oracle: Oracle) -> None:
        self._cluster, self._oracle = cluster, oracle
        self.calendar: dict[str, list[datetime]] = {}
        self.asked: set[str] = set()
        self.may_fail: set[str] = set()
        self.silent: set[str] = set()
        self.limits: dict[str, int] = {}
        self.overlaps_allowed = False
        self.asleep: set[str] = set()  # workers that slept: what ran within them may go on for a moment
        self.wrong: list[str] = []

    async def check(self, tally: Tally) -> list[str]:
        """Fills the tally; what is wrong, in words."""
        history = await self._cluster.ask(f"SELECT {_RUNS} FROM run_history")
        live = await self._cluster.ask("SELECT id, status FROM runs")
        tried = await self._cluster.ask("SELECT run_id, n, outcome, worker_id FROM attempts")
        self._occurrences(history, tally)
        self._asked(history, tally)
        tally.lost += self._count("still live", [f"{row['id']} {row['status']}" for row in live])
        self._ends(history, tally)
        self._attempts(history, tried)
        self._overlaps(history, tried, tally)
        self._stale(history, tally)
        return self.wrong

    def _count(self, what: str, found: Collection[str]) -> int:
        if found:
            self.wrong.append(f"{what}: {len(found)}, such as {', '.join(sorted(found)[:3])}")
        return len(found)

    def _occurrences(self, history: Sequence[Row], tally: Tally) -> None:
        covered: dict[str, Counter[datetime]] = defaultdict(Counter)
        for row in history:
            if row["trigger"] == "schedule" and row["job_id"] in self.calendar:
                covered[row["job_id"]].update(_covers(row, self.calendar[row["job_id"]], self.wrong))
        for job_id, instants in self.calendar.items():
            counts, wanted = covered[job_id], set(instants)
            tally.expected += len(wanted)
            tally.created += len(wanted & counts.keys())
            tally.duplicated += self._count(
                "occurrences with two rows", [f"{job_id} {at}" for at, n in counts.items() if n > 1]
            )
            tally.lost += self._count("occurrences without a row", [f"{job_id} {at}" for at in wanted - counts.keys()])
            self._count("occurrences that no calendar knows", [f"{job_id} {at}" for at in counts.keys() - wanted])

    def _asked(self, history: Sequence[Row], tally: Tally) -> None:
        ids = Counter(row["id"] for row in history)
        tally.expected += len(self.asked)
        tally.created += len(self.asked & ids.keys())
        tally.lost += self._count("runs that were asked for and are gone", self.asked - ids.keys())
        tally.duplicated += self._count("runs that ended twice", [run_id for run_id, n in ids.items() if n > 1])

    def _ends(self, history: Sequence[Row], tally: Tally) -> None:
        worked = {(note.run_id, note.attempt) for note in self._oracle.notes("end")}
        succeeded = [row for row in history if row["status"] == "succeeded" and row["job_id"] not in self.silent]
        tally.lost += self._count(
            "successes that nobody worked for",
            [row["id"] for row in succeeded if (row["id"], row["attempt"]) not in worked],
        )
        bad = [
            row for row in history if row["status"] not in ("succeeded", "skipped") and row["id"] not in self.may_fail
        ]
        self._count("runs that should have succeeded", [f"{row['id']} {row['status']} {row['reason']}" for row in bad])

    def _attempts(self, history: Sequence[Row], tried: Sequence[Row]) -> None:
        """Everything that began is known: as the attempt that ended its run, or as one that did not."""
        known = {(row["id"], row["attempt"]) for row in history} | {(row["run_id"], row["n"]) for row in tried}
        began = Counter((note.run_id, note.attempt) for note in self._oracle.notes("start"))
        self._count("attempts unknown to the database", [f"{run} {n}" for run, n in began.keys() - known])
        self._count("attempts that began twice", [f"{run} {n}" for (run, n), times in began.items() if times > 1])

    def _overlaps(self, history: Sequence[Row], tried: Sequence[Row], tally: Tally) -> None:
        spans = _spans(self._oracle.notes())
        slept = {(row["run_id"], row["n"]) for row in tried if row["worker_id"] in self.asleep}
        found = [(run, a.attempt) for run, its in spans.items() for a, b in pairwise(its) if b.begins < a.ends]
        excused = [one for one in found if self.overlaps_allowed or one in slept]
        if self.overlaps_allowed or self.asleep:
            tally.notes[NOT_PROMISED] = tally.notes.get(NOT_PROMISED, 0) + len(excused)
        wrong = [f"{run} {attempt}" for run, attempt in found if (run, attempt) not in excused]
        tally.overlapping += self._count("attempts at the same time", wrong)
        by_job: dict[str, list[Span]] = defaultdict(list)
        for row in history:
            by_job[row["job_id"]] += spans.get(row["id"], [])
        for job_id, limit in self.limits.items():
            if (most := _most_at_once(by_job[job_id])) > limit:
                tally.overlapping += self._count(f"more than {limit} runs at a time", [f"{job_id} {most}"])

    def _stale(self, history: Sequence[Row], tally: Tally) -> None:
        """A run that was ended by an attempt after a later one had begun was ended by a worker without its lease."""
        latest: dict[str, int] = defaultdict(int)
        for note in self._oracle.notes():
            latest[note.run_id] = max(latest[note.run_id], note.attempt)
        tally.stale_accepted += self._count(
            "stale writes accepted", [row["id"] for row in history if row["attempt"] < latest[row["id"]]]
        )
        for member in self._cluster.members:
            tally.stale_refused += sum(len(line["runs"]) for line in member.logged("results refused"))


class Span:
    """From an attempt's first note to its last."""

    def __init__(self, notes: Iterable[Note]) -> None:
        notes = list(notes)
        self.attempt = notes[0].attempt
        self.begins = min(note.at for note in notes)
        self.ends = max(note.at for note in notes)


def _spans(notes: Iterable[Note]) -> dict[str, list[Span]]:
    grouped: dict[str, dict[int, list[Note]]] = defaultdict(lambda: defaultdict(list))
    for note in notes:
        grouped[note.run_id][note.attempt].append(note)
    return {run: [Span(its[n]) for n in sorted(its)] for run, its in grouped.items()}


def _most_at_once(spans: Iterable[Span]) -> int:
    moves = sorted(
        [(span.begins, 1) for span in spans] + [(span.ends, -1) for span in spans], key=lambda m: (m[0], m[1])
    )
    most = now = 0
    for _, step in moves:
        now += step
        most = max(most, now)
    return most


def _covers(row: Row, instants: Sequence[datetime], wrong: list[str]) -> list[datetime]:
    """The occurrences that a row stands for: a skipped one may stand for many."""
    first, last = row["scheduled_for"], row["scheduled_until"] or row["scheduled_for"]
    within = [at for at in instants if first <= at <= last] or [first]
    if row["occurrences"] != len(within):
        wrong.append(f"a row stands for {row['occurrences']} occurrences, by the calendar {len(within)}: {row['id']}")
    return within
