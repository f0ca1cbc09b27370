"""What is wrong with a sink, in a sentence."""

from __future__ import annotations

from datetime import datetime

from horae.domain.explain.explanation import counted, span
from horae.domain.sinks.sink import FailingSink


def failing_in_words(sink: FailingSink, now: datetime) -> str:
    where = "of the installation" if sink.project is None else f"of project {sink.project}"
    dropped = f"; it has lost {counted(sink.dropped, 'event')} so far" if sink.dropped else ""
    return f"the sink {sink.name} {where} has failed for {span(now - sink.since)}: {sink.error or 'unknown'}{dropped}"
