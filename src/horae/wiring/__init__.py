"""The composition root: chooses the adapters and builds the processes. The only place that knows all of Horae.

The functions here block until their work, or their process, ends; the command line calls them.
"""

from __future__ import annotations

import horae.watch.structlog_alone  # noqa: F401
from horae.store.schema import known_revision
from horae.wiring.accounts import create_key, create_user, ensure_local_key, reset_second_factor, rotate_secrets
from horae.wiring.engines import broker_trouble
from horae.wiring.executors import executors_for, register_functions
from horae.wiring.intake import intake
from horae.wiring.preloading import preload
from horae.wiring.serving import serve
from horae.wiring.shared import CLOCK, IDS
from horae.wiring.sign_in import cannot_sign_on, unknown_projects
from horae.wiring.stores import cannot_wake, look, migrate, read_definitions, store_for, wakeups_for, way_back
from horae.wiring.working import scheduler, worker

__all__ = [
    "CLOCK",
    "IDS",
    "broker_trouble",
    "cannot_sign_on",
    "cannot_wake",
    "create_key",
    "create_user",
    "ensure_local_key",
    "executors_for",
    "intake",
    "known_revision",
    "look",
    "migrate",
    "preload",
    "read_definitions",
    "register_functions",
    "reset_second_factor",
    "rotate_secrets",
    "scheduler",
    "serve",
    "store_for",
    "unknown_projects",
    "wakeups_for",
    "way_back",
    "worker",
]
