"""`script`: a program on the worker's machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BaseModel, Field, model_validator

from horae.domain.targets.fields import FROZEN, Environment, Limits, Path, Text
from horae.domain.targets.templates import Place, Templated
from horae.domain.text.refusal import refusal


class Sandbox(BaseModel):
    """Restrictions by namespaces (bubblewrap on the worker)."""

    model_config = FROZEN

    network: bool = True
    read_only: bool = False  # everything except its own folder and /tmp, which is empty


class ScriptTarget(Templated):
    """Runs a script in its own session on the worker's machine."""

    model_config = FROZEN

    kind: Literal["script"] = "script"
    interpreter: Path = "bash"
    source: Text | None = None
    file: Path | None = None
    args: Annotated[tuple[Text, ...], Field(max_length=10_000, strict=False)] = ()
    env: Environment = Field(default_factory=dict)
    cwd: Path | None = None
    limits: Limits = Limits()
    sandbox: Sandbox | None = None

    @model_validator(mode="after")
    def _one_script(self) -> ScriptTarget:
        if self.source is None and self.file is None:
            raise refusal("source", "is required unless file is given")
        if self.source is not None and self.file is not None:
            raise refusal("file", "must not be combined with source: give one or the other")
        if self.interpreter not in ("bash", "sh", "python") and not self.interpreter.startswith("/"):
            raise refusal("interpreter", "must be bash, sh, python or an absolute path")
        return self

    @property
    def needs(self) -> str:
        return "script"

    def templates(self) -> Iterator[tuple[Place, str]]:
        return ((("env", name), text) for name, text in self.env.items())
