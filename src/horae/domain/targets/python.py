"""`python`: a function that workers have registered."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, StringConstraints, model_validator

from horae.domain.targets.fields import FROZEN
from horae.domain.targets.locked import Locked, check_locked
from horae.domain.text.json_value import plain_json

FunctionName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_.]*$", max_length=200)]


class PythonTarget(BaseModel):
    """Calls a function that workers have registered with `@horae.task`."""

    model_config = FROZEN

    kind: Literal["python"] = "python"
    function: FunctionName
    arguments: Annotated[dict[str, Any], AfterValidator(plain_json)] = Field(default_factory=dict)
    locked: Locked = ()  # those that a run's input must not override

    @model_validator(mode="after")
    def _locks(self) -> PythonTarget:
        check_locked(self.locked, self.arguments)
        return self

    @property
    def needs(self) -> str:
        return f"python:{self.function}"

    @property
    def secrets(self) -> frozenset[str]:
        """None: a function reads its own configuration."""
        return frozenset()
