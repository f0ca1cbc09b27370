"""Users, projects, keys and sessions, and the audit trail."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from horae.domain.jobs.difference import Change
from horae.domain.jobs.idempotency import KeptAnswer, KeptRequest, Once
from horae.domain.pages import Page
from horae.domain.people.account import (
    Account,
    Credentials,
    Invitation,
    KeyFilter,
    KeyInfo,
    Member,
    NewInvitation,
    NewSession,
    NewUser,
    Place,
    ProjectInfo,
    Session,
    User,
)
from horae.domain.people.audit import AuditFilter, AuditRecord
from horae.domain.people.key import ApiKey, KeyRecord
from horae.domain.people.lockout import Tries
from horae.domain.people.project import Project
from horae.domain.secrets.secret import Sealed, SecretRecord, SecretUser


class Access(Protocol):
    """Projects and API keys."""

    async def default_project(self) -> Project: ...
    async def project(self, ref: str, *, lock: bool = False) -> ProjectInfo | None:
        """By id or by slug."""
        ...

    async def projects(self, user_id: str | None, *, limit: int, after: str | None) -> Page[ProjectInfo]:
        """By slug: those that a user is a member of; with None, all."""
        ...

    async def hold_project(self, project_id: str) -> bool:
        """Whether it exists. It cannot be deleted until the transaction ends, so what is put into it is not lost."""
        ...

    async def add_project(self, project: Project) -> None: ...
    async def rename_project(self, project_id: str, name: str) -> None: ...
    async def contents(self, project_id: str) -> dict[str, bool]:
        """Whether there are any `jobs`, live `runs` and `secrets`."""
        ...

    async def delete_project(self, project_id: str) -> None:
        """With its keys, members and invitations."""
        ...

    async def add_key(self, key: ApiKey) -> None: ...
    async def key(self, prefix: str) -> KeyRecord | None:
        """If it has not expired."""
        ...

    async def replace_key(self, key: ApiKey) -> None:
        """Replaces the project's key of the same name."""
        ...

    async def used(self, key_id: str) -> None:
        """Records that a key was used; at most once a minute."""
        ...

    async def keys(self, where: KeyFilter, *, limit: int, after: str | None) -> Page[KeyInfo]:
        """Newest first."""
        ...

    async def keys_by(self, user: User) -> list[KeyInfo]:
        """Those that they created, themselves or with a key of theirs, in all projects."""
        ...

    async def hold_key(self, key_id: str) -> bool:
        """Whether there is such a key; it cannot be revoked until the transaction ends."""
        ...

    async def find_key(self, project_id: str, key_id: str) -> KeyInfo | None: ...
    async def delete_key(self, key_id: str) -> None: ...


class Accounts(Protocol):
    """Users, and the projects they are members of. A user is found by id or by name."""

    async def any_user(self) -> bool: ...
    async def add_user(self, user: NewUser) -> None: ...
    async def user(self, ref: str, *, lock: bool = False) -> User | None: ...
    async def credentials(self, ref: str) -> Credentials | None: ...
    async def users(self, *, limit: int, after: str | None) -> Page[User]:
        """By name."""
        ...

    async def active_admins(self) -> list[str]:
        """Locked, so that of two admins who demote each other only one succeeds."""
        ...

    async def change_user(self, user_id: str, **changes: bool | str) -> None:
        """`is_admin`, `is_active`, `password` (its hash)."""
        ...

    async def rehash(self, user_id: str, old: str, new: str) -> None:
        """The same password with newer parameters, unless it was changed meanwhile."""
        ...

    async def signed_in(self, user_id: str) -> None: ...
    async def delete_user(self, user_id: str) -> None:
        """With their memberships, identities, sessions and second factor."""
        ...

    async def account(self, session_id: str) -> Account | None:
        """The user of a session, if both are valid."""
        ...

    async def places(self, user_id: str) -> tuple[Place, ...]: ...
    async def member(self, project_id: str, user_id: str) -> Member | None:
        """Locked, since it is about to change."""
        ...

    async def set_role(self, project_id: str, user_id: str, role: str, actor: str) -> None: ...
    async def remove_member(self, project_id: str, user_id: str) -> None: ...
    async def owners(self, project_id: str) -> list[str]:
        """Locked, like `active_admins`."""
        ...

    async def members(self, project_id: str, *, limit: int, after: str | None) -> Page[Member]:
        """By name."""
        ...


class Invitations(Protocol):
    """Links by which people join."""

    async def add(self, invitation: NewInvitation) -> None: ...
    async def by_digest(self, digest: str, *, lock: bool = False) -> Invitation | None: ...
    async def find(self, project_id: str, invitation_id: str) -> Invitation | None: ...
    async def page(self, project_id: str, *, limit: int, after: str | None) -> Page[Invitation]:
        """Newest first."""
        ...

    async def open_by(self, user: User) -> list[Invitation]:
        """Open invitations that they created for projects; locked."""
        ...

    async def accept(self, invitation_id: str, user_id: str) -> None: ...
    async def delete(self, invitation_id: str) -> None: ...
    async def lock_first(self) -> None:
        """Locks all tokens for the first admin: they are used one at a time."""
        ...

    async def drop_first(self) -> None:
        """Deletes unused ones."""
        ...

    async def prune(self, older_than: float) -> int: ...


