"""Recovery codes, and who must have a second factor."""

import re
import secrets
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from horae.domain.people.account import User
from horae.domain.people.second_factor import (
    RECOVERY_CODES,
    Policy,
    new_recovery_codes,
    normal,
    recovery_digest,
    required,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ADA = User("1", "ada", False, True, "test", NOW, NOW, NOW, None, False)


def test_recovery_codes_are_long_random_and_easy_to_read():
    codes = new_recovery_codes(secrets.randbelow)
    assert len(set(codes)) == RECOVERY_CODES
    for code in codes:
        assert re.fullmatch(r"([a-hjkmnp-z2-9]{4}-){3}[a-hjkmnp-z2-9]{4}", code)


def test_how_a_code_is_typed_does_not_matter_but_whose_it_is_does():
    code = new_recovery_codes(secrets.randbelow)[0]
    assert recovery_digest("1", f" {code.upper().replace('-', ' ')}\n") == recovery_digest("1", code)
    assert recovery_digest("2", code) != recovery_digest("1", code)
    assert normal("123 456") == "123456"


@pytest.mark.parametrize(
    ("policy", "user", "admin"), [("optional", False, False), ("admins", False, True), ("required", True, True)]
)
def test_the_policy_decides_who_needs_a_second_factor(policy: Policy, user: bool, admin: bool):
    assert required(policy, ADA) is user
    assert required(policy, replace(ADA, is_admin=True)) is admin
