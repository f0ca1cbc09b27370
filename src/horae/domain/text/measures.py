"""Fields of definitions that are stored as numbers and may be written with units: durations and sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from horae.domain.text.sizes import read_bytes
from horae.domain.time.durations import read_seconds


@dataclass(frozen=True)
class Measure:
    """Marks such a field: `Annotated[float, Field(ge=1), DURATION]`."""

    read: Callable[[Any], Any]
    pattern: str
    example: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.read, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        number = handler(schema)
        if handler.mode == "serialization":
            return number
        return {"anyOf": [number, {"type": "string", "pattern": self.pattern, "examples": [self.example]}]}


DURATION = Measure(read_seconds, r"^[0-9P][0-9A-Za-z.,]*$", "1h30m")
SIZE = Measure(read_bytes, r"^[0-9][0-9.]* ?([KMGT]i?)?B?$", "512MiB")
