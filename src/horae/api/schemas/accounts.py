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
    """The password has 12 to 200 characters. `token` is the one-time token that the server printed, or the token of an
    invitation."""

    username: Text
    password: Secret
    token: Annotated[SecretStr, Field(max_length=200)] | None = None


class LoginBody(Body):
    username: Text
    password: Secret


class RefreshBody(Body):
    """Browsers that hold it in a cookie omit it."""

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
    """`slug` identifies the project in `Horae-Project`: lowercase letters, digits and -."""

    slug: Annotated[str, Field(min_length=1, max_length=100)]
    name: Text | None = None


class ProjectPatch(Body):
    name: Text


class MemberBody(Body):
    role: MemberRole


class InvitationBody(Body):
    """Valid for a week, or until `expires_at` (at most 90 days)."""

    role: MemberRole
    note: Text | None = None
    expires_at: Instant | None = None


class KeyBody(Body):
    """`role` must not exceed your own."""

    name: Text
    role: Role = "viewer"
    expires_at: Instant | None = None


class TokensView(BaseModel):
    """`refresh_token` is null if it was set as a cookie."""

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
    """A project that the caller is a member of, with their role and permissions."""

    project_id: str
    slug: str
    name: str
    role: Role
    permissions: list[str]


class StartView(BaseModel):
    """The ways to sign in: whether the first admin is still to be created, whether sign-up is open, whether passwords
    are accepted, and the display name of single sign-on, if it is set up."""

    first_admin: bool
    open_signup: bool
    password: bool
    sso: str | None


class MeView(BaseModel):
    """The caller, a user or an API key: the projects they are a member of, and their permissions in all others."""

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
    """Includes the token, which is shown only once."""

    token: str


class KeyView(BaseModel):
    """`maker` is the user responsible for the key. If the key was created with another key, that is the other key's
    maker. Null if unknown: the key was created directly on the database, or by a user who has since been deleted
    (`maker_id` stays)."""

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
    """Includes the key itself, which is shown only once."""

    token: str


class MadeKeyView(KeyView):
    revoked: bool


class LeftView(BaseModel):
    """What a user left behind: the API `keys` they created, which keep working unless they are `revoked`, and how many
    of their open invitations were withdrawn."""

    keys: list[MadeKeyView]
    invitations_withdrawn: int


class ChangedUserView(UserView, LeftView):
    """Includes what they left behind, if they were deactivated or are no longer admin."""


class ChangedMemberView(MemberView, LeftView):
    """Includes what they left behind, if they are no longer an owner."""
