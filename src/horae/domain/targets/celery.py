"""`celery`: a task of the operator's own Celery app, sent by its name."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, StringConstraints, model_validator

from horae.domain.targets.fields import FROZEN, Text
from horae.domain.targets.locked import Locked, check_locked
from horae.domain.text.checks import header_name, label
from horae.domain.text.json_value import plain_json
from horae.domain.text.refusal import refusal

_OWN = "celery."  # Celery's built-in tasks, some of which call any other
_RESERVED = frozenset(  # an owner must not choose another task or id by them
    {
        *("lang", "task", "id", "shadow", "eta", "expires", "group", "group_index", "retries", "timelimit", "root_id"),
        *("parent_id", "argsrepr", "kwargsrepr", "origin", "ignore_result", "replaced_task_nesting"),
        *("stamped_headers", "stamps", "meth", "traceparent"),
    }
)


def _task(name: str) -> str:
    label(name)
    if name.startswith(_OWN):
        raise ValueError("must be a task of your app: names that begin with celery. are Celery's own")
    return name


def _header(name: str) -> str:
    if header_name(name).lower() in _RESERVED:
        raise ValueError(f"the header {name.lower()} is set by Celery itself")
    return name


class CeleryTarget(BaseModel):  # type: ignore[no-redef]  # pydantic's plugin has its own `kwargs`
    """Calls a task of the Celery app that workers are configured with, and follows it to its end."""

    model_config = FROZEN

    kind: Literal["celery"] = "celery"
    task: Annotated[str, Field(min_length=1, max_length=190), AfterValidator(_task)]
    queue: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(label)] | None = None  # of the broker
    args: Annotated[list[Any], Field(max_length=1_000), AfterValidator(plain_json)] = Field(default_factory=list)
    kwargs: Annotated[dict[str, Any], AfterValidator(plain_json)] = Field(default_factory=dict)
    locked: Locked = ()  # names in kwargs that a run's input must not override
    priority: Annotated[int, Field(ge=0, le=9)] | None = None  # as the broker counts
    headers: Annotated[
        dict[Annotated[str, AfterValidator(_header)], Annotated[Text, StringConstraints(max_length=8_192)]],
        Field(max_length=100),
    ] = Field(default_factory=dict)
    track: bool = True  # false: the run succeeds when the broker has the message

    @model_validator(mode="after")
    def _locks(self) -> CeleryTarget:
        check_locked(self.locked, self.kwargs)
        if any(not name.isidentifier() for name in self.kwargs):
            raise refusal("kwargs", "must have names of parameters: letters, digits and _")
        return self

    @property
    def needs(self) -> str:
        return "celery"

    @property
    def secrets(self) -> frozenset[str]:
        """None: a task reads its own configuration."""
        return frozenset()
