"""`python`: a function that workers have registered."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from horae.domain.json_value import plain_json
from horae.domain.targets.fields import FROZEN

FunctionName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_.]*$", max_length=200)]


class PythonTarget(BaseModel):
    """Calls a function that workers have registered with `@horae.task`."""

    model_config = FROZEN

    kind: Literal["python"] = "python"
    function: FunctionName
    arguments: Annotated[dict[str, Any], AfterValidator(plain_json)] = Field(default_factory=dict)

    @property
    def needs(self) -> str:
        return f"python:{self.function}"

    @property
    def secrets(self) -> frozenset[str]:
        """None: a function reads its own configuration."""
        return frozenset()
