"""Exceptions become text that every database can store."""

import pytest

from horae.domain.errors import PermanentError
from horae.executors.failure import ERROR_LIMIT, TRACEBACK_LIMIT, clean, in_words, raised


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_one_line() -> None:
    assert in_words(ValueError("two\nlines \t here")) == "ValueError: two lines here"
    assert in_words(KeyError()) == "KeyError"
    assert in_words(PermanentError("never again")) == "PermanentError: never again"


def test_a_long_message_is_cut() -> None:
    words = in_words(ValueError("x" * 10_000_000))
    assert len(words) == ERROR_LIMIT
    assert words.endswith("x…")


def test_a_message_that_fails_itself() -> None:
    outcome = raised(Mute())
    assert outcome.error == "Mute: (its message cannot be shown)"
    assert outcome.traceback


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [("plain", "plain"), ("a\0b", "a�b"), ("\ud800x", "�x"), ("ok \U0001f600", "ok \U0001f600"), ("\udce4", "�")],
)
def test_text_that_cannot_be_stored_is_replaced(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


def test_the_traceback_keeps_its_end() -> None:
    def deep(n: int) -> None:
        if n:
            [deep, deep][n % 2](n - 1)
        raise ValueError("ü" * 40_000 + " the end")

    with pytest.raises(ValueError) as caught:
        deep(30)
    text = raised(caught.value).traceback
    assert text is not None
    assert len(text.encode()) <= TRACEBACK_LIMIT
    assert text.startswith("[…]\n")
    assert text.endswith("the end\n")
