"""Logs in tests: short, and as they were before once the test is over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from horae.watch import logging


@contextmanager
def plain() -> Iterator[None]:
    """structlog's own default draws a failure with all its local variables, which takes seconds. Nothing is cached: a
    logger first used here would keep this level in the tests that follow."""
    before = structlog.get_config()
    logging.configure(form="json", level="warning")
    structlog.configure(cache_logger_on_first_use=False)
    yield
    structlog.configure(**before)
