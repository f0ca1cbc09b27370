"""Passwords that are refused, and those that are not."""

import pytest

from horae.domain.errors import InvalidInput
from horae.domain.people.password import check_password


@pytest.mark.parametrize(
    "password",
    [
        "", "short", "x" * 11, "x" * 201, "nul\x00 in the middle", "\ud800 half a character",
        "Password1234!", "P4ssw0rd2024", "passwordpassword", "administrator", "adminadminadmin", "letmein12345678",
        "qwertyuiop123", "qwertyuiopasdf", "1qaz1qaz1qaz", "123456789012", "210987654321", "123123123123",
        "aaaaaaaaaaaa", "abcabcabcabc", "abcdefghijklm", "Summer2024!!!!", "!!!Welcome2026", "i.love.you.1234",
        "ada-lovelace", "Ada-Lovelace99", "99ada-lovelace!",
    ],
)  # fmt: skip
def test_refused(password: str):
    with pytest.raises(InvalidInput) as refused:
        check_password(password, "ada-lovelace")
    assert refused.value.field == "password"
    assert not password or password not in str(refused.value)


@pytest.mark.parametrize(
    "password",
    [
        "seven ducks cross over", "correct horse battery", "xK9#mQ2$vL7@", "the password is blue",
        "夜空に星がいくつも光る夜",
        "x" * 3 + "y" * 3 + "z" * 3 + "qrs", "my admin is a penguin", "ada-lovelace likes tea", " spaces are fine too ",
    ],
)  # fmt: skip
def test_accepted(password: str):
    assert check_password(password, "ada-lovelace") == password
