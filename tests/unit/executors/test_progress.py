"""Progress lines, in any pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horae.executors.output import ProgressLine

TEXT = "a\n::progress 0.25\n::progress 40% half way\nmiddle ::progress 0.5\n  ::progress 0.6\n::progressive\nend"
KEPT = "a\nmiddle ::progress 0.5\n  ::progress 0.6\n::progressive\nend"
TOLD = [(0.25, None), (0.4, "half way")]


class Log:
    def __init__(self) -> None:
        self.told: list[tuple[float, str | None]] = []

    def write(self, stream: str, text: str) -> None: ...

    def progress(self, fraction: float, note: str | None) -> None:
        self.told.append((fraction, note))


def passed(*pieces: str) -> tuple[str, list[tuple[float, str | None]]]:
    log = Log()
    progress = ProgressLine(log)
    kept = [progress.pass_on(piece) for piece in pieces]
    return "".join(kept) + progress.pass_on("", final=True), log.told


@given(st.lists(st.integers(0, len(TEXT)), max_size=10))
def test_pieces(cuts: list[int]) -> None:
    cuts = sorted(cuts)
    pieces = [TEXT[a:b] for a, b in zip([0, *cuts], [*cuts, len(TEXT)], strict=True)]
    assert passed(*pieces) == (KEPT, TOLD)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("::progress 1", (1.0, None)),
        ("::progress 0", (0.0, None)),
        ("::progress 100%\r\n", (1.0, None)),
        ("::progress  0.5   two  words \n", (0.5, "two  words")),
        ("::progress 0.5\tafter a tab\n", (0.5, "after a tab")),
        ("::progress 33.3% ü\n", (0.333, "ü")),
    ],
)
def test_forms(line: str, told: tuple[float, str | None]) -> None:
    kept, [(fraction, note)] = passed(line)
    assert (kept, round(fraction, 9), note) == ("", *told)


@pytest.mark.parametrize(
    "line",
    [
        "::progress\n",
        "::progress half\n",
        "::progress 1.5\n",
        "::progress 101%\n",
        "::progress -1\n",
        "::progress 0.5x\n",
    ],
)
def test_other_lines_are_kept(line: str) -> None:
    assert passed(line) == (line, [])


def test_nothing_else_is_held_back() -> None:
    progress = ProgressLine(Log())
    assert progress.pass_on("no newline yet") == "no newline yet"
    assert progress.pass_on("\n::") == "\n"
    assert progress.pass_on(": no") == "::: no"


def test_a_flood_is_not_held_back() -> None:
    flood = "::progress " + "x" * 5_000
    progress = ProgressLine(Log())
    assert progress.pass_on(flood) == flood
    assert progress.pass_on("yyy\n") == "yyy\n"
