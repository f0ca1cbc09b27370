"""What a worker knows about its queues: which of them have something for it, and when. It queries only those, so that a
thousand queues with nothing due cost no more than one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence


class DueQueues:
    """`served` are the queues of the worker, in order; None for all of them, which take turns, except those to
    `leave`."""

    def __init__(self, served: Sequence[str] | None, leave: Callable[[str], bool] = lambda _: False) -> None:
        self.served, self._leave = served, leave
        self._due: dict[str, float] = {}  # by queue: when, by the caller's clock
        self._hinted: set[str] = set()  # separate, since a hint may arrive during a query
        self._last = ""  # the queue that came first last time

    def hint(self, queue: str) -> bool:
        """Something may have come into a queue; False if this worker does not serve it."""
        if not self._serves(queue):
            return False
        self._hinted.add(queue)
        return True

    def learn(self, waits: Mapping[str, float], now: float) -> None:
        """All queues, as just read."""
        self._due = {queue: now + wait for queue, wait in waits.items() if self._serves(queue)}

    def _serves(self, queue: str) -> bool:
        return not self._leave(queue) if self.served is None else queue in self.served

    def ask(self, now: float, most: int) -> list[str]:
        """The queues to claim `most` runs from, in order: each has at least one, so no more are needed. The result of
        the claim is `told` later."""
        due = list(self._hinted.union(queue for queue, at in self._due.items() if at <= now))
        if self.served is not None:
            due = sorted(set(self.served).intersection(due), key=self.served.index)
        elif len(due) > 1:
            due.sort(key=lambda queue: (queue <= self._last, queue))
        asked = due[: max(most, 1)]
        for queue in asked:
            self._due.pop(queue, None)
        self._hinted.difference_update(asked)
        if asked:
            self._last = asked[0]
        return asked

    def told(self, asked: Sequence[str], waits: Mapping[str, float] | None, now: float) -> None:
        """None if the claim did not exhaust these queues: there may be more."""
        if waits is None:
            self._hinted.update(asked)
        else:
            self._due |= {queue: now + wait for queue, wait in waits.items()}

    def wait(self, now: float) -> float | None:
        """Seconds until something is due; None if nothing is known to be."""
        if self._hinted:
            return 0
        return max(min(self._due.values()) - now, 0) if self._due else None
