"""One-time passwords: the vectors of RFC 6238 and RFC 4226, the window, and what an app reads."""

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from horae.domain.people import totp

SECRET = b"12345678901234567890"


@pytest.mark.parametrize(
    ("seconds", "code"),  # RFC 6238, appendix B (SHA-1), of which six digits are the last
    [
        (59, "94287082"),
        (1111111109, "07081804"),
        (1111111111, "14050471"),
        (1234567890, "89005924"),
        (2000000000, "69279037"),
        (20000000000, "65353130"),
    ],
)
def test_the_vectors_of_rfc_6238(seconds: int, code: str):
    at = datetime.fromtimestamp(seconds, UTC)
    assert totp.code_at(SECRET, totp.step_at(at)) == code[-6:]
    assert totp.matching_step(SECRET, code[-6:], at, None) == seconds // 30


def test_the_vectors_of_rfc_4226():
    codes = ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"]
    assert [totp.code_at(SECRET, count) for count in range(10)] == codes


@pytest.mark.parametrize("behind", [-31, -30, -1, 0, 29, 30])
def test_a_clock_may_be_off_by_a_step(behind: int):
    now = datetime(2026, 1, 1, tzinfo=UTC)
    step = totp.step_at(now + timedelta(seconds=behind))
    found = totp.matching_step(SECRET, totp.code_at(SECRET, step), now, None)
    assert found == (step if abs(step - totp.step_at(now)) <= 1 else None)


def test_a_code_is_good_once_and_so_are_those_before_it():
    now = datetime(2026, 1, 1, tzinfo=UTC)
    step = totp.step_at(now)
    codes = {n: totp.code_at(SECRET, n) for n in (step - 1, step, step + 1)}
    assert totp.matching_step(SECRET, codes[step], now, step - 1) == step
    assert totp.matching_step(SECRET, codes[step], now, step) is None
    assert totp.matching_step(SECRET, codes[step - 1], now, step) is None
    assert totp.matching_step(SECRET, codes[step + 1], now, step) == step + 1


def test_the_otpauth_uri_has_issuer_and_secret():
    found = urlsplit(totp.uri(SECRET, "ada@example.org", "horae.example.org:8443"))
    asked = {name: values[0] for name, values in parse_qs(found.query).items()}
    assert (found.scheme, found.netloc) == ("otpauth", "totp")
    assert unquote(found.path) == "/Horae horae.example.org:8443:ada@example.org"
    assert found.path.count(":") == 1, "one in the host would end the issuer"
    assert asked["issuer"] == "Horae horae.example.org:8443"
    assert totp.read(asked["secret"]) == SECRET


@pytest.mark.parametrize("text", ["12345", "1234567", "12345a", "", "１２３４５６"])
def test_other_texts_are_no_codes(text: str):
    assert not totp.is_code(text)
