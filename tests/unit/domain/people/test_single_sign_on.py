"""What the claims of an identity provider mean."""

from typing import Any

import pytest

from horae.domain.people.single_sign_on import (
    Grant,
    NotAccepted,
    Refusal,
    Rights,
    Rules,
    grant,
    groups,
    missing,
    person,
    rights,
)

ISSUER = "https://login.example.org"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("horae-admins=admin", Grant("horae-admins", None, "admin")),
        (" team a = team-a:editor ", Grant("team a", "team-a", "editor")),
        ("cn=ops,dc=example,dc=org=ops:owner", Grant("cn=ops,dc=example,dc=org", "ops", "owner")),
    ],
)
def test_a_grant(text: str, meant: Grant):
    assert grant(text) == meant


@pytest.mark.parametrize(
    "text", ["", "x", "=admin", "x=", "x=owner", "x=p:admin", "x=P:viewer", "x=p:q:viewer", "x=:viewer"]
)
def test_malformed_grants_are_refused(text: str):
    with pytest.raises(ValueError, match="horae-admins=admin"):
        grant(text)


def test_the_strongest_role_counts():
    given = [grant(one) for one in ("a=p:viewer", "b=p:owner", "c=p:editor", "a=q:viewer", "d=admin")]
    assert rights(["a", "b", "c"], given) == Rights(False, {"p": "owner", "q": "viewer"})
    assert rights(["d"], given) == Rights(True, {})
    assert rights(["A", "p"], given) == Rights()
    assert not Rights()
    assert Rights(True)


@pytest.mark.parametrize(
    ("claims", "path", "found"),
    [
        ({"groups": ["a", "b", 7, None]}, "groups", ["a", "b"]),
        ({"groups": "a"}, "groups", ["a"]),
        ({"realm_access": {"roles": ["a"]}}, "realm_access.roles", ["a"]),
        ({"https://example.org/groups": ["a"]}, "https://example.org/groups", ["a"]),
        ({"urn:roles": {"a": {"org": "1"}, "b": {}}}, "urn:roles", ["a", "b"]),
        ({"groups": 7}, "groups", []),
        ({"realm_access": "x"}, "realm_access.roles", []),
        ({}, "groups", []),
    ],
)
def test_groups(claims: dict[str, Any], path: str, found: list[str]):
    assert groups(claims, path) == found


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"preferred_username": "Ada"}, "ada"),
        ({"preferred_username": "EXAMPLE\\Ada Lovelace"}, "example-ada-lovelace"),
        ({"preferred_username": "..ada"}, "ada"),
        ({"preferred_username": "0189F0A4-0000-7000-8000-000000000000"}, "sso-6b86b273ff34"),  # an id is not a name
        ({"preferred_username": "Åda", "email": "ada@example.org", "email_verified": True}, "ada@example.org"),
        ({"email": "boss@example.org"}, "sso-6b86b273ff34"),
        ({"email": "boss@example.org", "email_verified": False}, "sso-6b86b273ff34"),
        ({"preferred_username": "x" * 200}, "x" * 100),
    ],
)
def test_the_username_comes_from_the_claims(claims: dict[str, Any], name: str):
    assert person(ISSUER, {"sub": "1", **claims}, Rules()).username == name


def test_a_groups_overage_refuses_the_sign_in():
    claims = {"sub": "1", "_claim_names": {"groups": "src1"}}
    with pytest.raises(NotAccepted) as refused:
        person(ISSUER, claims, Rules((grant("a=admin"),)))
    assert refused.value.refusal == Refusal.REJECTED
    assert person(ISSUER, claims, Rules()).rights == Rights()


def test_missing_claims_are_read_from_user_info():
    whole = {"preferred_username": "a", "groups": []}
    mapped = Rules((grant("a=admin"),))
    assert not missing(whole, mapped)
    assert missing({"preferred_username": "a"}, mapped)
    assert not missing({"preferred_username": "a"}, Rules())
    assert missing(whole, Rules(email_domains=("example.org",)))
    assert missing({}, Rules())
