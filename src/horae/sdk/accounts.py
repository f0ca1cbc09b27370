"""Users, projects, keys and the caller's own account, through the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from horae.sdk.calls import C, Pages, Request, Resource, When, call, given, instant, nothing, pages, part
from horae.sdk.quotas import Limits, quotas_of
from horae.sdk.records import (
    ChangedMember,
    ChangedUser,
    Device,
    DevicePoll,
    Invitation,
    Key,
    Left,
    Me,
    Member,
    NewDevice,
    NewInvitation,
    NewKey,
    Project,
    Quotas,
    Start,
    Tokens,
    User,
)

__all__ = [
    "Account",
    "ChangedMember",
    "ChangedUser",
    "Device",
    "DevicePoll",
    "Invitation",
    "Key",
    "Keys",
    "Left",
    "Me",
    "Member",
    "NewDevice",
    "NewInvitation",
    "NewKey",
    "Project",
    "Projects",
    "Start",
    "Tokens",
    "User",
    "Users",
]


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
        """None leaves a field unchanged. `revoke_keys` revokes the keys created by a user who is deactivated or no
        longer admin."""
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
        """For a user who lost it; signs them out everywhere."""
        return Request("DELETE", f"users/{part(user)}/second-factor", read=nothing)


class Projects(Resource[C]):
    @pages
    def list(self) -> Pages[Project]:
        """The projects that the caller has access to, by slug."""
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
        """Includes the token, which is shown only once."""
        body = given({"role": role, "note": note, "expires_at": instant(expires_at)})
        return Request("POST", f"projects/{part(project)}/invitations", body, read=NewInvitation)

    @call
    def revoke_invitation(self, project: str, invitation: str) -> Request[None]:
        path = f"projects/{part(project)}/invitations/{part(invitation)}"
        return Request("DELETE", path, read=nothing)

    @call
    def own_quotas(self) -> Request[Quotas]:
        """Those of the current project."""
        return Request("GET", "quotas", read=quotas_of)

    @call
    def quotas(self, project: str) -> Request[Quotas]:
        """The project's limits and usage."""
        return Request("GET", f"projects/{part(project)}/quotas", read=quotas_of)

    @call
    def set_quotas(self, project: str, **limits: Unpack[Limits]) -> Request[Quotas]:
        """Sets the named quotas, such as `jobs` and `live_runs`; None removes a limit."""
        return Request("PATCH", f"projects/{part(project)}/quotas", dict(limits), read=quotas_of)


class Keys(Resource[C]):
    @pages
    def list(self, *, maker: str | None = None, all_projects: bool = False) -> Pages[Key]:
        """Newest first; created by one user, or of all projects, which only admins see."""
        return Pages("api-keys", Key, given({"maker": maker, "all_projects": all_projects or None}))

    @call
    def create(self, name: str, role: str = "viewer", *, expires_at: When = None) -> Request[NewKey]:
        """Includes the key itself (`token`), which is shown only once."""
        body = given({"name": name, "role": role, "expires_at": instant(expires_at)})
        return Request("POST", "api-keys", body, read=NewKey)

    @call
    def revoke(self, key: str) -> Request[None]:
        return Request("DELETE", f"api-keys/{part(key)}", read=nothing)


class Account(Resource[C]):
    """The caller's own account."""

    @call
    def start(self) -> Request[Start]:
        """The available ways to sign in."""
        return Request("GET", "auth/start", read=Start)

    @call
    def begin_device(self, client: str = "a program") -> Request[NewDevice]:
        """Starts a sign-in that a user approves in a browser; `client` is the name they see."""
        return Request("POST", "auth/device", {"client": client}, read=NewDevice)

    @call
    def poll_device(self, device_code: str) -> Request[DevicePoll]:
        """Whether it was approved; if so, the tokens, once."""
        return Request("POST", "auth/device/token", {"device_code": device_code}, read=DevicePoll, once=True)

    @call
    def device(self, user_code: str) -> Request[Device]:
        """The pending sign-in for a code."""
        return Request("GET", f"auth/device/{part(user_code)}", read=Device)

    @call
    def decide_device(self, user_code: str, approve: bool) -> Request[None]:
        """Approves or denies the sign-in."""
        return Request("POST", f"auth/device/{part(user_code)}", {"approve": approve}, read=nothing)

    @call
    def sign_up(self, username: str, password: str, *, token: str | None = None) -> Request[User]:
        body = given({"username": username, "password": password, "token": token})
        return Request("POST", "auth/signup", body, read=User, once=True)

    @call
    def sign_in(self, username: str, password: str) -> Request[Tokens]:
        """`access_token` and `refresh_token`. Raises `SecondFactorNeeded` if the password is not enough."""
        return Request("POST", "auth/login", {"username": username, "password": password}, read=Tokens)

    @call
    def refresh(self, refresh_token: str) -> Request[Tokens]:
        """The next pair of tokens. A refresh token can be used once: reusing it ends the session."""
        return Request("POST", "auth/refresh", {"refresh_token": refresh_token}, read=Tokens, once=True)

    @call
    def sign_out(self, refresh_token: str) -> Request[None]:
        return Request("POST", "auth/logout", {"refresh_token": refresh_token}, read=nothing)

    @call
    def sign_out_everywhere(self) -> Request[None]:
        """Ends all your sessions, including this one."""
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
        """Accepts an invitation; returns the project."""
        return Request("POST", "invitations/accept", {"token": token}, read=Project)
