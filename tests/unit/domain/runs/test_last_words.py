"""Which line of a program's error output says why it failed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horae.domain.runs.last_words import LINE_LIMIT, LastWords, with_last_words
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome

PYTHON = """Traceback (most recent call last):
  File "load.py", line 3, in <module>
    price = row["price_eur"]
            ~~~^^^^^^^^^^^^^
KeyError: 'price_eur'
"""
NODE = """/app/index.js:3
throw new TypeError("rows is not iterable");
^

TypeError: rows is not iterable
    at Object.<anonymous> (/app/index.js:3:7)
    at node:internal/main/run_main_module:28:49

Node.js v20.11.1
"""
JAVA = """Exception in thread "main" java.lang.IllegalStateException: job failed
\tat Main.main(Main.java:5)
Caused by: java.net.ConnectException: Connection refused
\tat Main.connect(Main.java:9)
\t... 1 more
"""


def told(*pieces: str) -> str | None:
    words = LastWords()
    for piece in pieces:
        words.feed(piece)
    return words.line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", None),
        ("\n \n", None),
        ("sh: 1: pg_dump: not found\n", "sh: 1: pg_dump: not found"),
        ("no newline at the end", "no newline at the end"),
        ("first\nlast\n\n\n", "last"),
        (PYTHON, "KeyError: 'price_eur'"),
        (NODE, "TypeError: rows is not iterable"),
        (JAVA, "Caused by: java.net.ConnectException: Connection refused"),
        ("  all\n  indented\n", "indented"),
        ("10 %\r50 %\r100 %\n", "100 %"),
        ("windows\r\n", "windows"),
        ("\x1b[31mred\x1b[0m\n", "red"),
        ("\x1b[0m\n", None),
        ("x" * 10_000, "x" * (LINE_LIMIT - 1) + "…"),
    ],
)
def test_the_line(text, line):
    assert told(text) == line


@given(st.lists(st.text(alphabet="ab \n", max_size=8), max_size=12))
def test_pieces_make_no_difference(pieces):
    assert told(*pieces) == told("".join(pieces))


def test_only_a_bare_exit_code_gets_them():
    words = LastWords()
    words.feed(PYTHON)
    failed = Outcome(AttemptOutcome.FAILED, error="exit code 1", exit_code=1)
    assert with_last_words(failed, words).error == "exit code 1: KeyError: 'price_eur'"
    assert with_last_words(failed, LastWords()) is failed
    for other in (
        Outcome(AttemptOutcome.SUCCEEDED, exit_code=0),
        Outcome(AttemptOutcome.FAILED, error="out of memory", exit_code=137),
        Outcome(AttemptOutcome.FAILED, error="HTTP 503", response_code=503),
        Outcome(AttemptOutcome.TIMED_OUT, error="took longer"),
    ):
        assert with_last_words(other, words) is other
