"""The tasks that the tests' workers execute. The oracle is a file: a line for every step of every attempt, on disk
before the step continues."""
# ruff: noqa: TID251, ASYNC110 (these are no tests: they take their time)

import asyncio
import os
import signal
import time
from pathlib import Path

import horae


def note(path: str, step: str, context: horae.Context) -> None:
    line = f"{context.run_id} {context.attempt} {step} {os.getpid()} {time.time():.6f}\n"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, line.encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@horae.task
async def nothing(seconds: float = 0.0) -> None:
    await asyncio.sleep(seconds)


@horae.task
async def noted(path: str, context: horae.Context, seconds: float = 0.0) -> None:
    note(path, "start", context)
    await asyncio.sleep(seconds)
    note(path, "end", context)


@horae.task
async def gated(path: str, gate: str, context: horae.Context) -> int:
    """Goes on when the file `gate` exists; says so if it is stopped before."""
    note(path, "start", context)
    context.log(f"attempt {context.attempt} waits")
    try:
        while not Path(gate).exists():
            await asyncio.sleep(0.02)
    except asyncio.CancelledError:
        note(path, "stopped", context)
        context.log(f"attempt {context.attempt} was stopped")
        raise
    note(path, "end", context)
    return context.attempt


@horae.task(isolation="thread")
def deaf(path: str, gate: str, context: horae.Context) -> None:
    """Blocks its thread and ignores cancellation."""
    note(path, "start", context)
    while not Path(gate).exists():
        time.sleep(0.02)
    note(path, "end", context)


@horae.task
async def ticking(path: str, context: horae.Context, seconds: float = 0.0) -> None:
    """Reports all the time that it is alive."""
    note(path, "start", context)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        await asyncio.sleep(0.05)
        note(path, "alive", context)
    note(path, "end", context)


@horae.task(isolation="process")
def ticking_apart(path: str, context: horae.Context, seconds: float = 0.0) -> None:
    """The same in its own process."""
    note(path, "start", context)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.05)
        note(path, "alive", context)
    note(path, "end", context)


@horae.task
async def poison(path: str, context: horae.Context) -> None:
    """Takes its worker with it."""
    note(path, "start", context)
    os.kill(os.getpid(), signal.SIGKILL)


@horae.task
async def spits(kind: str, context: horae.Context) -> object:
    """What no database can store, printed and returned."""
    context.log("nul \0, surrogate \udc80, bell \a")
    if kind == "raises odd":
        raise RuntimeError("\udc80\0" * 100_000)
    cycle: list[object] = []
    cycle.append(cycle)
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    odd: dict[str, object] = {
        "surrogate": "\udc80",
        "nul": "\0",
        "nan": float("nan"),
        "deep": deep,
        "cycle": cycle,
        "huge": "x" * 50_000_000,
        "odd": object(),
    }
    return odd[kind]


def _place(context: horae.Context) -> dict[str, str | None]:
    from opentelemetry import trace

    here = trace.get_current_span().get_span_context()
    return {"given": context.traceparent, "current": f"{here.trace_id:032x}-{here.span_id:016x}"}


@horae.task
async def traced(context: horae.Context) -> dict[str, str | None]:
    return _place(context)


@horae.task(isolation="thread")
def traced_in_thread(context: horae.Context) -> dict[str, str | None]:
    return _place(context)


@horae.task
def traced_apart(context: horae.Context) -> dict[str, str | None]:
    return _place(context)


@horae.task
async def logs_and_raises() -> None:
    import structlog

    try:
        raise RuntimeError("a secret of the user's own")
    except RuntimeError:
        structlog.get_logger().exception("an error of the user's own")
        raise
