"""Examples of every body and answer, for those who read the description rather than the documentation."""

from __future__ import annotations

import re
from typing import Any

from horae.api.example_answers import ANSWERS
from horae.api.example_bodies import BODIES

_LIST = re.compile(r"Listing_(\w+)_")


def illustrate(schema: dict[str, Any]) -> None:
    """Puts the examples into an OpenAPI document, wherever a body or an answer is of their kind."""
    for methods in schema["paths"].values():
        for operation in methods.values():
            contents = [operation["requestBody"]["content"]] if "requestBody" in operation else []
            contents += [answer.get("content", {}) for answer in operation["responses"].values()]
            for content in contents:
                _fill_in(content)


def _fill_in(content: dict[str, Any]) -> None:
    for described in content.values():
        example = _example(described.get("schema", {}).get("$ref", "").rpartition("/")[2])
        if example is not None:
            described["example"] = example


def _example(name: str) -> Any:
    if listed := _LIST.fullmatch(name):
        return {"items": [ANSWERS[listed[1]]], "next_cursor": None} if listed[1] in ANSWERS else None
    return BODIES.get(name, ANSWERS.get(name))
