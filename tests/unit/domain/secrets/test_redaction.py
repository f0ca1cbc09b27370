"""Redaction: however a text is cut into pieces, no form of a secret gets through, and nothing else changes."""

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horae.domain.secrets.redaction import Redactor, redactor
from horae.domain.secrets.secret_forms import forms

TOKEN = "sk-live/4f9a+Zq=é 77"
PEM = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\nshort\n-----END KEY-----\n"


def feed(known: Redactor, pieces: list[str]) -> str:
    stream = known.stream()
    return "".join([*(stream.write(piece) for piece in pieces), stream.write("", last=True)])


def expected(secrets: dict[str, str], text: str) -> str:
    """What should be shown, by looking at every place for every form."""
    known: dict[str, str] = {}
    for name, value in sorted(secrets.items()):
        for form in forms(value):
            known.setdefault(form, name)
    shown, done = [], 0
    for begin in range(len(text)):
        found = max((form for form in known if text.startswith(form, begin)), key=len, default="")
        if found:
            if begin >= done:
                shown.append(f"[secret {known[found]}]")
            done = max(done, begin + len(found))
        elif begin >= done:
            shown.append(text[begin])
    return "".join(shown)


# A small alphabet, so that beginnings, overlaps and near misses are frequent.
values = st.one_of(st.text("ab", min_size=1, max_size=7), st.text('ab/\n é%"\\', min_size=1, max_size=24))
secret_sets = st.dictionaries(st.sampled_from(["A", "B", "C"]), values, min_size=1)


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[str, str], list[str]]:
    secrets = draw(secret_sets)
    known = sorted(form for value in secrets.values() for form in forms(value)) or ["abab"]
    part = st.one_of(
        st.sampled_from(known),
        st.sampled_from(known).flatmap(lambda form: st.integers(0, len(form)).map(lambda size: form[:size])),
        st.sampled_from(known).flatmap(lambda form: st.integers(0, len(form)).map(lambda size: form[size:])),
        st.text("ab/\nYWI =", max_size=6),
    )
    text = "".join(draw(st.lists(part, max_size=8)))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=10)))
    return secrets, [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@settings(max_examples=400, deadline=None)
@given(cases())
def test_any_cutting_of_any_text_shows_the_same_and_no_secret(case: tuple[dict[str, str], list[str]]):
    secrets, pieces = case
    assert feed(Redactor(secrets), pieces) == expected(secrets, "".join(pieces))


@settings(max_examples=300, deadline=None)
@given(cases())
def test_whole_texts_and_single_characters_are_treated_alike(case: tuple[dict[str, str], list[str]]):
    secrets, pieces = case
    text = "".join(pieces)
    known = Redactor(secrets)
    assert known.redact(text) == feed(known, list(text)) == expected(secrets, text)


@settings(max_examples=300, deadline=None)
@given(cases())
def test_only_the_beginning_of_a_form_is_held_back(case: tuple[dict[str, str], list[str]]):
    secrets, pieces = case
    known = [form for value in secrets.values() for form in forms(value)]
    stream = Redactor(secrets).stream()
    whole = ""
    for piece in pieces:
        stream.write(piece)
        whole += piece
        held = stream._held
        assert whole.endswith(held)
        assert not held or any(form != held and form.startswith(held) for form in known)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=5), st.text(min_size=6, max_size=40), st.binary(max_size=5))
def test_base64_is_found_in_any_place_and_alphabet(before: bytes, value: str, after: bytes):
    known = Redactor({"A": value})
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        text = encode(before + value.encode() + after).decode()
        shown = known.redact(text)
        rest = shown.replace("[secret A]", "")
        assert shown != rest
        # What is left are the neighbours, and the characters that the value shares with them.
        assert len(rest) * 6 / 8 <= len(before) + len(after) + 6


