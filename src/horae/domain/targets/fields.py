"""What targets have in common: texts, environments, limits."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from horae.domain.text import plain_text

FROZEN = ConfigDict(frozen=True, extra="forbid", strict=True)

_SIZE = re.compile(r"(\d{1,12}) ?(B|KiB|MiB|GiB|TiB)?", re.ASCII)
_UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def size(value: Any) -> Any:
    """`"512MiB"` as well as a number of bytes."""
    if not isinstance(value, str):
        return value
    match = _SIZE.fullmatch(value)
    if match is None:
        raise ValueError('must be a number of bytes or a text such as "512MiB"')
    return int(match[1]) * _UNITS[match[2] or "B"]


Text = Annotated[str, AfterValidator(plain_text)]
TemplateText = Text
"""Text in which `{{ run.id }}`, `{{ job.name }}`, `{{ input.… }}` and `{{ secrets.NAME }}` are filled in. Its target
checks it, with all its others (templates.py)."""

Path = Annotated[Text, StringConstraints(min_length=1, max_length=4_096)]
EnvName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=200)]
Environment = Annotated[dict[EnvName, TemplateText], Field(max_length=500)]
Size = Annotated[int, BeforeValidator(size), Field(ge=1)]
SecretName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=100)]


class Limits(BaseModel):
    """What an attempt may use; None leaves it to the worker's own default."""

    model_config = FROZEN

    memory: Annotated[int, BeforeValidator(size), Field(ge=2**20, le=2**44)] | None = None
    cpu: Annotated[float, Field(gt=0, le=604_800, allow_inf_nan=False)] | None = None  # seconds of it
    files: Annotated[int, Field(ge=8, le=1_000_000)] | None = None  # open at a time, in each process
    processes: Annotated[int, Field(ge=1, le=100_000)] | None = None  # at a time, threads not counted
