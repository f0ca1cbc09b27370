"""The tasks of a real Celery app, as functions to be registered."""

import json
from typing import Any

from celery import Celery

from horae.domain.jobs.function import FunctionSign, check_arguments
from horae.executors.celery_tasks import signs_of

app = Celery("x", set_as_current=False)


@app.task(name="shop.report")
def report(customer: int, *, urgent: bool = False) -> None:
    """Writes a report."""


@app.task(name="shop.bound", bind=True)
def bound(self: Any, order: str) -> None:
    pass


@app.task(name="shop.odd")
def odd(a: int, /, *rest: int, context: dict[str, Any] | None = None) -> None:
    """Says little."""


app.finalize()
FOUND: dict[str, FunctionSign] = {sign.name: sign for sign in signs_of(app.tasks)}


def test_only_its_own_tasks_under_names_that_no_function_can_have() -> None:
    assert sorted(FOUND) == ["celery:shop.bound", "celery:shop.odd", "celery:shop.report"]
    assert {sign.kind for sign in FOUND.values()} == {"celery"}


def test_their_signatures() -> None:
    sign = FOUND["celery:shop.report"]
    schema = json.loads(sign.parameters)
    assert (sign.display_name, sign.description) == ("Report", "Writes a report.")
    assert (sorted(schema["properties"]), schema["required"]) == (["customer", "urgent"], ["customer"])
    assert sorted(json.loads(FOUND["celery:shop.bound"].parameters)["properties"]) == ["order"]


def test_a_signature_that_says_little_accepts_anything() -> None:
    sign = FOUND["celery:shop.odd"]
    assert sign.description == "Says little."
    check_arguments(sign.parameters, {"context": {"a": 1}, "whatever": 2}, "target.kwargs")
