"""Escape sequences: colours stay where they may, the rest never reaches a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horae.domain.text.ansi import coloured, complete, stripped

ODD = "\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    ("text", "plain", "shown"),
    [
        ("plain ü\n\ttext\r\n", "plain ü\n\ttext\r\n", "plain ü\n\ttext\r\n"),
        ("\x1b[1;31mred\x1b[0m", "red", "\x1b[1;31mred\x1b[0m"),
        ("\x1b[38:2::255:0:0mx\x1b[m", "x", "\x1b[38:2::255:0:0mx\x1b[m"),
        ("a\x1b[2J\x1b[Hb", "ab", "ab"),
        ("a\x1b]0;title\x07b", "ab", "ab"),
        ("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "alink", "alink"),
        ("a\x1bcb", "ab", "ab"),
        ("a\x1b[6nb", "ab", "ab"),
        ("bell\x07 null\x00 del\x7f", "bell null del", f"bell{ODD} null{ODD} del{ODD}"),
        ("a\x9b31mb", "ab", "ab"),
        ("end\x1b", "end", f"end{ODD}"),
    ],
)
def test_escape_sequences_are_stripped_except_colours(text: str, plain: str, shown: str):
    assert (stripped(text), coloured(text)) == (plain, shown)


@given(st.text(alphabet="a[]0;m\x1b\x07\\J\x9b\n", max_size=40), st.data())
def test_pieces_show_what_the_whole_shows(text: str, data: st.DataObject):
    cut = data.draw(st.integers(0, len(text)))
    ready, rest = complete(text[:cut])
    assert ready + rest == text[:cut]
    assert "\x1b" not in stripped(ready + rest)
    for found in (stripped(text), coloured(text)):
        assert "\x07" not in found
        assert "\x9b" not in found


def test_a_colour_that_comes_in_two_pieces_is_one():
    ready, rest = complete("red \x1b[3")
    assert (ready, rest) == ("red ", "\x1b[3")
    assert complete(rest + "1mx") == ("\x1b[31mx", "")
