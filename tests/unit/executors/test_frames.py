"""The frames of a container's output, cut anywhere."""

import pytest

from horae.executors.containers.stream import Frames


class Log:
    def __init__(self) -> None:
        self.texts = {"stdout": "", "stderr": "", "system": ""}
        self.told: list[tuple[float, str | None]] = []

    def write(self, stream: str, text: str) -> None:
        self.texts[stream] += text

    def progress(self, fraction: float, note: str | None) -> None:
        self.told.append((fraction, note))


def frame(stream: int, content: bytes) -> bytes:
    return bytes((stream, 0, 0, 0)) + len(content).to_bytes(4, "big") + content


WHOLE = b"".join(
    (
        frame(1, "schön\0".encode()[:4]),
        frame(2, b"err"),
        frame(1, b""),
        frame(1, "schön\0".encode()[4:]),
        frame(2, b"\xff\xc3"),
        frame(3, b"told by the service"),
    )
)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 1000])
def test_text_is_the_same_however_it_is_cut(size):
    log = Log()
    frames = Frames(log)
    for start in range(0, len(WHOLE), size):
        frames.feed(WHOLE[start : start + size])
    frames.end()
    assert log.texts == {
        "stdout": "schön\N{REPLACEMENT CHARACTER}",
        "stderr": "err\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}",
        "system": "told by the service",
    }


def test_progress_lines_count_only_on_standard_output():
    log = Log()
    frames = Frames(log)
    frames.feed(frame(1, b"a\n::progress 0.") + frame(2, b"::progress 1\n") + frame(1, b"5 half\nb\n"))
    frames.end()
    assert log.told == [(0.5, "half")]
    assert log.texts == {"stdout": "a\nb\n", "stderr": "::progress 1\n", "system": ""}
