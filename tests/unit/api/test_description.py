"""The description of the API: complete, with examples that would be accepted."""

import re
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
from jsonschema import Draft202012Validator, FormatChecker
from pydantic import BaseModel

import horae.api
from horae.api.app import build
from horae.api.body import described_models
from horae.api.context import ApiSettings
from horae.api.description.example_bodies import BODIES
from horae.api.description.example_values import BY_FIELD, BY_VIEW
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


def test_every_answer_has_an_example_that_is_as_described():
    for path, method, one in operations():
        for status, answer in one["responses"].items():
            content = answer.get("content", {}).get("application/json")
            if content is not None:
                schema = {**content["schema"], "components": description()["components"]}
                validator = Draft202012Validator(schema, format_checker=FormatChecker())
                assert "example" in content, f"{method} {path} {status}"
                assert not [*validator.iter_errors(content["example"])], f"{method} {path} {status}"


def test_what_examples_are_made_of_belongs_to_a_field():
    schemas = description()["components"]["schemas"]
    fields = {name: set(schema.get("properties", ())) for name, schema in schemas.items()}
    assert {name for name, own in BY_VIEW.items() if not set(own) <= fields.get(name, set())} == set()
    assert set(BY_FIELD) - set().union(*fields.values()) == set()


def test_every_parameter_says_what_it_is_for():
    for path, method, one in operations():
        for parameter in one.get("parameters", []):
            assert parameter.get("description"), f"{method} {path}: {parameter['name']}"


def test_headers_that_programs_need_are_described():
    for path, method, one in operations():
        shown = str(one["responses"].get("200", one["responses"].get("201", {})))
        assert ("JobView'" in shown and "Listing" not in shown) == ("ETag" in shown), f"{method} {path}"
    for name in ("TooManyRequests", "TemporarilyUnavailable"):
        assert "Retry-After" in description()["components"]["responses"][name]["headers"]


def test_every_reference_leads_somewhere():
    schemas = description()["components"]["schemas"]
    found = re.findall(r"#/components/schemas/([\w.-]+)", str(description()))
    assert set(found) <= set(schemas)


def test_every_operation_has_its_own_id():
    ids = [one["operationId"] for _, _, one in operations()]
    assert len(ids) == len(set(ids))


def test_the_page_loads_nothing_from_elsewhere_and_holds_no_script():
    page = (STATIC / "docs.html").read_text()
    assert not re.findall(r"https?://|//\w", page)
    assert re.findall(r'(?:src|href)="([^"]+)"', page) == ["/docs/docs.css", "/docs/docs.js", "/", "/openapi.json"]
    assert not re.search(r"<script[^>]*>[^<]|\bon\w+=|style=", page)
    script = (STATIC / "docs.js").read_text()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", script)


def test_the_page_has_the_colours_of_the_portal():
    tokens = (STATIC.parents[3] / "portal/src/styles/tokens.css").read_text()
    ours = (STATIC / "docs.css").read_text()
    for theme in (":root", ".dark"):
        theirs = dict(re.findall(r"--([\w-]+): (#\w+);", tokens.split(f"{theme} {{")[1].split("}")[0]))
        own = dict(re.findall(r"--([\w-]+): (#\w+);", ours.split(f"{theme} {{")[1].split("}")[0]))
        assert own
        assert own.items() <= theirs.items()
