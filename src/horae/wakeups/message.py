"""The format of hints: one per line, in few messages of bounded size; and who receives them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable

from horae.ports import Hint

OnHint = Callable[[Hint], None]
OnLost = Callable[[], Awaitable[None]]


async def nobody() -> None:
    """The default listener for lost hints: ignores them."""


def topic(hint: Hint) -> str:
    return hint.partition(":")[0]


def pack(hints: Iterable[Hint], limit: int) -> list[bytes]:
    """The hints, each once, in messages of at most `limit` bytes. One that cannot be encoded shrinks to its topic: a
    queue's name must not be able to break the message."""
    messages: list[bytes] = []
    lines: list[bytes] = []
    size = -1
    for line in dict.fromkeys(_line(hint, limit) for hint in hints):
        if size + 1 + len(line) > limit:
            messages.append(b"\n".join(lines))
            lines, size = [], -1
        lines.append(line)
        size += 1 + len(line)
    if lines:
        messages.append(b"\n".join(lines))
    return messages


def unpack(message: str, topics: Collection[str]) -> list[Hint]:
    """The hints in a message that are about one of `topics`."""
    return [hint for hint in message.split("\n") if topic(hint) in topics]


def _line(hint: Hint, limit: int) -> bytes:
    line = hint.encode(errors="replace")
    return line if hint.isprintable() and len(line) <= limit else topic(hint).encode(errors="replace")
