"""Examples of every request body and answer, for the API description. Those of bodies are written by hand
(example_bodies.py); those of answers are derived, field by field, from the view, from the field's name
(example_values.py) or from its type."""

from __future__ import annotations

from typing import Any

from horae.api.description.example_bodies import BODIES
from horae.api.description.example_values import BY_FIELD, BY_VIEW, NOW

_BY_TYPE: dict[str, Any] = {"string": "text", "integer": 1, "number": 1.5, "boolean": False, "object": {}}


def illustrate(document: dict[str, Any]) -> None:
    """Adds the examples to an OpenAPI document, wherever a model describes a body or an answer."""
    answers = Answers(document["components"]["schemas"])
    for operation in (one for methods in document["paths"].values() for one in methods.values()):
        for content in operation.get("requestBody", {}).get("content", {}).values():
            content["example"] = BODIES[_name(content["schema"])]
        for answer in operation["responses"].values():
            described = answer.get("content", {}).get("application/json", {})
            if _name(described.get("schema", {})):
                described["example"] = answers.of(described["schema"])


class Answers:
    """Examples of the schemas of a document."""

    def __init__(self, schemas: dict[str, Any]) -> None:
        self._schemas = schemas

    def of(self, schema: dict[str, Any]) -> Any:
        """By its type: the first of several; null where that is allowed."""
        if name := _name(schema):
            return self._object(name) if "properties" in self._schemas[name] else self.of(self._schemas[name])
        if options := schema.get("anyOf", schema.get("oneOf")):
            return None if {"type": "null"} in options else self.of(options[0])
        if "enum" in schema or "const" in schema:
            return schema.get("enum", [schema.get("const")])[0]
        if schema.get("type") == "array":
            return [self.of(schema["items"])] if _name(schema["items"]) else []
        return NOW if schema.get("format") == "date-time" else _BY_TYPE.get(schema.get("type", ""))

    def _object(self, view: str) -> dict[str, Any]:
        """With its required fields, and those that the view's own values name."""
        described, own = self._schemas[view], BY_VIEW.get(view, {})
        fields = [one for one in described["properties"] if one in own or one in described.get("required", ())]
        return {field: self._field(field, described["properties"][field], own) for field in fields}

    def _field(self, field: str, schema: dict[str, Any], own: dict[str, Any]) -> Any:
        views = [one for one in (schema, *schema.get("anyOf", ())) if self._is_view(one)]
        if field in own:
            return self.of(views[0]) if own[field] is ... else own[field]
        return BY_FIELD[field] if field in BY_FIELD and not views else self.of(schema)

    def _is_view(self, schema: dict[str, Any]) -> bool:
        """Whether it is another view, or a list of them."""
        name = _name(schema.get("items", schema))
        return bool(name) and "properties" in self._schemas[name]


def _name(schema: dict[str, Any]) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]
