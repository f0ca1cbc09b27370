"""The shapes of functions in requests and answers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from horae.api.views import shown
from horae.domain.jobs.function import FunctionRecord
from horae.domain.jobs.job import QueueName
from horae.domain.text.checks import label, plain_text

_UNTOLD = "no worker can import it; admins see why"


class FunctionPatch(BaseModel):
    """What people decide about a function."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    is_active: bool | None = None
    display_name: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(label)] | None = None
    description: Annotated[str, Field(max_length=10_000), AfterValidator(plain_text)] | None = None


class NewFunction(BaseModel):
    """A function registered by its path: workers import it, undecorated, and call it in its own process."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: Annotated[str, Field(min_length=1, max_length=200)]
    handler_path: Annotated[str, Field(min_length=1, max_length=500)]
    display_name: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(label)] | None = None
    description: Annotated[str, Field(max_length=10_000), AfterValidator(plain_text)] | None = None
    queue: QueueName | None = None
    default_timeout: Annotated[float, Field(ge=1, le=604_800, allow_inf_nan=False)] | None = None


class FunctionView(BaseModel):
    """A function that workers or admins have registered. `parameters` is the JSON Schema of its arguments."""

    name: str
    display_name: str
    description: str
    handler: str
    kind: str
    handler_type: str = Field(description="`function`, `async_function`, or `celery_task` of a Celery app")
    queue: str | None
    default_timeout: float | None
    parameters: dict[str, Any]
    is_active: bool
    is_system: bool
    first_seen_at: datetime
    last_seen_at: datetime
    handler_path: str | None = Field(description="if an admin registered it by its path; otherwise null")
    import_error: str | None = Field(description="why no worker can import its path; null if one can")
    imported_at: datetime | None = Field(description="when a worker last imported its path")


def function_json(function: FunctionRecord, *, for_admin: bool) -> dict[str, Any]:
    """The reason for a failed import is for admins: the text of an exception may contain anything."""
    error = function.import_error if for_admin or function.import_error is None else _UNTOLD
    return shown(FunctionView, function, parameters=orjson.loads(function.parameters), import_error=error)
