"""Signatures, held against the published example and against a verifier of another's making."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest

from horae.executors.failure import Refused
from horae.executors.http_signature import key_of, signatures

# The example that the Standard Webhooks libraries share.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
ID, TIMESTAMP, BODY = "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", b'{"test": 2432232314}'
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_the_published_example():
    assert signatures([key_of("A", SECRET)], ID, TIMESTAMP, BODY) == SIGNATURE


def test_one_for_each_key_in_order():
    new = key_of("NEW", "any other text")
    assert new == b"any other text"
    both = signatures([new, key_of("OLD", SECRET)], ID, TIMESTAMP, BODY).split(" ")
    assert both[1] == SIGNATURE
    expected = hmac.new(b"any other text", b".".join([ID.encode(), TIMESTAMP.encode(), BODY]), hashlib.sha256)
    assert both[0] == "v1," + base64.b64encode(expected.digest()).decode()


@pytest.mark.parametrize("secret", ["whsec_", "whsec_***", "whsec_abc", ""])
def test_an_invalid_key_is_refused_without_repeating_it(secret):
    with pytest.raises(Refused) as caught:
        key_of("HOOK", secret)
    assert "HOOK" in str(caught.value)
    assert "***" not in str(caught.value)
