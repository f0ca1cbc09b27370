"""Importers: jobs of other schedulers as definitions. Each reports what it could not convert, and why."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from horae.declarative.export import definition
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.stored import too_large
from horae.domain.text.validation_text import readable

Json = dict[str, Any]


@dataclass(slots=True)
class Imported:
    """The result: definitions for `horae apply`, and notes for the user."""

    definitions: list[Json] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, fields: Json, *, enabled: bool = True, notes: list[str] | None = None, place: str = "") -> None:
        """Adds a job under a unique name; a job that Horae would refuse is left out and reported, with its `place`."""
        wanted = str(fields["name"]).strip()[:190] or "job"
        name = self._free(wanted)
        try:
            spec = JobSpec.model_validate({**fields, "name": name})
        except ValidationError as error:
            field, message = readable(error.errors(include_url=False, include_input=False))[0]
            self.notes.append(f"{place}{name}: left out: {field}: {message}")
            return
        if (reason := too_large(spec)) is not None:
            self.notes.append(f"{place}{name}: left out: target: {reason}")
            return
        self.definitions.append(definition(spec, enabled=enabled))
        if name != wanted:
            self.notes.append(f"{name}: renamed, since {wanted!r} already exists")
        self.notes += [f"{name}: {note}" for note in notes or ()]

    def _free(self, name: str) -> str:
        taken = {one["name"] for one in self.definitions}
        names = [name, *(f"{name}-{n}" for n in range(2, len(taken) + 3))]
        return next(one for one in names if one not in taken)


def slug(text: str) -> str:
    """A short name derived from a command or a path."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:60] or "job"
