"""The common startup of all processes."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Coroutine
from typing import Any, TypeVar

import uvloop

from horae import __version__, memory
from horae.clock import SystemClock, SystemIds
from horae.config import Settings, open_files
from horae.domain.jobs.policy import Defaults, Retry
from horae.processes.loop import log
from horae.watch.logging import configure, report_errors

T = TypeVar("T")
CLOCK, IDS = SystemClock(), SystemIds()


def configured(settings: Settings, role: str) -> None:
    if settings.debuggable:
        memory.reopen()
    else:
        memory.close()
    configure(form=settings.log_format, level=settings.log_level, role=role)
    if settings.sentry_dsn:
        from horae.watch.sentry import SentryReporter

        report_errors(SentryReporter(settings.sentry_dsn, __version__))
    for words in open_files(settings):
        log.warning(words)


def defaults_of(settings: Settings) -> Defaults:
    """Defaults for new jobs."""
    retry = {
        "max_attempts": settings.default_retry_attempts,
        "backoff": settings.default_retry_backoff,
        "delay": settings.default_retry_delay,
    }
    return Defaults(settings.default_timeout, Retry.model_validate(retry), settings.start_within)


def settle_down() -> None:
    """Excludes what was loaded at startup from garbage collection: scanning it cost a tenth of a busy worker's time."""
    gc.collect()
    gc.freeze()


def run(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)
