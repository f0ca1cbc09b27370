"""The shapes of accounts, projects and keys in requests and answers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from horae.domain.time.instants import Instant

MemberRole = Literal["viewer", "operator", "editor", "owner"]
Role = Literal["viewer", "operator", "editor", "owner", "admin"]
Text = Annotated[str, Field(min_length=1, max_length=200)]
Secret = Annotated[SecretStr, Field(min_length=1, max_length=1_000)]


class Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class SignupBody(Body):
    """The password has 12 to 200 characters. `token` is the one-time token that the server printed, or that of an
    invitation."""

    username: Text
    password: Secret
    token: Annotated[SecretStr, Field(max_length=200)] | None = None


class LoginBody(Body):
    username: Text
    password: Secret


class RefreshBody(Body):
    """A browser that has it as a cookie leaves it out."""

    refresh_token: Annotated[SecretStr, Field(max_length=1_000)] | None = None


class PasswordBody(Body):
    password: Secret
    new_password: Secret


class TokenBody(Body):
    """The token of an invitation."""

    token: Secret


class UserBody(Body):
    username: Text
    password: Secret
    is_admin: bool = False


class UserPatch(Body):
    """What is left out stays. A new password, or `is_active: false`, ends the user's sessions."""

    is_admin: bool | None = None
    is_active: bool | None = None
    password: Secret | None = None


class ProjectBody(Body):
    """`slug` is what `Horae-Project` names it by: small letters, digits and -."""

    slug: Annotated[str, Field(min_length=1, max_length=100)]
    name: Text | None = None


class ProjectPatch(Body):
    name: Text


class MemberBody(Body):
    role: MemberRole


class InvitationBody(Body):
    """Good for a week, or until `expires_at` (at most 90 days)."""

    role: MemberRole
    note: Text | None = None
    expires_at: Instant | None = None


class KeyBody(Body):
    """`role` must not be above your own."""

    name: Text
    role: Role = "viewer"
    expires_at: Instant | None = None


class TokensView(BaseModel):
    """`refresh_token` is null where it was set as a cookie."""

    access_token: str
    refresh_token: str | None
    token_type: Literal["bearer"]
    expires_in: int


class UserView(BaseModel):
    id: str
    username: str
    is_admin: bool
    is_active: bool
    created_by: str
    created_at: datetime
    updated_at: datetime
    password_changed_at: datetime
    last_login_at: datetime | None
    has_password: bool
    second_factor: bool


class PlaceView(BaseModel):
    """A project that one is a member of, as what, and what one may do there."""

    project_id: str
    slug: str
    name: str
    role: Role
    permissions: list[str]


class StartView(BaseModel):
    """How one gets in: whether the first admin is still to come, whether anybody may sign up, whether passwords are
    taken, and what single sign-on is called, if there is one."""

    first_admin: bool
    open_signup: bool
    password: bool
    sso: str | None


class MeView(BaseModel):
    """Who is asking: a user, or a key, the projects that they are a member of, and what they may do in all others."""

    kind: Literal["user", "key"]
    actor: str
    is_admin: bool
    user: UserView | None
    projects: list[PlaceView]
    permissions: list[str]


class ProjectView(BaseModel):
    id: str
    slug: str
    name: str
    created_at: datetime


class MemberView(BaseModel):
    user_id: str
    username: str
    is_active: bool
    role: MemberRole
    created_by: str
    created_at: datetime


class InvitationView(BaseModel):
    id: str
    project_id: str
    role: MemberRole
    note: str | None
    created_by: str
    created_at: datetime
    expires_at: datetime
    accepted_by: str | None
    accepted_at: datetime | None


class NewInvitationView(InvitationView):
    """With the token, which is shown only now."""

    token: str


class KeyView(BaseModel):
    """`maker` is the user who answers for it: of a key that was made with a key, the maker of that one. Null where
    nobody knows: it was made straight on the database, or by somebody who was deleted (`maker_id` stays)."""

    id: str
    name: str
    role: Role
    prefix: str
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    maker_id: str | None
    maker: str | None
    project_id: str
    project: str


class NewKeyView(KeyView):
    """With the key itself, which is shown only now."""

    token: str


class MadeKeyView(KeyView):
    revoked: bool


class LeftView(BaseModel):
    """What somebody left: the `keys` that they made, which go on working unless they are `revoked`, and how many of
    their open invitations were withdrawn."""

    keys: list[MadeKeyView]
    invitations_withdrawn: int


class ChangedUserView(UserView, LeftView):
    """With what they left, if they were deactivated or are no longer admin."""


class ChangedMemberView(MemberView, LeftView):
    """With what they left, if they are no owner."""
