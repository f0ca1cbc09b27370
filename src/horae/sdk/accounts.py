"""Who there is and what they may: users, projects, keys, and one's own account, through the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from horae.sdk.calls import C, Json, Pages, Request, Resource, When, call, given, instant, nothing, pages, part
from horae.sdk.quotas import Limits, Quotas, quotas_of
from horae.sdk.record import Record


class User(Record):
    __slots__ = ()

    id: str
    username: str
    is_admin: bool
    is_active: bool
    created_by: str
    created_at: str
    updated_at: str
    password_changed_at: str
    last_login_at: str | None
    has_password: bool
    second_factor: bool


class Project(Record):
    __slots__ = ()

    id: str
    slug: str
    name: str
    created_at: str


class Member(Record):
    __slots__ = ()

    user_id: str
    username: str
    is_active: bool
    role: str
    created_by: str
    created_at: str


class Invitation(Record):
    __slots__ = ()

    id: str
    project_id: str
    role: str
    note: str | None
    created_by: str
    created_at: str
    expires_at: str
    accepted_by: str | None
    accepted_at: str | None


class NewInvitation(Invitation):
    """With the token, which is shown only now."""

    __slots__ = ()

    token: str


class Key(Record):
    __slots__ = ()

    id: str
    name: str
    role: str
    prefix: str
    created_by: str
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    maker_id: str | None
    maker: str | None
    project_id: str
    project: str


class Left(Record):
    """What somebody left who was deactivated, deleted, demoted or removed: the keys that they made, each with
    `revoked` (`left["keys"]`: every dictionary has a method of that name), and how many of their open invitations were
    withdrawn."""

    __slots__ = ()

    invitations_withdrawn: int


class ChangedUser(User, Left):
    __slots__ = ()


class ChangedMember(Member, Left):
    __slots__ = ()


class NewKey(Key):
    """With the key itself, which is shown only now."""

    __slots__ = ()

    token: str


class Tokens(Record):
    """`refresh_token` is null where it was set as a cookie."""

    __slots__ = ()

    access_token: str
    refresh_token: str | None
    token_type: str
    expires_in: int


class Start(Record):
    """By which ways one gets in: `sso` is what single sign-on is called, if there is one."""

    __slots__ = ()

    first_admin: bool
    open_signup: bool
    password: bool
    sso: str | None


class NewDevice(Record):
    """A sign-in that waits to be approved in a browser: show `user_code` and where to go, keep `device_code`."""

    __slots__ = ()

    device_code: str
    user_code: str
    verification_path: str
    verification_url: str | None
    expires_in: int
    interval: int


class DevicePoll(Record):
    """`tokens` are there when `status` is `signed_in`."""

    __slots__ = ()

    status: str
    tokens: Json | None


class Device(Record):
    """What asks to act as you."""

    __slots__ = ()

    user_code: str
    client: str
    address: str
    same_address: bool
    created_at: str
    expires_at: str


class Me(Record):
    """Who is asking: a user, or a key, and the projects where they may act."""

    __slots__ = ()

    kind: str
    actor: str
    is_admin: bool
    user: Json | None
    projects: list[Json]
    permissions: list[str]


def _keys(revoke: bool) -> Mapping[str, Any] | None:
    return {"revoke_keys": True} if revoke else None


class Users(Resource[C]):
    @pages
    def list(self) -> Pages[User]:
        """By name."""
        return Pages("users", User)

    @call
    def create(self, username: str, password: str, *, is_admin: bool = False) -> Request[User]:
        return Request("POST", "users", {"username": username, "password": password, "is_admin": is_admin}, read=User)

    @call
    def get(self, user: str) -> Request[User]:
        return Request("GET", f"users/{part(user)}", read=User)

    @call
    def change(
        self,
        user: str,
        *,
        is_admin: bool | None = None,
        is_active: bool | None = None,
        password: str | None = None,
        revoke_keys: bool = False,
    ) -> Request[ChangedUser]:
        """What is None stays. `revoke_keys` revokes the keys that somebody made who is deactivated or no longer
        admin."""
        changes = given({"is_admin": is_admin, "is_active": is_active, "password": password})
        return Request("PATCH", f"users/{part(user)}", changes, _keys(revoke_keys), read=ChangedUser)

    @call
    def delete(self, user: str, *, revoke_keys: bool = False) -> Request[Left]:
        return Request("DELETE", f"users/{part(user)}", params=_keys(revoke_keys), read=Left)

    @call
    def sign_out(self, user: str) -> Request[None]:
        """Everywhere."""
        return Request("DELETE", f"users/{part(user)}/sessions", read=nothing)

    @call
    def reset_second_factor(self, user: str) -> Request[None]:
        """Of somebody who lost it; signs them out everywhere."""
        return Request("DELETE", f"users/{part(user)}/second-factor", read=nothing)


class Projects(Resource[C]):
    @pages
    def list(self) -> Pages[Project]:
        """Those that one may act in, by slug."""
        return Pages("projects", Project)

    @call
    def create(self, slug: str, *, name: str | None = None) -> Request[Project]:
        return Request("POST", "projects", given({"slug": slug, "name": name}), read=Project)

    @call
    def get(self, project: str) -> Request[Project]:
        return Request("GET", f"projects/{part(project)}", read=Project)

    @call
    def rename(self, project: str, name: str) -> Request[Project]:
        return Request("PATCH", f"projects/{part(project)}", {"name": name}, read=Project)

    @call
    def delete(self, project: str) -> Request[None]:
        """Only an empty one."""
        return Request("DELETE", f"projects/{part(project)}", read=nothing)

    @pages
    def members(self, project: str) -> Pages[Member]:
        return Pages(f"projects/{part(project)}/members", Member)

    @call
    def set_member(self, project: str, user: str, role: str, *, revoke_keys: bool = False) -> Request[ChangedMember]:
        path = f"projects/{part(project)}/members/{part(user)}"
        return Request("PUT", path, {"role": role}, _keys(revoke_keys), read=ChangedMember)

    @call
    def remove_member(self, project: str, user: str, *, revoke_keys: bool = False) -> Request[Left]:
        path = f"projects/{part(project)}/members/{part(user)}"
        return Request("DELETE", path, params=_keys(revoke_keys), read=Left)

    @pages
    def invitations(self, project: str) -> Pages[Invitation]:
        """Newest first."""
        return Pages(f"projects/{part(project)}/invitations", Invitation)

    @call
    def invite(
        self, project: str, role: str, *, note: str | None = None, expires_at: When = None
    ) -> Request[NewInvitation]:
        """With the token, which is shown this once."""
        body = given({"role": role, "note": note, "expires_at": instant(expires_at)})
        return Request("POST", f"projects/{part(project)}/invitations", body, read=NewInvitation)

    @call
    def revoke_invitation(self, project: str, invitation: str) -> Request[None]:
        path = f"projects/{part(project)}/invitations/{part(invitation)}"
        return Request("DELETE", path, read=nothing)

    @call
    def own_quotas(self) -> Request[Quotas]:
        """Those of the project that this client acts in."""
        return Request("GET", "quotas", read=quotas_of)

    @call
    def quotas(self, project: str) -> Request[Quotas]:
        """What it may have at most, and what it has."""
        return Request("GET", f"projects/{part(project)}/quotas", read=quotas_of)

    @call
    def set_quotas(self, project: str, **limits: Unpack[Limits]) -> Request[Quotas]:
        """Sets those that are named, such as `jobs` and `live_runs`; None takes a limit away."""
        return Request("PATCH", f"projects/{part(project)}/quotas", dict(limits), read=quotas_of)


class Keys(Resource[C]):
    @pages
    def list(self, *, maker: str | None = None, all_projects: bool = False) -> Pages[Key]:
        """Newest first; those that one user made, or of all projects, which only admins see."""
        return Pages("api-keys", Key, given({"maker": maker, "all_projects": all_projects or None}))

    @call
    def create(self, name: str, role: str = "viewer", *, expires_at: When = None) -> Request[NewKey]:
        """With the key itself (`token`), which is shown this once."""
        body = given({"name": name, "role": role, "expires_at": instant(expires_at)})
        return Request("POST", "api-keys", body, read=NewKey)

    @call
    def revoke(self, key: str) -> Request[None]:
        return Request("DELETE", f"api-keys/{part(key)}", read=nothing)


class Account(Resource[C]):
    """One's own account."""

    @call
    def start(self) -> Request[Start]:
        """By which ways one gets in."""
        return Request("GET", "auth/start", read=Start)

    @call
    def begin_device(self, client: str = "a program") -> Request[NewDevice]:
        """Begins a sign-in that somebody approves in a browser; `client` is what they are shown."""
        return Request("POST", "auth/device", {"client": client}, read=NewDevice)

    @call
    def poll_device(self, device_code: str) -> Request[DevicePoll]:
        """Whether it was approved; the tokens then, once."""
        return Request("POST", "auth/device/token", {"device_code": device_code}, read=DevicePoll, once=True)

    @call
    def device(self, user_code: str) -> Request[Device]:
        """What waits under a code."""
        return Request("GET", f"auth/device/{part(user_code)}", read=Device)

    @call
    def decide_device(self, user_code: str, approve: bool) -> Request[None]:
        """Lets it sign in as you, or not."""
        return Request("POST", f"auth/device/{part(user_code)}", {"approve": approve}, read=nothing)

    @call
    def sign_up(self, username: str, password: str, *, token: str | None = None) -> Request[User]:
        body = given({"username": username, "password": password, "token": token})
        return Request("POST", "auth/signup", body, read=User, once=True)

    @call
    def sign_in(self, username: str, password: str) -> Request[Tokens]:
        """`access_token` and `refresh_token`. Raises `SecondFactorNeeded` where the password does not suffice."""
        return Request("POST", "auth/login", {"username": username, "password": password}, read=Tokens)

    @call
    def refresh(self, refresh_token: str) -> Request[Tokens]:
        """The next pair. A refresh token is good once: used again, it ends the session."""
        return Request("POST", "auth/refresh", {"refresh_token": refresh_token}, read=Tokens, once=True)

    @call
    def sign_out(self, refresh_token: str) -> Request[None]:
        return Request("POST", "auth/logout", {"refresh_token": refresh_token}, read=nothing)

    @call
    def sign_out_everywhere(self) -> Request[None]:
        """Ends all of one's sessions, this one too."""
        return Request("DELETE", "auth/sessions", read=nothing)

    @call
    def me(self) -> Request[Me]:
        return Request("GET", "auth/me", read=Me)

    @call
    def change_password(self, password: str, new_password: str) -> Request[None]:
        body = {"password": password, "new_password": new_password}
        return Request("POST", "auth/password", body, read=nothing)

    @call
    def join(self, token: str) -> Request[Project]:
        """Accepts an invitation; the project."""
        return Request("POST", "invitations/accept", {"token": token}, read=Project)
