"""The log of an attempt that knows secrets."""

from datetime import UTC, datetime

from horae.clock import SystemClock
from horae.domain.runs.claim import Claimed
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.processes.logbook import LogBook
from horae.processes.vault import Opened

NOW = datetime(2026, 3, 1, tzinfo=UTC)
RUN = Claimed("run", "job", 1, "project", "api", None, 1, 0, None, NOW, NOW, "token")


def printed(book: LogBook) -> list[tuple[str, str]]:
    return [(row.stream, row.text) for row in book.take()]


def test_each_stream_is_put_together_by_itself():
    book = LogBook(SystemClock(), 1_000)
    opened = Opened({"A": "password"})
    log = opened.log(book.sink(RUN))
    log.write("stdout", "one pass")
    log.write("stderr", "two pass")
    assert printed(book) == [("stdout", "one "), ("stderr", "two ")]
    log.write("stderr", "port")
    log.write("stdout", "word")
    assert printed(book) == [("stderr", "passport"), ("stdout", "[secret A]")]


def test_the_end_brings_what_was_held_back_and_redacts_the_outcome():
    book = LogBook(SystemClock(), 1_000)
    opened = Opened({"A": "password"})
    opened.log(book.sink(RUN)).write("stdout", "one pass")
    outcome = opened.outcome(Outcome(AttemptOutcome.FAILED, error="wrong password"))
    assert outcome.error == "wrong [secret A]"
    assert printed(book) == [("stdout", "one pass")]


def test_progress_is_redacted():
    book = LogBook(SystemClock(), 1_000)
    log = Opened({"A": "password"}).log(book.sink(RUN))
    log.progress(0.5, "the password")
    log.progress(0.6, None)
    (told,) = book.take_progress()
    assert told.value == '{"fraction":0.6,"note":null}'
    log.progress(0.5, "the password")
    (told,) = book.take_progress()
    assert told.value == '{"fraction":0.5,"note":"the [secret A]"}'


def test_output_is_truncated_after_redaction():
    book = LogBook(SystemClock(), 12)
    opened = Opened({"A": "password"})
    log = opened.log(book.sink(RUN))
    log.write("stdout", "the passwo")
    log.write("stdout", "rd is long")
    log.write("stdout", "pass")  # and is dropped, with everything that follows
    opened.outcome(Outcome(AttemptOutcome.SUCCEEDED))
    assert printed(book) == [("stdout", "the [secret "), ("system", "output cut at 12 bytes\n")]
