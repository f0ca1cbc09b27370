"""What a job runs: one model per kind, each in its own module; `kind` is the discriminator. Everything that lists the
kinds is derived from this union, from the API to shell completion and the portal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, get_args

from pydantic import Field

from horae.domain.targets.artifact import ArtifactTarget
from horae.domain.targets.celery import CeleryTarget
from horae.domain.targets.container import ContainerTarget
from horae.domain.targets.http import HttpTarget
from horae.domain.targets.python import PythonTarget
from horae.domain.targets.script import ScriptTarget

Target = Annotated[
    HttpTarget | ScriptTarget | PythonTarget | ContainerTarget | ArtifactTarget | CeleryTarget,
    Field(discriminator="kind"),
]

TARGETS = get_args(get_args(Target)[0])
TARGET_KINDS: tuple[str, ...] = tuple(target.model_fields["kind"].default for target in TARGETS)
if TYPE_CHECKING:
    TargetKind = str
else:
    TargetKind = Literal[TARGET_KINDS]

__all__ = [
    "TARGETS",
    "TARGET_KINDS",
    "ArtifactTarget",
    "CeleryTarget",
    "ContainerTarget",
    "HttpTarget",
    "PythonTarget",
    "ScriptTarget",
    "Target",
    "TargetKind",
]
