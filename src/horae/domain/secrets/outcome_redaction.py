"""Redacts secrets in an outcome: in its error, its traceback, and anywhere in its result."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from horae.domain.runs.outcome import Outcome
from horae.domain.secrets.redaction import Redactor

_MAY_BE_CUT = 1_000  # characters: shorter texts are stored as they were, unless they end with an ellipsis
_CUT_IN_FRONT = "[…]\n"  # how a traceback begins whose first part was too long to keep
_WITHHELD = json.dumps("withheld: it cannot be searched for secrets")


def redact_outcome(outcome: Outcome, known: Redactor) -> Outcome:
    return replace(
        outcome,
        result=outcome.result and redact_json(outcome.result, known),
        error=outcome.error and _text(outcome.error, known),
        traceback=outcome.traceback and _text(_whole_lines(outcome.traceback), known),
    )


def redact_json(text: str, known: Redactor) -> str:
    """JSON text with secrets replaced in strings, field names and numbers (which become strings). Text without any is
    unchanged."""
    if not known:
        return text
    search = _Search(known)
    try:
        value = json.loads(
            text, parse_int=search.number(int), parse_float=search.number(float), object_pairs_hook=search.fields
        )
        value = search.value(value)
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if search.changed else text
    except (ValueError, RecursionError):
        return _WITHHELD


class _Search:
    def __init__(self, known: Redactor) -> None:
        self._known = known
        self.changed = False

    def number(self, read: Any) -> Any:
        """Reads a number, unless its digits are a secret."""

        def checked(digits: str) -> Any:
            shown = self._known.redact(digits)
            if shown == digits:
                return read(digits)
            self.changed = True
            return shown

        return checked

    def fields(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = {self.value(name): self.value(value) for name, value in pairs}
        self.changed |= len(found) < len(pairs)  # a duplicate field would hide its first value
        return found

    def value(self, value: Any) -> Any:
        """Fields have been through `fields` already."""
        if isinstance(value, str):
            shown = _text(value, self._known)
            self.changed |= shown != value
            return shown
        return [self.value(inner) for inner in value] if isinstance(value, list) else value


def _text(text: str, known: Redactor) -> str:
    if text.endswith("…"):
        return known.redact_cut(text[:-1]) + "…"
    return known.redact_cut(text) if len(text) >= _MAY_BE_CUT else known.redact(text)


def _whole_lines(text: str) -> str:
    """Without the line that was cut: it may start with the end of a secret."""
    return _CUT_IN_FRONT + text.removeprefix(_CUT_IN_FRONT).partition("\n")[2] if text.startswith("[…]\n") else text
