"""Who there is and what they may: users, projects, keys, and one's own account, through the API."""

from __future__ import annotations

from horae.sdk.calls import (
    AsyncResource,
    Json,
    Pages,
    Request,
    Resource,
    When,
    call,
    given,
    instant,
    nothing,
    pages,
    part,
)


class UserCalls:
    @pages
    def list(self) -> Pages:
        """By name."""
        return Pages("users")

    @call
    def create(self, username: str, password: str, *, is_admin: bool = False) -> Request[Json]:
        return Request("POST", "users", {"username": username, "password": password, "is_admin": is_admin})

    @call
    def get(self, user: str) -> Request[Json]:
        return Request("GET", f"users/{part(user)}")

    @call
    def change(
        self, user: str, *, is_admin: bool | None = None, is_active: bool | None = None, password: str | None = None
    ) -> Request[Json]:
        """What is None stays."""
        changes = given({"is_admin": is_admin, "is_active": is_active, "password": password})
        return Request("PATCH", f"users/{part(user)}", changes)

    @call
    def delete(self, user: str) -> Request[None]:
        return Request("DELETE", f"users/{part(user)}", read=nothing)


class ProjectCalls:
    @pages
    def list(self) -> Pages:
        """Those that one may act in, by slug."""
        return Pages("projects")

    @call
    def create(self, slug: str, *, name: str | None = None) -> Request[Json]:
        return Request("POST", "projects", given({"slug": slug, "name": name}))

    @call
    def get(self, project: str) -> Request[Json]:
        return Request("GET", f"projects/{part(project)}")

    @call
    def rename(self, project: str, name: str) -> Request[Json]:
        return Request("PATCH", f"projects/{part(project)}", {"name": name})

    @call
    def delete(self, project: str) -> Request[None]:
        """Only an empty one."""
        return Request("DELETE", f"projects/{part(project)}", read=nothing)

    @pages
    def members(self, project: str) -> Pages:
        return Pages(f"projects/{part(project)}/members")

    @call
    def set_member(self, project: str, user: str, role: str) -> Request[Json]:
        return Request("PUT", f"projects/{part(project)}/members/{part(user)}", {"role": role})

    @call
    def remove_member(self, project: str, user: str) -> Request[None]:
        return Request("DELETE", f"projects/{part(project)}/members/{part(user)}", read=nothing)

    @pages
    def invitations(self, project: str) -> Pages:
        """Newest first."""
        return Pages(f"projects/{part(project)}/invitations")

    @call
    def invite(self, project: str, role: str, *, note: str | None = None, expires_at: When = None) -> Request[Json]:
        """With the token, which is shown this once."""
        body = given({"role": role, "note": note, "expires_at": instant(expires_at)})
        return Request("POST", f"projects/{part(project)}/invitations", body)

    @call
    def revoke_invitation(self, project: str, invitation: str) -> Request[None]:
        path = f"projects/{part(project)}/invitations/{part(invitation)}"
        return Request("DELETE", path, read=nothing)


class KeyCalls:
    @pages
    def list(self) -> Pages:
        """Newest first."""
        return Pages("api-keys")

    @call
    def create(self, name: str, role: str = "viewer", *, expires_at: When = None) -> Request[Json]:
        """With the key itself (`token`), which is shown this once."""
        return Request("POST", "api-keys", given({"name": name, "role": role, "expires_at": instant(expires_at)}))

    @call
    def revoke(self, key: str) -> Request[None]:
        return Request("DELETE", f"api-keys/{part(key)}", read=nothing)


class AccountCalls:
    """One's own account."""

    @call
    def sign_up(self, username: str, password: str, *, token: str | None = None) -> Request[Json]:
        return Request("POST", "auth/signup", given({"username": username, "password": password, "token": token}))

    @call
    def sign_in(self, username: str, password: str) -> Request[Json]:
        """`access_token` and `refresh_token`."""
        return Request("POST", "auth/login", {"username": username, "password": password})

    @call
    def refresh(self, refresh_token: str) -> Request[Json]:
        """The next pair. A refresh token is good once: used again, it ends the session."""
        return Request("POST", "auth/refresh", {"refresh_token": refresh_token})

    @call
    def sign_out(self, refresh_token: str) -> Request[None]:
        return Request("POST", "auth/logout", {"refresh_token": refresh_token}, read=nothing)

    @call
    def me(self) -> Request[Json]:
        return Request("GET", "auth/me")

    @call
    def change_password(self, password: str, new_password: str) -> Request[None]:
        body = {"password": password, "new_password": new_password}
        return Request("POST", "auth/password", body, read=nothing)

    @call
    def join(self, token: str) -> Request[Json]:
        """Accepts an invitation; the project."""
        return Request("POST", "invitations/accept", {"token": token})


class Users(UserCalls, Resource):
    pass


class AsyncUsers(UserCalls, AsyncResource):
    pass


class Projects(ProjectCalls, Resource):
    pass


class AsyncProjects(ProjectCalls, AsyncResource):
    pass


class Keys(KeyCalls, Resource):
    pass


class AsyncKeys(KeyCalls, AsyncResource):
    pass


class Account(AccountCalls, Resource):
    pass


class AsyncAccount(AccountCalls, AsyncResource):
    pass
