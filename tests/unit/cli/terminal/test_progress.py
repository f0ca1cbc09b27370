"""How far long work is, where there is no terminal for a bar."""

import pytest

from horae.cli.terminal.progress import progress


def test_a_line_now_and_then(capsys: pytest.CaptureFixture[str]):
    with progress("redrive", 1_000) as advance:
        for done in range(1_001):
            advance(done)
    lines = capsys.readouterr().err.splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("redrive: 100 of 1000", "redrive: 900 of 1000", 9)


def test_nothing_beside_json(capsys: pytest.CaptureFixture[str]):
    with progress("redrive", 10, quiet=True) as advance:
        advance(5)
    assert capsys.readouterr() == ("", "")
