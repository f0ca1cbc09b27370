"""Single sign-on: what the claims of an identity provider mean here.

A person is `(issuer, subject)`. Names and e-mail addresses are reassigned, so they never identify a user."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from horae.domain.errors import InvalidInput
from horae.domain.people.account import username
from horae.domain.people.roles import MEMBER_ROLES, above

ACTOR = "sso"  # who gave a role, or made an account, by claims
NO_PASSWORD = "!"  # instead of a hash: no password matches it
_GRANT = re.compile(r"([a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?):([a-z]+)", re.ASCII)
_NOT_IN_A_NAME = re.compile(r"[^a-z0-9._@+-]+")
_LONGEST_NAME = 100
_MOST_GROUPS = 10_000
_LONGEST_SUBJECT = 255


class Refusal(StrEnum):
    """Why a sign-in is rejected; the portal has words for each."""

    DENIED = "denied"  # denied by the user, or by the provider's policy
    EXPIRED = "expired"  # the sign-in was not begun in this browser, or too long ago
    UNAVAILABLE = "unavailable"  # the provider does not answer, or answers incorrectly
    REJECTED = "rejected"  # the provider's response is invalid
    DOMAIN = "domain"  # not an address of ours, or not a verified one
    UNKNOWN = "unknown"  # accounts are not created for everyone
    FIRST = "first"  # the first account is an admin's
    TAKEN = "taken"  # another account has the name
    INACTIVE = "inactive"  # the account is deactivated
    LIMITED = "limited"  # too many attempts from one address
    LINKED = "linked"  # this identity belongs to another account


class Create(StrEnum):
    """Who gets an account at the first sign-in."""

    WITH_ROLE = "with-role"
    ALL = "all"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Grant:
    """What the members of a group get: a role in a project or, without a project, in the whole installation."""

    group: str
    project: str | None
    role: str


@dataclass(frozen=True, slots=True)
class Rights:
    """What the claims grant a user; `roles` by the slugs of projects."""

    is_admin: bool = False
    roles: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.is_admin or bool(self.roles)


@dataclass(frozen=True, slots=True)
class Rules:
    """The operator's configuration of single sign-on."""

    grants: tuple[Grant, ...] = ()
    groups_claim: str = "groups"
    username_claim: str = "preferred_username"
    create: Create = Create.WITH_ROLE
    email_domains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Person:
    """The identity that the provider asserts, and the roles that follow from it."""

    issuer: str
    subject: str
    username: str
    rights: Rights


class NotAccepted(Exception):
    """The claims are genuine, but grant no access."""

    def __init__(self, refusal: Refusal, why: str) -> None:
        super().__init__(why)
        self.refusal, self.why = refusal, why


def grant(text: str) -> Grant:
    """`GROUP=admin` or `GROUP=PROJECT:ROLE`. The last `=` counts: names of groups may hold some."""
    group, sign, given = (part.strip() for part in text.rpartition("="))
    if sign and group and given == "admin":
        return Grant(group, None, "admin")
    found = _GRANT.fullmatch(given)
    if not sign or not group or found is None or found[2] not in MEMBER_ROLES:
        raise ValueError(
            "must be entries such as horae-admins=admin,team-a=team-a:editor; the roles are " + ", ".join(MEMBER_ROLES)
        )
    return Grant(group, found[1], found[2])


def rights(groups: Iterable[str], grants: Iterable[Grant]) -> Rights:
    """If several groups give roles in one project, the strongest counts."""
    held, roles, is_admin = set(groups), dict[str, str](), False
    for one in grants:
        if one.group not in held:
            continue
        if one.project is None:
            is_admin = True
        elif one.project not in roles or above(one.role, roles[one.project]):
            roles[one.project] = one.role
    return Rights(is_admin, roles)


def person(issuer: str, claims: Mapping[str, Any], rules: Rules) -> Person:
    """Raises NotAccepted for claims that grant no access."""
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 1 <= len(subject) <= _LONGEST_SUBJECT or not subject.isprintable():
        raise NotAccepted(Refusal.REJECTED, "the subject is missing or too long")
    if subject != subject.strip():  # MySQL considers "ada" and "ada " equal
        raise NotAccepted(Refusal.REJECTED, "the subject begins or ends with a space")
    if rules.email_domains and _domain(verified_email(claims)) not in rules.email_domains:
        raise NotAccepted(Refusal.DOMAIN, "no verified e-mail address of an allowed domain")
    if rules.grants and _left_out(claims, rules.groups_claim):
        # Continuing would remove every role of a user who is in too many groups.
        raise NotAccepted(
            Refusal.REJECTED,
            f"the provider omitted {rules.groups_claim} because there are too many: limit it to the groups of this "
            f"application",
        )
    given = rights(groups(claims, rules.groups_claim), rules.grants)
    return Person(issuer, subject, _username(claims, rules.username_claim), given)


def groups(claims: Mapping[str, Any], path: str) -> list[str]:
    """A list, one name, or an object whose keys are names. `realm_access.roles` is a path, unless there is a claim of
    exactly that name: some providers use dots in theirs."""
    found = _claim(claims, path)
    if isinstance(found, str):
        return [found]
    if isinstance(found, Mapping | list | tuple):
        return [one for one in list(found)[:_MOST_GROUPS] if isinstance(one, str)]
    return []


def missing(claims: Mapping[str, Any], rules: Rules) -> bool:
    """Whether a claim is missing that the provider may have elsewhere (its UserInfo endpoint)."""
    if rules.grants and _claim(claims, rules.groups_claim) is None:
        return True
    if rules.email_domains and verified_email(claims) is None:
        return True
    return not isinstance(_claim(claims, rules.username_claim), str)


def verified_email(claims: Mapping[str, Any]) -> str | None:
    """None unless the provider says that it has verified the address."""
    email, verified = claims.get("email"), claims.get("email_verified")
    is_good = verified is True or (isinstance(verified, str) and verified.lower() == "true")
    return email if is_good and isinstance(email, str) and email.count("@") == 1 else None


def _domain(email: str | None) -> str | None:
    return email.rpartition("@")[2].lower() if email else None


def _claim(claims: Mapping[str, Any], path: str) -> Any:
    if path in claims:
        return claims[path]
    found: Any = claims
    for part in path.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _left_out(claims: Mapping[str, Any], path: str) -> bool:
    """Providers name a claim that they omitted because of its size (OpenID Connect Core 5.6.2)."""
    names = claims.get("_claim_names")
    return isinstance(names, Mapping) and path in names and path not in claims


def _username(claims: Mapping[str, Any], path: str) -> str:
    """The account's name if it is created now. It does not identify the user: a name that is taken is refused."""
    for found in (_claim(claims, path), verified_email(claims)):
        if isinstance(found, str) and found.isascii():
            name = _NOT_IN_A_NAME.sub("-", found.lower()).lstrip("._@+-")[:_LONGEST_NAME]
            with suppress(InvalidInput):  # nothing is left of it, or it looks like an id
                return username(name)
    return "sso-" + hashlib.sha256(str(claims["sub"]).encode()).hexdigest()[:12]
