"""Users, memberships, invitations, sessions, keys; and the rules for their names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from horae.domain.errors import InvalidInput
from horae.domain.text.checks import label
from horae.domain.text.ids import is_id

_USERNAME = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,99}", re.ASCII)
_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?", re.ASCII)

PORTAL = "portal"  # the client whose refresh tokens are cookies
DEFAULT_PROJECT = "default"
FIRST_TOKEN_GOOD_FOR = timedelta(hours=24)
INVITATION_GOOD_FOR = timedelta(days=7)
LONGEST_INVITATION = timedelta(days=90)
IDLE_SESSION = timedelta(days=14)  # a session that is not refreshed
LONGEST_SESSION = timedelta(days=90)  # then the user must sign in again, however active the session is


@dataclass(frozen=True, slots=True)
class NewUser:
    id: str
    username: str
    password: str = field(repr=False)  # as its hash
    is_admin: bool
    created_by: str


@dataclass(frozen=True, slots=True)
class User:
    id: str
    username: str
    is_admin: bool
    is_active: bool
    created_by: str
    created_at: datetime
    updated_at: datetime
    password_changed_at: datetime
    last_login_at: datetime | None
    second_factor: bool  # whether a password alone is not enough
    has_password: bool = True  # otherwise they sign in only through an identity provider


@dataclass(frozen=True, slots=True)
class Identity:
    """A user's identity at an identity provider; whether its claims made them an admin."""

    issuer: str
    subject: str
    user_id: str
    gave_admin: bool = False


@dataclass(frozen=True, slots=True)
class Credentials:
    """A user, and the hash to check their password against."""

    user: User
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Place:
    """A project that a user is a member of, and their role."""

    project_id: str
    slug: str
    name: str
    role: str


@dataclass(frozen=True, slots=True)
class Account:
    """The user of a valid session, and the projects they may act in."""

    user: User
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Member:
    user_id: str
    username: str
    is_active: bool
    role: str
    created_by: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """A link to be stored: only its digest. Without a project it creates the first admin."""

    id: str
    project_id: str | None
    role: str
    digest: str
    created_by: str
    expires_at: datetime
    note: str | None = None
    maker_id: str | None = None


@dataclass(frozen=True, slots=True)
class Invitation:
    id: str
    project_id: str | None
    role: str
    note: str | None
    created_by: str
    created_at: datetime
    expires_at: datetime
    accepted_id: str | None  # the user's
    accepted_by: str | None
    accepted_at: datetime | None

    def open_at(self, now: datetime) -> bool:
        return self.accepted_at is None and now < self.expires_at


@dataclass(frozen=True, slots=True)
class NewSession:
    id: str
    user_id: str
    digest: str
    client: str
    address: str
    provider_token: str | None = field(default=None, repr=False)  # sealed; of single sign-on


@dataclass(frozen=True, slots=True)
class Session:
    id: str
    user_id: str
    digest: str
    generation: int
    created_at: datetime
    used_at: datetime  # when its token was issued
    expires_at: datetime
    ended_at: datetime | None
    client: str
    repeated: int | None  # the generation that was issued twice
    limit_at: datetime | None = None  # no use extends it beyond this
    provider_token: str | None = field(default=None, repr=False)  # sealed

    def may_repeat(self, generation: int, now: datetime, within: float) -> bool:
        """Whether the previous token may be exchanged again, since the current one may never have arrived: only in a
        browser, where a user may leave the page during a refresh, only once, and only within a few seconds."""
        return (
            self.client == PORTAL
            and self.generation == generation + 1
            and self.repeated != self.generation
            and now - self.used_at < timedelta(seconds=within)
        )

    @property
    def must_end_at(self) -> datetime:
        """However busy it is."""
        longest = self.created_at + LONGEST_SESSION
        return longest if self.limit_at is None else min(longest, self.limit_at)

    def open_at(self, now: datetime) -> bool:
        return self.ended_at is None and now < min(self.expires_at, self.limit_at or self.expires_at)


def session_ends(created_at: datetime, now: datetime, limit_at: datetime | None = None) -> datetime:
    """When a session that is used now expires unless it is used again."""
    ends = min(now + IDLE_SESSION, created_at + LONGEST_SESSION)
    return ends if limit_at is None else min(ends, limit_at)


@dataclass(frozen=True, slots=True)
class Maker:
    """Who creates a key or an invitation: a user, or a key on behalf of the user who is responsible for it (None:
    unknown)."""

    id: str | None
    key_id: str | None = None


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """An API key as people see it. `maker` is the user responsible for it; a key created by another key inherits its
    maker."""

    id: str
    name: str
    role: str
    prefix: str
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    maker_id: str | None
    maker: str | None
    project_id: str
    project: str


@dataclass(frozen=True, slots=True)
class KeyFilter:
    """None: any. Keys stored by versions without `maker_id` are found by the maker's name, if created after that
    user."""

    project_id: str | None = None
    maker_id: str | None = None
    actor: str | None = None
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class MadeKey:
    """A key of a user who has left, and whether it was revoked with them."""

    key: KeyInfo
    revoked: bool


@dataclass(frozen=True, slots=True)
class ProjectInfo:
    id: str
    slug: str
    name: str
    created_at: datetime


def username(text: str) -> str:
    """The canonical form of a user's name: names that differ only in case are the same user."""
    folded = text.lower()
    if not text.isascii() or not _USERNAME.fullmatch(folded) or is_id(folded):
        raise InvalidInput(
            "username", "must begin with a letter or digit, and be at most 100 letters, digits or any of . _ @ + -"
        )
    return folded


def slug(text: str) -> str:
    if not _SLUG.fullmatch(text) or is_id(text):
        raise InvalidInput("slug", "must be at most 100 lowercase letters, digits and -, with no - at either end")
    return text


def title(text: str, field: str = "name", longest: int = 200) -> str:
    """A display name or note."""
    try:
        label(text)
    except ValueError as error:
        raise InvalidInput(field, str(error)) from None
    if not 1 <= len(text) <= longest:
        raise InvalidInput(field, f"must have 1 to {longest} characters")
    return text
