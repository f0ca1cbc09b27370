"""What a job runs: one model per kind, in a module of its own; `kind` tells them apart."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from horae.domain.targets.artifact import ArtifactTarget
from horae.domain.targets.container import ContainerTarget
from horae.domain.targets.http import HttpTarget
from horae.domain.targets.python import PythonTarget
from horae.domain.targets.script import ScriptTarget

Target = Annotated[
    HttpTarget | ScriptTarget | PythonTarget | ContainerTarget | ArtifactTarget, Field(discriminator="kind")
]

__all__ = ["ArtifactTarget", "ContainerTarget", "HttpTarget", "PythonTarget", "ScriptTarget", "Target"]
