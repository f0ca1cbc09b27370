"""What filling in a template may cost: a text of a certain length, and so many steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LONGEST = 1_000_000  # characters that a filled-in template, or any text on the way, may have
WORK = "the work that is left"  # in the template's context; no name in a template has blanks
_STEPS = 1_000_000  # which take well under a second
_CHARACTERS = 64  # that are handled in one step


class TemplateFault(ValueError):
    """What is wrong with a template, in one sentence without its content."""


class Work:
    """How much a template may still do."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = _STEPS

    def pay(self, steps: int) -> None:
        self._left -= max(steps, 1)
        if self._left < 0:
            raise TemplateFault("the template does too much")

    def pay_for(self, value: Any, each: int = 1) -> None:
        """For handling a value once, without what is inside of it; `each` is what an item costs."""
        if isinstance(value, str):
            self.pay(len(value) // _CHARACTERS)
        else:
            self.pay(each * len(value) if isinstance(value, list | tuple | dict) else 1)

    def weigh(self, value: Any) -> None:
        """For going through all of a value. What a template puts together may hold the same thing many times over, so
        this is paid before anybody does."""
        waiting = [value]
        while waiting:
            found = waiting.pop()
            self.pay_for(found)
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
