"""Imports what the children of `horae up` need, before they are forked, so that they share it."""


def preload() -> None:
    import uvicorn  # noqa: F401

    import horae.api.app
    import horae.executors.http
    import horae.executors.python
    import horae.executors.script
    import horae.processes.scheduler
    import horae.processes.worker  # noqa: F401