class Sessions(Protocol):
    """Sign-ins, and which refresh token of each is valid."""

    async def add(self, session: NewSession, expires_at: datetime, limit_at: datetime | None = None) -> None: ...
    async def find(self, session_id: str, *, lock: bool = False) -> Session | None: ...
    async def exchange(self, session_id: str, *, digest: str, generation: int, expires_at: datetime) -> None: ...
    async def repeat(self, session_id: str, *, digest: str) -> None:
        """Replaces the current token by another one of the same generation, once."""
        ...

    async def addresses(self, user_id: str, limit: int) -> list[str]:
        """The addresses they signed in from, newest first."""
        ...

    async def end(self, session_id: str, reason: str) -> bool:
        """Returns whether it was still open."""
        ...

    async def end_all(self, user_id: str, reason: str, *, but: str | None = None) -> int: ...
    async def prune(self, older_than: float) -> int: ...


class RateLimits(Protocol):
    """Leaky buckets, shared by all processes."""

    async def lock(self, buckets: Collection[str]) -> dict[str, Tries]:
        """Their levels; missing ones are created, and all are locked."""
        ...

    async def set(self, bucket: str, level: float) -> None:
        """As of now."""
        ...

    async def forgive(self, bucket: str, tries: float) -> None: ...
    async def pour(self, amounts: Mapping[str, float], leak: float) -> dict[str, float]:
        """Adds to leaky buckets, which leak that much per second; returns the new level of each."""
        ...

    async def prune(self, older_than: float) -> int: ...


class Idempotency(Protocol):
    """Requests with a key, and their answers."""

    async def insert(self, once: Once, held: float) -> None:
        """Stores the key for this holder, unless it exists."""
        ...

    async def insert_all(self, project_id: str, holder: str, requests: Sequence[tuple[str, str]]) -> None:
        """Stores the digests of keys and of their requests, unless the key exists; waits for transactions that are
        storing the same. For requests whose key is committed together with their effect: there will be no answer."""
        ...

    async def holders(self, project_id: str, digests: Sequence[str]) -> dict[str, tuple[str, str]]:
        """The stored request and the holder of each of these."""
        ...

    async def delete_all(self, project_id: str, holder: str, digests: Sequence[str]) -> None:
        """The holder's own."""
        ...

    async def find(self, once: Once, kept: float) -> KeptRequest | None: ...
    async def take_over(self, once: Once, held: float) -> bool:
        """Becomes the holder if there is neither an answer nor another live holder."""
        ...

    async def answer(self, once: Once, answer: KeptAnswer) -> None:
        """Only for the holder."""
        ...

    async def let_go(self, once: Once) -> None: ...
    async def delete(self, once: Once, *, older_than: float | None = None) -> None:
        """The holder's own; or any that is older."""
        ...

    async def prune(self, older_than: float, limit: int) -> int: ...


class Audit(Protocol):
    """The audit trail. Verbs add to it in the transaction of the change. Entries are never changed, and deleted only if
    older than the retention, if one is set."""

    async def add(
        self,
        action: str,
        *,
        actor: str,
        project_id: str | None,
        id: str | None = None,
        name: str | None = None,
        changes: Sequence[Change] = (),
    ) -> None:
        """`action` is the subject's kind and the verb, as in `job.edit`; `id` and `name` are the subject's. Without a
        project it is about the installation. Never put a secret's value into the changes."""
        ...

    async def page(
        self, projects: Collection[str | None] | None, where: AuditFilter, *, limit: int, after: str | None
    ) -> Page[AuditRecord]:
        """Newest first; None in `projects` means the installation, None instead of `projects` means everything."""
        ...

    async def prune(self, older_than: float, limit: int) -> int:
        """Deletes the oldest entries older than that many seconds; returns how many."""
        ...


class Secrets(Protocol):
    """Encrypted values by project and name."""

    async def save(self, sealed: Sealed, actor: str) -> None: ...
    async def delete(self, project_id: str, name: str) -> None: ...
    async def find(self, project_id: str, name: str, *, lock: bool = False) -> SecretRecord | None: ...
    async def page(self, project_id: str, *, limit: int, after: str | None) -> Page[SecretRecord]: ...
    async def known(self, project_id: str, names: Collection[str]) -> set[str]:
        """Those of these names that exist; they cannot be deleted until the transaction ends."""
        ...

    async def sealed(self, wanted: Collection[tuple[str, str]]) -> list[Sealed]:
        """By project and name; missing ones are left out."""
        ...

    async def named_by(self, project_id: str, name: str, limit: int) -> list[SecretUser]:
        """The jobs whose current definitions name a secret."""
        ...

    async def not_of(self, key_id: str, *, limit: int, after: tuple[str, str] | None) -> list[tuple[Sealed, str]]:
        """Those encrypted with another key, each with its project's slug, by project and name."""
        ...

    async def reseal(self, old: Sealed, new: Sealed) -> bool:
        """Replaces `old` with `new`; False if it was set meanwhile."""
        ...
