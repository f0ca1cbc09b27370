"""Redacts secrets in the output of attempts: each form of a secret is replaced by `[secret NAME]`.

A form is the value itself, each long line of it, and its common encodings (secret_forms.py). Text arrives in chunks,
and a form may span several: the end of a chunk is held back only while it may be the start of a form. Two steps keep
text without secrets fast: a regular expression finds positions that could be the start of a form, and a dictionary
lookup confirms them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from horae.domain.secrets.secret_forms import SHORTEST, forms

_LOOKED_AT = 8  # how many characters of a form the first step checks


class Redactor:
    """Knows the forms of some secrets. Stateless: `stream()` has the state."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        found: dict[str, str] = {}
        for name, value in sorted(secrets.items()):
            for form in forms(value):
                found.setdefault(form, name)
        self._width = min((_LOOKED_AT, *map(len, found)))
        self._heads: dict[str, list[tuple[str, str]]] = {}
        for form in sorted(found, key=len, reverse=True):  # of several with the same start, the longest counts
            self._heads.setdefault(form[: self._width], []).append((form, f"[secret {found[form]}]"))
        self._beginnings = {
            head[:size]: known[0][1] for head, known in self._heads.items() for size in range(1, self._width)
        }
        self._possible = _possible(self._heads, self._width) if found else None

    def __bool__(self) -> bool:
        return self._possible is not None

    def stream(self) -> RedactedStream:
        return RedactedStream(self)

    def redact(self, text: str) -> str:
        """A whole text at once."""
        if self._possible is None or self._possible.search(text) is None:
            return text
        return RedactedStream(self).write(text, last=True)

    def redact_cut(self, text: str) -> str:
        """The same for a truncated text: the start of a form at its end is replaced as well."""
        stream = RedactedStream(self)
        return stream.write(text) + stream.cut()

    def places(self, text: str, *, last: bool) -> Iterator[tuple[int, int, str]]:
        """Where forms start in a text, in order, including overlapping ones: (begin, end, label). One that may continue
        beyond the text, unless this is the last chunk, ends there too and is the last one."""
        size, at = len(text), 0
        while self._possible is not None and (match := self._possible.search(text, at)) is not None:
            begin = match.start()
            at = begin + 1
            for form, label in self._heads.get(match[0], ()):
                if text.startswith(form, begin):
                    yield begin, begin + len(form), label
                    break
                if not last and begin + len(form) > size and form.startswith(text[begin:]):
                    yield begin, begin + len(form), label
                    return
        for length in () if last else range(min(self._width - 1, size), 0, -1):
            if (known := self._beginnings.get(text[-length:])) is not None:
                yield size - length, size + 1, known
                return


class RedactedStream:
    """A stream of text that arrives in chunks."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = ""
        self._covered = 0  # the part of the held-back text that belongs to a form whose label has been written

    def write(self, text: str, *, last: bool = False) -> str:
        """What can be shown already; with `last`, everything."""
        text = self._held + text if self._held else text
        shown: list[str] = []
        done, end = self._covered, len(text)  # up to `done`, text is shown or replaced by its label
        for begin, until, label in self._redactor.places(text, last=last):
            if until > len(text):
                end = begin
                break
            if begin >= done:
                shown += (text[done:begin], label)
            done = max(done, until)
        shown.append(text[done:end])
        self._held, self._covered = text[end:], max(done - end, 0)
        return "".join(shown)

    def cut(self) -> str:
        """The rest of a truncated text: a label, if it is the start of a form."""
        if len(self._held) < SHORTEST:
            return self.write("", last=True)
        (_, _, label) = next(self._redactor.places(self._held, last=False))
        return label


def _possible(heads: Mapping[str, object], width: int) -> re.Pattern[str]:
    """Matches anything that could be the start of a form, and little else."""
    classes = ({head[place] for head in heads} for place in range(width))
    return re.compile("".join(f"[{''.join(map(re.escape, sorted(c)))}]" for c in classes))


@lru_cache(maxsize=256)
def _made(secrets: frozenset[tuple[str, str]]) -> Redactor:
    return Redactor(dict(secrets))


def redactor(secrets: Mapping[str, str]) -> Redactor:
    """A redactor for these values; cached, since most jobs use the same ones."""
    return _made(frozenset(secrets.items()))
