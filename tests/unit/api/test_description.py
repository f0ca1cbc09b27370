"""The description of the API: complete, with examples that would be accepted."""

import re
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import BaseModel

import horae.api
from horae.api.app import build
from horae.api.body import described_models
from horae.api.context import ApiSettings
from horae.api.examples import ANSWERS, BODIES
from horae.clock import SystemClock, SystemIds
from horae.ports import Store

STATIC = Path(horae.api.__file__).parent / "static"


@cache
def description() -> dict[str, Any]:
    return build(cast("Store", None), ApiSettings("k" * 32), SystemIds(), SystemClock()).openapi()


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    return [(path, method, one) for path, all_ in description()["paths"].items() for method, one in all_.items()]


def test_it_is_openapi_3_1():
    assert description()["openapi"].startswith("3.1")


@pytest.mark.parametrize("model", described_models() or [BaseModel], ids=lambda model: model.__name__)
def test_the_example_of_a_body_would_be_accepted(model: type[BaseModel]):
    description()
    model.model_validate(BODIES[model.__name__])


def test_every_body_has_an_example_and_there_are_no_others():
    description()
    assert {model.__name__ for model in described_models()} == set(BODIES)
    for path, method, one in operations():
        for content in one.get("requestBody", {}).get("content", {}).values():
            assert "example" in content, f"{method} {path}"


def test_examples_of_answers_have_the_fields_that_answers_have():
    for name, example in ANSWERS.items():
        assert set(example) <= set(description()["components"]["schemas"][name]["properties"])


def test_every_reference_leads_somewhere():
    schemas = description()["components"]["schemas"]
    found = re.findall(r"#/components/schemas/([\w.-]+)", str(description()))
    assert set(found) <= set(schemas)


def test_every_operation_has_an_id_of_its_own():
    ids = [one["operationId"] for _, _, one in operations()]
    assert len(ids) == len(set(ids))


def test_the_page_loads_nothing_from_elsewhere_and_holds_no_script():
    page = (STATIC / "docs.html").read_text()
    assert not re.findall(r"https?://|//\w", page)
    assert re.findall(r'(?:src|href)="([^"]+)"', page) == ["/docs/docs.css", "/docs/docs.js", "/openapi.json"]
    assert not re.search(r"<script[^>]*>[^<]|\bon\w+=|style=", page)
    script = (STATIC / "docs.js").read_text()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", script)
