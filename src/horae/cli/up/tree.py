"""A parent and its children: started together, kept running, stopped in order, never left behind.

What holds in every case:
- A child dies with the parent: the kernel kills it (Linux) when the parent is gone, however that happened.
- One signal to the parent, or Ctrl-C to the whole group, is one orderly stop: the children in reverse order,
  each given its time. Children do not see the terminal's Ctrl-C themselves, or all would stop at once, and the
  parent's word would already count as the second. A second signal stops everything now, a third kills.
- A child that ends unasked is started again, later each time. With exit code 2 its settings are wrong: trying
  again cannot help, so everything stops.
- What a child leaves behind becomes ours (Linux: subreaper), is reaped, and is killed at the end.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from horae import prctl
from horae.cli.up.fork import Work, fork
from horae.cli.up.output import Lines, Terminal

MISCONFIGURED = 2
HURRY = 2.0  # seconds that a child gets after the second signal
RESTART_FIRST, RESTART_MAX, STEADY = 0.5, 30.0, 60.0


@dataclass(frozen=True, slots=True)
class ProcessPlan:
    """A child to run; `patience` is how many seconds it gets to stop."""

    name: str
    work: Work
    patience: float


class ChildProcess:
    """One process that was started."""

    def __init__(self, plan: ProcessPlan, terminal: Terminal) -> None:
        self.plan = plan
        self.started = time.monotonic()
        self.lines = Lines(terminal, plan.name)
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._pipe, output = os.pipe()
        try:
            self.pid = fork(plan.name, plan.work, output)
        finally:
            os.close(output)
        os.set_blocking(self._pipe, False)
        asyncio.get_running_loop().add_reader(self._pipe, self.read)

    def read(self) -> None:
        """Passes on its output."""
        with suppress(BlockingIOError):
            for _ in range(16):
                data = os.read(self._pipe, 1 << 16)
                if not data:
                    asyncio.get_running_loop().remove_reader(self._pipe)
                    return
                self.lines.feed(data)

    def reaped(self, status: int) -> None:
        self.read()
        self.lines.end()
        asyncio.get_running_loop().remove_reader(self._pipe)
        os.close(self._pipe)
        self.ended.set_result(os.waitstatus_to_exitcode(status))

    def signal(self, number: int) -> None:
        if not self.ended.done():  # not reaped, so the pid is still its own
            os.kill(self.pid, number)

    async def gone(self, within: float, unless: asyncio.Event | None = None) -> bool:
        """Whether it ended in that time (cut short when `unless` is set)."""
        waiting = {asyncio.ensure_future(asyncio.shield(self.ended))}
        if unless is not None:
            waiting.add(asyncio.ensure_future(unless.wait()))
        await asyncio.wait(waiting, timeout=within, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
        return self.ended.done()


class Tree:
    """Runs the children until it is asked to stop. `failure` then says why it stopped, unless a signal did it."""

    def __init__(self, plans: Sequence[ProcessPlan], terminal: Terminal) -> None:
        self._plans = plans
        self._terminal = terminal
        self._children: dict[str, ChildProcess] = {}
        self._signals = 0
        self.stopping = asyncio.Event()
        self._hurry = asyncio.Event()
        self._deadline = 0.0  # of everything, once a second signal came
        self.failure: str | None = None
        self._not_ours = set(_offspring())  # a shell that exec'ed this program may have left some

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        prctl.adopt_orphans()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
                loop.add_signal_handler(number, self._signalled)
        loop.add_signal_handler(signal.SIGCHLD, self._reap)
        keepers = [asyncio.create_task(self._keep(plan), name=plan.name) for plan in self._plans]
        try:
            await self.stopping.wait()
            for plan in reversed(self._plans):
                if child := self._children.get(plan.name):
                    await self._end(child)
            await asyncio.gather(*keepers)
        finally:
            self._kill_everything()
            await self._sweep()

    def stop(self, failure: str | None = None) -> None:
        """Begins an orderly stop."""
        self.failure = self.failure or failure
        self.stopping.set()

    async def once(self, plan: ProcessPlan) -> int:
        """Runs one more process to completion; returns its exit code."""
        child = self._children[plan.name] = ChildProcess(plan, self._terminal)
        return await child.ended

    def _signalled(self) -> None:
        self._signals += 1
        if self._signals == 1:
            self._terminal.say("Stopping: giving running work a few seconds to finish. (Ctrl-C again to stop now.)")
            self.stop()
        elif self._signals == 2:
            self._terminal.say("Stopping now.")
            self.stop()
            self._hurry.set()
            self._deadline = time.monotonic() + HURRY
            self._insist()
            # A child may see two signals in quick succession as one that was sent to the whole group.
            asyncio.get_running_loop().call_later(HURRY / 4, self._insist)
        else:
            self._kill_everything()

    def _insist(self) -> None:
        for child in self._children.values():
            child.signal(signal.SIGTERM)

    async def _keep(self, plan: ProcessPlan) -> None:
        """Starts the child, and restarts it whenever it exits unasked."""
        delay = RESTART_FIRST
        while not self.stopping.is_set():
            try:
                child = self._children[plan.name] = ChildProcess(plan, self._terminal)
            except OSError as error:  # out of processes, or files
                self.stop(f"{plan.name} cannot be started: {error.strerror}")
                return
            code = await child.ended
            if self.stopping.is_set():
                return
            if code == MISCONFIGURED:
                self.stop(f"{plan.name} cannot start: {child.lines.last.removeprefix('horae: ')}")
                return
            if time.monotonic() - child.started > STEADY:
                delay = RESTART_FIRST
            self._terminal.say(f"{plan.name} (pid {child.pid}) {_ending(code)}; restarting it in {delay:g} s")
            with suppress(TimeoutError):
                async with asyncio.timeout(delay):
                    await self.stopping.wait()
            delay = min(2 * delay, RESTART_MAX)

    async def _end(self, child: ChildProcess) -> None:
        """Asks it to stop, and insists if it takes too long."""
        if not self._hurry.is_set():
            child.signal(signal.SIGTERM)
            if await child.gone(child.plan.patience, unless=self._hurry):
                return
        if self._hurry.is_set() and await child.gone(self._deadline - time.monotonic()):
            return
        self._terminal.say(f"{child.plan.name} (pid {child.pid}) did not stop in time; killing it")
        child.signal(signal.SIGKILL)
        await child.gone(HURRY)

    def _reap(self) -> None:
        """Reaps everything that ended: children, and what they left behind."""
        by_pid = {child.pid: child for child in self._children.values() if not child.ended.done()}
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if child := by_pid.pop(pid, None):
                    child.reaped(status)

    def _kill_everything(self) -> None:
        for child in self._children.values():
            child.signal(signal.SIGKILL)

    async def _sweep(self) -> None:
        """Kills all remaining descendants."""
        end = time.monotonic() + HURRY
        while (pids := set(_offspring()) - self._not_ours) and time.monotonic() < end:
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            await asyncio.sleep(0.01)
            self._reap()


def _offspring() -> list[int]:
    """The children of this process, including those it adopted."""
    try:
        return [int(pid) for task in Path("/proc/self/task").iterdir() for pid in _children_of(task)]
    except OSError:
        return []


def _children_of(task: Path) -> list[str]:
    return (task / "children").read_text().split()


def _ending(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"
