"""Validation errors that name their field, for checks that involve several fields."""

from __future__ import annotations

from pydantic import ValidationError
from pydantic_core import PydanticCustomError


def refusal(field: str | tuple[str, ...], message: str) -> ValidationError:
    """To be raised by a validator of a whole model: pydantic prepends the model's own path to `field`, where a plain
    ValueError would blame the model. The value is not repeated: it may be a secret."""
    error = PydanticCustomError("value_error", "{message}", {"message": message})
    loc = (field,) if isinstance(field, str) else field
    return ValidationError.from_exception_data("refusal", [{"type": error, "loc": loc, "input": None}])
