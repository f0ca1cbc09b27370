"""What targets have in common: texts, environments, limits."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from horae.domain.text.checks import plain_text
from horae.domain.text.measures import DURATION, SIZE

FROZEN = ConfigDict(frozen=True, extra="forbid", strict=True)

Text = Annotated[str, AfterValidator(plain_text)]
TemplateText = Text
"""Text in which `{{ run.id }}`, `{{ job.name }}`, `{{ input.… }}` and `{{ secrets.NAME }}` are filled in. Its target
checks it, with all its others (templates.py)."""

Path = Annotated[Text, StringConstraints(min_length=1, max_length=4_096)]
EnvName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=200)]
Environment = Annotated[dict[EnvName, TemplateText], Field(max_length=500)]
SecretName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=100)]


class Limits(BaseModel):
    """Resource limits of an attempt; None: the worker's default."""

    model_config = FROZEN

    memory: Annotated[int, Field(ge=2**20, le=2**44), SIZE] | None = None
    cpu: Annotated[float, Field(gt=0, le=604_800, allow_inf_nan=False), DURATION] | None = None  # CPU seconds
    files: Annotated[int, Field(ge=8, le=1_000_000)] | None = None  # open files per process
    processes: Annotated[int, Field(ge=1, le=100_000)] | None = None  # processes at a time, not counting threads
