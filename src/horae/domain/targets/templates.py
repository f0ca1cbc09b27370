"""Limits on all templates of a target together. Each one is bounded on its own (domain/template/), but reading or
executing a definition costs the sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ValidationInfo, model_validator

from horae.domain.template import LARGEST, MOST_PARTS, TemplateFault, is_template, parse
from horae.domain.text.refusal import refusal

MOST_TEMPLATES = 500
STORED: Mapping[str, bool] = {"stored": True}
"""The context for reading a stored definition: its templates were checked when it was saved, perhaps by other rules,
and parsing them costs more than all the rest."""

Place = tuple[str, ...]


class Templated(BaseModel):
    """A target some of whose texts are templates."""

    def templates(self) -> Iterator[tuple[Place, str]]:
        """Those texts, each with its path in the target."""
        raise NotImplementedError

    @model_validator(mode="after")
    def _bounded(self, info: ValidationInfo) -> Templated:
        if not is_stored(info):
            check([(place, text) for place, text in self.templates() if is_template(text)])
        return self

    @cached_property
    def secrets(self) -> frozenset[str]:
        """The names of the secrets it uses."""
        return secrets_of(*(text for _, text in self.templates()))


def is_stored(info: ValidationInfo) -> bool:
    return bool(info.context and info.context.get("stored"))


def check(templates: list[tuple[Place, str]]) -> None:
    """Parses none of them unless there are few enough, and each only once."""
    size = parts = 0
    for count, (place, text) in enumerate(templates, start=1):
        size += len(text)
        if count > MOST_TEMPLATES:
            raise refusal(place, f"is one template too many: a target has at most {MOST_TEMPLATES}")
        if size > LARGEST:
            raise refusal(place, f"makes the templates of the target longer than {LARGEST:,} characters together")
    for place, text in templates:
        try:
            parts += parse(text).parts
        except TemplateFault as fault:
            raise refusal(place, str(fault)) from None
        if parts > MOST_PARTS:
            raise refusal(place, f"gives the templates of the target more than {MOST_PARTS:,} parts together")


def secrets_of(*texts: str | None) -> frozenset[str]:
    """The names of the secrets that these templates use. A template with secrets contains the word, so most need not be
    parsed."""
    found: set[str] = set()
    for text in texts:
        if text is not None and "secrets" in text:
            with suppress(TemplateFault):  # stored by another version: filling it in will raise
                found |= parse(text).secrets
    return frozenset(found)


def parse_ahead(target: Any) -> None:
    """Parses what looks like a template in an unchecked target, up to the limits of `check`. Call it on a thread: a
    later check finds them parsed."""
    size = parts = 0
    for text in _texts(target):
        size += len(text)
        if size > LARGEST or parts > MOST_PARTS:
            return
        with suppress(TemplateFault):  # the later check reports it
            parts += parse(text).parts


def _texts(value: Any) -> Iterator[str]:
    """All templates in a target as JSON, no deeper than targets are."""
    waiting = [(value, 0)]
    while waiting:
        found, depth = waiting.pop()
        if isinstance(found, str) and is_template(found):
            yield found
        elif isinstance(found, dict) and depth < 3:
            waiting.extend((inner, depth + 1) for inner in found.values())
