"""Watchdog of the event loop: a thread that notices when the loop is blocked, and names the function that blocks it.

One function that blocks (a `time.sleep`, a request without `await`) stops all others on the loop, and claims and
reports too. The heartbeat has its own thread, so no lease is lost; but the operator should know.
"""

from __future__ import annotations

import sys
import threading
from types import FrameType

from horae.ports import Clock
from horae.processes.loop import log

PATIENCE = 1.0  # seconds without a turn of the loop
_LOOK = 0.5
EXECUTOR = "horae.executors.python"  # whose frames call functions


class Watcher:
    """The loop calls `turned` a few times per second. One warning for each time that it blocks."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._turned_at = self._looked_at = clock.monotonic()
        self._said = False
        self._stop = threading.Event()
        self._thread_id = 0
        self._thread = threading.Thread(target=self._watch, name="horae-watcher", daemon=True)

    def start(self) -> None:
        """On the thread to watch."""
        self._thread_id = threading.get_ident()
        self.turned()
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()

    def turned(self) -> None:
        now = self._clock.monotonic()
        if self._said:
            log.info("the event loop is running again", blocked=round(now - self._turned_at, 1))
        self._turned_at, self._said = now, False

    def _watch(self) -> None:
        while not self._stop.wait(_LOOK):
            self.look()

    def look(self) -> None:
        now = self._clock.monotonic()
        asleep, self._looked_at = now - self._looked_at > 2 * _LOOK + PATIENCE, now
        # If this thread was late as well, the whole process was: stopped, or the machine asleep.
        if self._said or asleep or now - self._turned_at <= PATIENCE:
            return
        self._said = True
        function, where = _functions(sys._current_frames().get(self._thread_id))
        log.warning(
            "the event loop is blocked, and all runs of this worker are waiting: await instead, or make it a plain "
            "function",
            seconds=round(now - self._turned_at, 1),
            function=function,
            where=where,
        )


def _functions(frame: FrameType | None) -> tuple[str, str]:
    """Which function blocks the thread, and where it is: from the innermost frame out to the executor that called
    it."""
    if frame is None:
        return "unknown", "unknown"
    innermost = called = frame
    while frame is not None and not _calls_functions(frame):
        called, frame = frame, frame.f_back
    return called.f_code.co_qualname if frame is not None else "unknown", _place(called, innermost)


def _calls_functions(frame: FrameType) -> bool:
    return bool(frame.f_globals.get("__name__") == EXECUTOR)


def _place(called: FrameType, innermost: FrameType) -> str:
    """`/srv/tasks.py:12`, or with what it called, `/srv/tasks.py:12, in socket.py:706 readinto`."""
    place = f"{called.f_code.co_filename}:{called.f_lineno}"
    if innermost is called:
        return place
    code = innermost.f_code
    return f"{place}, in {code.co_filename}:{innermost.f_lineno} {code.co_qualname}"