@pytest.mark.parametrize(
    "text",
    [
        TOKEN,
        quote(TOKEN),
        quote(TOKEN, safe=""),
        quote(TOKEN, safe="").lower().replace("zq", "Zq"),
        quote_plus(TOKEN),
        json.dumps(TOKEN)[1:-1],
        json.dumps(TOKEN, ensure_ascii=False)[1:-1],
        json.dumps(TOKEN)[1:-1].replace("/", "\\/"),
        TOKEN.encode().hex(),
        TOKEN.encode().hex().upper(),
        base64.b64encode(TOKEN.encode()).decode(),
        base64.urlsafe_b64encode(TOKEN.encode()).decode(),
        base64.b64encode(TOKEN.encode() + b"\n").decode(),
    ],
)
def test_every_form_is_replaced_as_a_whole(text: str):
    known = Redactor({"TOKEN": TOKEN})
    assert known.redact(f"<{text}> {text}") == "<[secret TOKEN]> [secret TOKEN]"
    assert feed(known, list(f"<{text}>")) == "<[secret TOKEN]>"


def test_lines_of_a_long_secret_are_found_by_themselves():
    known = Redactor({"KEY": PEM})
    assert known.redact(f"a\n{PEM}b") == "a\n[secret KEY]b"
    assert known.redact("x AQEFAASCBKcwggSjAgEAAoIB\nshort") == "x [secret KEY]\nshort"
    assert known.redact(PEM.replace("\n", "\r\n")).count("[secret KEY]") == 4
    assert feed(known, [PEM[:50], "!"]) == "[secret KEY]\n[secret KEY]\nAQEFA!"


def test_wrapped_base64_and_hexadecimal_are_found():
    long = "".join(chr(33 + place * 7 % 90) for place in range(200))
    known = Redactor({"LONG": long})
    for raw in (long.encode(), long.encode() + b"\n"):
        text = base64.encodebytes(raw).decode()
        assert set(known.redact(text).replace("[secret LONG]", "")) <= {"\n"}
    dumped = long.encode().hex()
    lines = [dumped[start : start + 60] for start in range(0, len(dumped), 60)]
    assert known.redact("\n".join(lines)) == "\n".join(["[secret LONG]"] * len(lines))


def test_a_line_break_at_the_end_of_a_value_does_not_hide_it():
    assert Redactor({"A": "password\n"}).redact("the password.") == "the [secret A]."


def test_short_values_are_left_alone():
    assert Redactor({"A": "abc", "B": ""}).redact("abc YWJj 616263") == "abc YWJj 616263"
    assert feed(Redactor({"A": "abc"}), ["a", "b", "c"]) == "abc"


def test_text_is_released_as_soon_as_it_cannot_be_a_secret():
    stream = Redactor({"A": "password"}).stream()
    assert stream.write("my pass") == "my "
    assert stream.write("port\n") == "passport\n"
    assert stream.write("my pass") == "my "
    assert stream.write("word") == "[secret A]"
    assert stream.write("", last=True) == ""


def test_a_run_of_one_character_is_not_collected():
    stream = Redactor({"A": "aaaaa"}).stream()
    shown = "".join(stream.write("a" * 1_000) for _ in range(50))
    assert shown == "[secret A]"
    assert len(stream._held) < 5


def test_overlapping_secrets_leave_nothing():
    known = Redactor({"A": "abcdefgh", "B": "efghijkl"})
    for pieces in (["abcdefghijkl"], ["abcdefgh", "ijkl"], ["abcdef", "ghij", "kl"], list("abcdefghijkl")):
        assert feed(known, [*pieces, "!"]) == "[secret A]!"


def test_the_longest_of_several_that_begin_alike_counts():
    known = Redactor({"LONG": "password-and-more", "SHORT": "password"})
    assert feed(known, ["password", "-and-more password-and"]) == "[secret LONG] [secret SHORT]-and"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("it was pass", "it was [secret A]"),
        ("it was passwor", "it was [secret A]"),
        ("it was password", "it was [secret A]"),
        ("it was pas", "it was pas"),
        ("it was passe", "it was passe"),
        ("", ""),
    ],
)
def test_a_text_that_was_cut_does_not_end_with_a_part_of_a_secret(text: str, shown: str):
    assert Redactor({"A": "password1"} if text.endswith("word") else {"A": "password"}).redact_cut(text) == shown


def test_a_redactor_is_made_once():
    assert redactor({"A": "password"}) is redactor({"A": "password"})
    assert not Redactor({"A": "abc"})
    assert Redactor({"A": "abcd"})
