"""Sealed values: only the right key opens them, and only in their own place."""

import base64
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from horae.domain.errors import InvalidInput
from horae.domain.secrets.secret import CannotOpen, check_name, check_value
from horae.sealing import Keyring, derived

KEY, OTHER = "a key of at least thirty-two bytes, 1", "a key of at least thirty-two bytes, 2"


@pytest.mark.parametrize("size", [8, 32])
def test_keys_are_derived_as_the_library_does(size: int):
    """So what was sealed stays readable."""
    there = HKDF(SHA256(), size, salt=None, info=b"purpose").derive(KEY.encode())
    assert derived(KEY, b"purpose", size) == there


def test_encryption_round_trips_and_is_randomized():
    keys = Keyring(KEY)
    sealed = [keys.seal("project", "NAME", "välue") for _ in range(2)]
    assert [keys.open(one) for one in sealed] == ["välue", "välue"]
    assert sealed[0].text != sealed[1].text
    assert "välue" not in repr(sealed[0])
    assert sealed[0].text not in repr(sealed[0])
    assert len(base64.b64decode(sealed[0].text)) == 12 + len("välue".encode()) + 16


def test_a_value_does_not_open_in_another_place():
    keys = Keyring(KEY)
    sealed = keys.seal("project", "NAME", "value")
    for moved in (replace(sealed, name="OTHER"), replace(sealed, project_id="other"), replace(sealed, text="")):
        with pytest.raises(CannotOpen):
            keys.open(moved)


@pytest.mark.parametrize("place", [0, 11, 12, 20, 32])
def test_a_value_that_was_changed_does_not_open(place):
    keys = Keyring(KEY)
    sealed = keys.seal("project", "NAME", "value")
    raw = bytearray(base64.b64decode(sealed.text))
    raw[place] ^= 1
    with pytest.raises(CannotOpen, match="NAME"):
        keys.open(replace(sealed, text=base64.b64encode(raw).decode()))


def test_the_previous_key_opens_and_the_present_one_seals():
    before, now = Keyring(KEY), Keyring(OTHER, KEY)
    old = before.seal("project", "NAME", "value")
    assert now.open(old) == "value"
    new = now.seal("project", "NAME", "value")
    assert new.key_id == now.key_id == Keyring(OTHER).key_id != old.key_id
    assert Keyring(OTHER).open(new) == "value"
    for keys, sealed in ((before, new), (Keyring(OTHER), old)):
        with pytest.raises(CannotOpen, match="another HORAE_SECRET_KEY"):
            keys.open(sealed)


def test_the_same_key_twice_is_one_key():
    keys = Keyring(KEY, KEY)
    assert keys.open(keys.seal("project", "NAME", "value")) == "value"


@pytest.mark.parametrize("name", ["A", "_", "token_2", "a" * 100])
def test_good_names(name):
    assert check_name(name) == name


@pytest.mark.parametrize("name", ["", "2A", "A-B", "A B", "Ä", "A\n", "a" * 101, "٣", "A.B"])
def test_bad_names(name):
    with pytest.raises(InvalidInput):
        check_name(name)


@pytest.mark.parametrize("value", ["", "a\x00b", "\ud800", "x" * 65_537, "ü" * 32_769])
def test_bad_values_are_refused_without_repeating_them(value):
    with pytest.raises(InvalidInput) as refused:
        check_value(value)
    assert not value or value not in str(refused.value)


@pytest.mark.parametrize("value", ["x", "x" * 65_536, "ü" * 32_768, "two\nlines\n", " "])
def test_good_values(value):
    assert check_value(value) == value
