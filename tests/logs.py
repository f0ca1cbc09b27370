"""Logs in tests: short, and as they were before once the test is over."""

from __future__ import annotations

import logging as standard
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from horae.watch import logging


@contextmanager
def as_before() -> Iterator[None]:
    """Restores the logs: a level that one test chose must not silence the tests after it."""
    root, config = standard.getLogger(), structlog.get_config()
    level, handlers = root.level, list(root.handlers)
    yield
    root.setLevel(level)
    root.handlers[:] = handlers
    structlog.configure(**config)


@contextmanager
def plain() -> Iterator[None]:
    """structlog's own default draws a failure with all its local variables, which takes seconds. Nothing is cached: a
    logger first used here would keep this level in the tests that follow."""
    with as_before():
        logging.configure(form="json", level="warning")
        structlog.configure(cache_logger_on_first_use=False)
        yield
