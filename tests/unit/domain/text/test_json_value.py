from __future__ import annotations

import pytest

from horae.domain.text.json_value import plain_json


def _nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value", [None, True, 1, -1.5, "text\n", [], {}, {"a": [1, {"b": None}]}, 2**63 - 1, _nested(32), "emoji 😀"]
)
def test_plain(value):
    assert plain_json(value) is value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "NaN"),
        ({"a": [float("-inf")]}, "infinities"),
        (2**63, "64 bits"),
        (10**400, "64 bits"),
        ("a\x00b", "texts in it must not contain the NUL character"),
        (["\ud800"], "texts in it must not contain lone surrogates"),
        ({"a\x00": 1}, "names in it must not contain the NUL character"),
        ({"\udfff": 1}, "names in it must not contain lone surrogates"),
        ({1: 1}, "must be JSON"),
        (b"x", "must be JSON"),
        ((1,), "must be JSON"),
        (_nested(33), "nested deeper than 32"),
        (_nested(100_000), "nested deeper than 32"),
    ],
)
def test_refused(value, message):
    with pytest.raises(ValueError, match=message):
        plain_json(value)
