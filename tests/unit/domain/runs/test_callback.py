"""Callback tokens: signed, for one attempt of one run."""

from __future__ import annotations

import base64
import string
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from horae.domain.runs.callback import Callbacks, seal, unseal

KEY, OTHER = "k" * 40, "o" * 40
RUN = "0195d5a1-7c1e-7aaa-8bbb-0123456789ab"
ids = st.uuids().map(str)
attempts = st.integers(0, 2**32 - 1)


@given(ids, attempts)
def test_there_and_back(run_id, attempt):
    token = seal(KEY, run_id, attempt)
    assert unseal([KEY], token) == (str(UUID(run_id)), attempt)
    assert unseal([OTHER, KEY], token) == (run_id, attempt), "also with the key before"
    assert unseal([OTHER], token) is None
    assert unseal([], token) is None
    assert set(token) <= set(string.ascii_letters + string.digits + "-_"), "fits into a URL as it is"


@given(st.text())
def test_nothing_else_is_a_token(text):
    assert unseal([KEY], text) is None


@given(st.integers(0, 51), st.integers(1, 255))
def test_every_bit_counts(place, change):
    raw = bytearray(base64.urlsafe_b64decode(seal(KEY, RUN, 3) + "=="))
    raw[place] ^= change
    assert unseal([KEY], base64.urlsafe_b64encode(bytes(raw)).decode().rstrip("=")) is None


def test_runs_and_attempts_have_their_own():
    other = RUN.replace("a1", "a2")
    assert len({seal(KEY, RUN, 1), seal(KEY, RUN, 2), seal(KEY, other, 1), seal(OTHER, RUN, 1)}) == 4


def test_addresses():
    for base in ("https://horae.example.org/base", "https://horae.example.org/base/"):
        callbacks = Callbacks(base, KEY)
        assert callbacks.address(RUN, 1) == f"https://horae.example.org/base/api/v1/callbacks/{seal(KEY, RUN, 1)}"
        assert KEY not in repr(callbacks)
