"""A run's output as it is printed."""

import io

from horae.cli.runs.logs import LogPrinter


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(to: io.StringIO, *pieces: tuple[int, str, str]) -> str:
    printer = LogPrinter(to)
    for attempt, stream, text in pieces:
        printer.write({"attempt": attempt, "stream": stream, "text": text})
    printer.end()
    return to.getvalue()


def test_pieces_of_a_line_stay_together():
    assert shown(io.StringIO(), (1, "stdout", "one "), (1, "stdout", "line")) == "one line\n"


def test_streams_and_attempts_begin_on_a_new_line():
    pieces = [(1, "stdout", "out"), (1, "stderr", "err\n"), (1, "stdout", "x"), (2, "stdout", "y\n")]
    assert shown(io.StringIO(), *pieces) == "out\nerr\nx\ny\n"


def test_colours_are_for_terminals():
    pieces = [(1, "stdout", "\x1b[3"), (1, "stdout", "1mred\x1b[0m\x1b[2J\n")]
    assert shown(io.StringIO(), *pieces) == "red\n"
    assert shown(Tty(), *pieces) == "\x1b[31mred\x1b[0m\n"


def test_nothing_is_nothing():
    printer = LogPrinter(to := io.StringIO())
    printer.end()
    assert (to.getvalue(), printer.wrote) == ("", False)
