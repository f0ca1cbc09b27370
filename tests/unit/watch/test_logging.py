"""Logs: one JSON object per line for machines, one readable line for people."""

import io
import json
import logging as standard
import threading

import structlog

from horae.watch import logging


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_json_lines_when_not_on_a_terminal():
    stream = io.StringIO()
    logging.configure(stream=stream, role="worker")
    log = structlog.get_logger()
    log.debug("hidden")
    log.info("claimed", runs=3)
    thread = threading.Thread(target=lambda: log.warning("from a thread"))
    thread.start()
    thread.join()
    try:
        raise ValueError("boom")
    except ValueError:
        log.exception("failed")
    standard.getLogger("some.library").warning("noted %s", "this")
    standard.getLogger("uvicorn.error").info("hidden")
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["event"] for line in lines] == ["claimed", "from a thread", "failed", "noted this"]
    assert all(line["role"] == "worker" and line["at"].endswith("Z") for line in lines)
    assert (lines[0]["runs"], lines[0]["level"]) == (3, "info")
    assert "ValueError: boom" in lines[2]["exception"]


def test_lines_on_a_terminal():
    stream = Terminal()
    logging.configure(stream=stream, role="worker")
    structlog.get_logger().info("claimed", runs=3)
    assert stream.getvalue().count("\n") == 1
    assert "claimed" in stream.getvalue()
    assert not stream.getvalue().startswith("{")


def test_nothing_that_is_logged_forges_a_line_or_moves_a_terminal():
    stream = Terminal()
    logging.configure(stream=stream, form="console", role="serve")
    hostile = "fine\n12:00:00 [info     ] run ended \x1b[2J\r\x9b1A"
    structlog.get_logger().info("request", path=hostile)
    structlog.get_logger().info(hostile)
    standard.getLogger("some.library").warning(hostile)
    assert [line.count("run ended") for line in stream.getvalue().splitlines()] == [1, 1, 1]
    try:
        raise ValueError(hostile)
    except ValueError:
        structlog.get_logger().exception("failed")
    assert "ValueError: fine" in stream.getvalue()
    for control in ("\x1b[2J", "\r", "\x9b"):  # colours are our own
        assert control not in stream.getvalue()


def test_settings_override_format_and_level():
    stream = Terminal()
    logging.configure(stream=stream, form="json", level="error")
    structlog.get_logger().warning("hidden")
    structlog.get_logger().error("shown")
    assert json.loads(stream.getvalue())["event"] == "shown"
