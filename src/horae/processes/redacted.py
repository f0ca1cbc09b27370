"""Redacts secrets in an attempt's output on its way to the log buffer."""

from __future__ import annotations

from horae.domain.secrets.redaction import RedactedStream, Redactor
from horae.processes.logbook import AttemptLog


class RedactedLog:
    """A log sink in front of another one. Text held back in one stream does not delay the others."""

    def __init__(self, log: AttemptLog, known: Redactor) -> None:
        self._log, self._known = log, known
        self._streams: dict[str, RedactedStream] = {}

    def write(self, stream: str, text: str) -> None:
        if self._log.full and stream != "stderr":  # whose last line is used even then
            return
        if stream not in self._streams:
            self._streams[stream] = self._known.stream()
        if shown := self._streams[stream].write(text):
            self._log.write(stream, shown)

    def progress(self, fraction: float, note: str | None) -> None:
        self._log.progress(fraction, note and self._known.redact(note))

    def end(self) -> None:
        """The end of the output: what was held back is not a secret."""
        for name, stream in self._streams.items():
            if shown := stream.write("", last=True):
                self._log.write(name, shown)
