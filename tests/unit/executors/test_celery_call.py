"""The arguments of a task, from a job and the input of its run."""

import pytest
from pydantic import ValidationError

from horae.domain.targets import CeleryTarget
from horae.executors.celery_call import call_of
from horae.executors.failure import Refused

TARGET = CeleryTarget(task="shop.add", args=[1], kwargs={"a": 1, "b": 2}, locked=("b",), queue="fast", priority=3)


def test_the_input_overrides_keyword_arguments_by_name() -> None:
    message = call_of(TARGET, '{"a": 5, "c": 6}')
    assert message == ("shop.add", "fast", [1], {"a": 5, "b": 2, "c": 6}, 3, {})
    assert call_of(TARGET, None).kwargs == {"a": 1, "b": 2}


@pytest.mark.parametrize("text", ['{"b": 3}', "[1]", '"text"', "7"])
def test_other_inputs_are_refused(text: str) -> None:
    with pytest.raises(Refused):
        call_of(TARGET, text)


def test_long_arguments_are_refused() -> None:
    with pytest.raises(Refused, match="bytes of JSON"):
        call_of(TARGET, '{"a": "' + "x" * 2_000_000 + '"}')


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"task": "celery.backend_cleanup"}, "Celery's own"),
        ({"task": ""}, "at least 1"),
        ({"task": "a\nb"}, "control"),
        ({"task": "a", "headers": {"Id": "x"}}, "set by Celery"),
        ({"task": "a", "headers": {"task": "shop.other"}}, "set by Celery"),
        ({"task": "a", "headers": {"x": 1}}, "string"),
        ({"task": "a", "kwargs": {"not a name": 1}}, "names of parameters"),
        ({"task": "a", "locked": ["x"]}, "must name one"),
        ({"task": "a", "priority": 10}, "9"),
        ({"task": "a", "args": [float("nan")]}, "NaN"),
        ({"task": "a", "broker": "redis://elsewhere"}, "Extra"),
    ],
)
def test_targets_that_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        CeleryTarget.model_validate(fields)
