"""Request bodies: errors name the field."""

import pytest

from horae.api.body import parse
from horae.api.errors import Malformed
from horae.domain.errors import InvalidInput


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        (b'{"timeout": NaN}', "timeout"),
        (b'{"timeout": -Infinity}', "timeout"),
        (b'{"timeout": 1e400}', "timeout"),
        (b'{"retry": {"delay": ' + b"9" * 5_000 + b"}}", "retry.delay"),
        (b'{"priority": 9223372036854775808}', "priority"),
        (b'{"name": "a", "name": "b"}', "name"),
        (b'{"tags": [{"x": 1, "y": 2, "y": 3, "x": 4}]}', "tags[0].x"),
        (b'{"input": {"a": ["\\ud800"]}}', "input.a[0]"),
        (b'{"input": {"a": {"\\u0000": 1}}}', "input.a"),
        (b'{"a": ' + b"[" * 32 + b"]" * 32 + b"}", "a" + "[0]" * 31),
        (b"[" * 100_000, ""),
    ],
)
def test_the_field_is_named(raw: bytes, field: str):
    with pytest.raises(InvalidInput) as caught:
        parse(raw)
    assert caught.value.field == field


@pytest.mark.parametrize(
    "raw", [b"{", b"{'a': 1}", b'{"a": 1} {}', b'"\xff"', b"\xef\xbb\xbf{}", b'{"a": 01}', b'"\x01"']
)
def test_invalid_json_is_malformed(raw: bytes):
    with pytest.raises(Malformed):
        parse(raw)


def test_valid_json_is_parsed():
    assert parse(b'{"a": [1, -9223372036854775808, 1.5, true, null, "\\ud83d\\ude00"]}') == {
        "a": [1, -(1 << 63), 1.5, True, None, "😀"]
    }
