"""Tokens, cursors and JSON: text that comes from outside."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horae.api import cursor
from horae.api.body import parse
from horae.api.errors import Malformed
from horae.api.signing_in import tokens
from horae.api.views import render
from horae.domain.errors import InvalidInput

KEY = "k" * 32


def test_a_token_is_found_by_its_prefix_and_known_by_its_digest():
    token = tokens.mint()
    assert token.text.startswith(f"horae_{token.prefix}_")
    assert tokens.prefix_of(token.text) == token.prefix
    assert tokens.matches(token.text, token.digest)
    assert not tokens.matches(token.text[:-1] + "~", token.digest)
    assert token.text not in repr(token)
    assert tokens.mint().text != token.text


@given(st.text(max_size=200))
def test_a_malformed_token_has_no_prefix(text: str):
    assert tokens.prefix_of(text) is None


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=100), st.text(max_size=20), st.text(max_size=20))
def test_a_cursor_works_in_its_list_only(after: str, scope: str, other: str):
    sealed = cursor.seal(KEY, scope.encode("utf-8", "replace").decode(), after)
    scope = scope.encode("utf-8", "replace").decode()
    assert cursor.unseal([KEY], scope, sealed) == cursor.unseal(["x" * 32, KEY], scope, sealed) == after
    if other.encode("utf-8", "replace").decode() != scope:
        with pytest.raises(InvalidInput):
            cursor.unseal([KEY], other.encode("utf-8", "replace").decode(), sealed)
    with pytest.raises(InvalidInput):
        cursor.unseal(["x" * 32], scope, sealed)


@given(st.text(max_size=200))
def test_forged_cursors_are_refused(text: str):
    with pytest.raises(InvalidInput) as refused:
        cursor.unseal([KEY], "jobs", text)
    assert refused.value.field == "cursor"


def test_no_cursor_is_the_beginning():
    assert cursor.seal(KEY, "jobs", None) is None
    assert cursor.unseal([KEY], "jobs", None) is None


@given(st.binary(max_size=300))
def test_any_bytes_are_json_or_refused(raw: bytes):
    with suppress(Malformed, InvalidInput):
        parse(raw)


def test_errors_name_the_path_of_the_bad_value():
    for text, field in (
        (b'{"a": {"b": ["x", "\\u0000"]}}', "a.b[1]"),
        (b'{"a": [1, 1e999]}', "a[1]"),
        (b'{"a": 99999999999999999999}', "a"),
        (b'{"a": {"\\u0000": 1}}', "a"),
    ):
        with pytest.raises(InvalidInput) as refused:
            parse(text)
        assert refused.value.field == field


def test_depth():
    parse(b"[" * 32 + b"]" * 32)
    with pytest.raises(InvalidInput):
        parse(b"[" * 33 + b"]" * 33)


def test_everything_a_script_left_can_be_rendered():
    assert render({"n": 10**40, "text": "\ud800"}).startswith(b'{"n": 1000')
