"""The budget of a template, against denial of service: text length, steps, and a second of CPU time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

LONGEST = 1_000_000  # characters that a filled-in template, or any text on the way, may have
WORK = "the work that is left"  # in the template's context; no name in a template has blanks
STEPS = 600_000  # of all templates of an attempt together; a step takes half a microsecond at most
QUICK = 2_000  # steps that may be taken on the event loop
SECONDS = 1.0  # of CPU time, in case steps take longer than they should
_QUICK_SECONDS = 0.01
CALL = 20  # minimum steps that a call of a filter or test costs
_CHARACTERS = 64  # characters handled in one step
_LOOK = 500  # steps between two checks of the clock


class TemplateFault(ValueError):
    """What is wrong with a template, in one sentence without its content."""


class TemplateWork:
    """How much the templates of one attempt may still do. `timer` returns the CPU time of the calling thread. A `quick`
    budget refuses anything that might take longer than a few milliseconds and sets `spent`: there is no result, and the
    caller may try again elsewhere with a larger budget."""

    __slots__ = ("_deadline", "_left", "_look", "_timer", "quick", "spent", "stopped")

    def __init__(self, timer: Callable[[], float] | None = None, *, quick: bool = False) -> None:
        self._left = QUICK if quick else STEPS
        self._look = self._left
        self._timer = timer
        self._deadline: float | None = None
        self.quick = quick
        self.spent = False
        self.stopped = False  # set by another thread: the result is no longer needed

    def pay(self, steps: int) -> None:
        self._left -= max(steps, 1)
        if self._left < self._look:
            self._check()

    def _check(self) -> None:
        if self._left < 0:
            raise self.too_much(f"more than {STEPS:,} steps")
        if self.stopped:
            raise self.too_much("the attempt was stopped")
        self._look = max(self._left - _LOOK, 0)
        if self._timer is not None:
            now = self._timer()
            if self._deadline is None:
                self._deadline = now + (_QUICK_SECONDS if self.quick else SECONDS)
            elif now > self._deadline:
                raise self.too_much(f"more than {SECONDS:g} s of processor time")

    def too_much(self, what: str) -> TemplateFault:
        self.spent = True
        return TemplateFault(f"the templates of the target do too much: {what}")

    @contextmanager
    def uncounted(self) -> Iterator[None]:
        """For work that is done once for all attempts, and is bounded otherwise."""
        before = self._timer() if self._timer else 0.0
        yield
        if self._timer and self._deadline is not None:
            self._deadline += self._timer() - before

    def pay_for(self, value: Any, each: int = 1) -> None:
        """For handling a value once, not its contents; `each` is the cost per item."""
        if isinstance(value, str):
            self.pay(len(value) // _CHARACTERS)
        else:
            self.pay(each * len(value) if isinstance(value, list | tuple | dict) else 1)

    def through(self, value: Any, each: int = 1) -> Any:
        """For iterating over a value's items, which cost `each`. Lazy items (`map`, `select`) are paid for when they
        are produced."""
        if isinstance(value, Iterator):
            return self._one_by_one(value, each)
        if isinstance(value, str | list | tuple | dict | range):
            self.pay(each * len(value))
        return value

    def _one_by_one(self, items: Iterator[Any], each: int) -> Iterator[Any]:
        for item in items:
            self.pay(each)
            yield item

    def weigh(self, value: Any, times: int = 1) -> None:
        """For traversing a whole value, `times` times. A value built by a template may contain the same object many
        times over, so this is paid in advance."""
        waiting = [value]
        while waiting:
            found = waiting.pop()
            if isinstance(found, str):
                self.pay(times * (1 + len(found) // _CHARACTERS))
            else:
                self.pay_for(found, times)
            if isinstance(found, Mapping):
                waiting.extend(found)
                waiting.extend(found.values())
            elif isinstance(found, list | tuple):
                waiting.extend(found)

    def text(self, text: str) -> str:
        """For a new text."""
        if len(text) > LONGEST:
            raise too_long()
        self.pay_for(text)
        return text


def too_long() -> TemplateFault:
    return TemplateFault(f"the template makes a text of more than {LONGEST:,} characters")
