"""The buffer of attempts' output: in order, bounded, with the latest progress."""

from datetime import UTC, datetime

import orjson
import pytest

from horae.domain.runs.claim import Claimed
from horae.processes.logbook import LogBook

NOW = datetime(2026, 3, 1, tzinfo=UTC)
RUN = Claimed("run", "job", 1, "project", "api", None, 2, 0, None, NOW, NOW, "token")


class StillClock:
    def now(self) -> datetime:
        return NOW

    def monotonic(self) -> float:
        return 0.0


def book(limit: int = 1 << 20) -> LogBook:
    return LogBook(StillClock(), limit)


def test_pieces_are_numbered_and_streams_kept_apart():
    kept = book()
    sink = kept.sink(RUN)
    for stream, text in (("stdout", "a"), ("stdout", "b\n"), ("stderr", "c\n"), ("stdout", "d\n")):
        sink.write(stream, text)
    rows = kept.take()
    assert [(row.seq, row.stream, row.text) for row in rows] == [
        (1, "stdout", "ab\n"),
        (2, "stderr", "c\n"),
        (3, "stdout", "d\n"),
    ]
    assert {(row.run_id, row.token, row.attempt) for row in rows} == {("run", "token", 2)}
    assert (kept.take(), kept.pending) == ([], False)


def test_long_output_is_cut_into_pieces_and_then_off():
    kept = book(limit=200_000)
    sink = kept.sink(RUN)
    for _ in range(5):
        sink.write("stdout", "x" * 100_000)
    rows = kept.take()
    assert "".join(row.text for row in rows if row.stream == "stdout") == "x" * 200_000
    assert max(len(row.text) for row in rows) <= 64 * 1024
    assert (rows[-1].stream, rows[-1].text) == ("system", "output cut at 200000 bytes\n")


@pytest.mark.parametrize(("told", "kept"), [(-1.0, 0.0), (0.123456, 0.1235), (7.0, 1.0), (float("nan"), 0.0)])
def test_the_newest_progress_is_what_counts(told: float, kept: float):
    of = book()
    sink = of.sink(RUN)
    sink.progress(0.5, "half")
    sink.progress(told, "n\x00te" + "x" * 1_000)
    assert of.pending
    (progress,) = of.take_progress()
    value = orjson.loads(progress.value)
    assert (progress.run_id, progress.token, value["fraction"]) == ("run", "token", kept)
    assert value["note"].startswith("n\N{REPLACEMENT CHARACTER}te")
    assert len(value["note"]) == 500
    assert not of.pending


def test_the_writer_is_woken_when_something_is_pending_again():
    of = book()
    calls: list[int] = []
    of.on_pending = lambda: calls.append(1)
    sink = of.sink(RUN)
    sink.write("stdout", "a")
    sink.progress(0.1, None)
    assert len(calls) == 1
    of.take()
    of.take_progress()
    sink.progress(0.2, None)
    assert len(calls) == 2


def test_output_beyond_the_quota_is_cut_and_noted_once():
    kept = book()
    left = 5

    def keep(project_id: str, text: str) -> str:
        nonlocal left
        assert project_id == "project"
        allowed, left = text[:left], max(left - len(text), 0)
        return allowed

    kept.keep = keep
    sink = kept.sink(RUN)
    for text in ("abc", "defg", "h"):
        sink.write("stdout", text)
    assert [(row.stream, row.text) for row in kept.take()] == [
        ("stdout", "abcde"),
        ("system", "output cut: the project's quota log_bytes_per_day is used up for today\n"),
    ]
    assert sink.full
    later = kept.sink(RUN)
    later.write("stdout", "x")
    assert [row.stream for row in kept.take()] == ["system"]
