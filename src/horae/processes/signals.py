"""Stop signals of a process."""

from __future__ import annotations

import asyncio
import signal

SAME = 0.1  # seconds; a signal to a whole process group may arrive again through the parent that passes it on


def stop_signals() -> tuple[asyncio.Event, asyncio.Event]:
    """Two events: the first signal requests an orderly stop, the second an immediate one.

    Blocked signals are handled by the parent: `horae up` handles the terminal's Ctrl-C and stops its children in order.
    They get a handler that does nothing, because scripts started from here would inherit a blocked or ignored signal.
    """
    loop = asyncio.get_running_loop()
    stop, stop_now = asyncio.Event(), asyncio.Event()
    first = 0.0

    def on_signal() -> None:
        nonlocal first
        if not stop.is_set():
            first = loop.time()
            stop.set()
        elif loop.time() - first > SAME:
            stop_now.set()

    blocked = {signal.SIGINT, signal.SIGHUP} & signal.pthread_sigmask(signal.SIG_BLOCK, ())
    for kind in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(kind, on_signal)
    for kind in blocked:
        loop.add_signal_handler(kind, lambda: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, blocked)
    return stop, stop_now


def ignore_signals() -> None:
    """For the very end: there is nothing left to stop, and a late signal must not make a clean end look like a kill."""
    loop = asyncio.get_running_loop()
    for kind in (signal.SIGINT, signal.SIGTERM):
        loop.remove_signal_handler(kind)
        signal.signal(kind, signal.SIG_IGN)
