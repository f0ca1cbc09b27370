"""Imports what the children of `horae up` need, before they are forked, so that they share it."""

from importlib import import_module

_SHARED = (
    "uvicorn",
    "horae.api.app",
    "horae.executors.http",
    "horae.executors.python",
    "horae.executors.script",
    "horae.processes.scheduler",
    "horae.processes.worker",
)


def preload() -> None:
    for name in _SHARED:
        import_module(name)
