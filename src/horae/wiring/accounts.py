"""Keys, users and secrets, created and re-encrypted directly on the database: the first steps need no API."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from horae.config import Settings
from horae.domain.errors import ConfigurationError
from horae.domain.people.key import ApiKey
from horae.ports import Transaction
from horae.sealing import Keyring
from horae.wiring.shared import IDS, run
from horae.wiring.stores import store_for

LOCAL_KEY = "local"  # the key of `horae up`, and its creator
COMMAND_LINE = "command line"  # the actor for changes made directly on the database


def create_key(settings: Settings, *, name: str, role: str, expires_at: datetime | None = None) -> dict[str, str]:
    """Creates an API key directly on the database, in the project of the settings: `{"id": …, "token": …}`."""
    return run(_create_key(settings, name, role, expires_at))


async def _create_key(settings: Settings, name: str, role: str, expires_at: datetime | None) -> dict[str, str]:
    from horae.accounts import keys
    from horae.api.signing_in.tokens import mint

    token, key_id = mint(), IDS.new()

    async def create(tx: Transaction) -> None:
        chosen = None if settings.project is None else await tx.access.project(settings.project)
        if settings.project is not None and chosen is None:
            raise ConfigurationError(f"HORAE_PROJECT: there is no project {settings.project!r}")
        project_id = (chosen or await tx.access.default_project()).id
        key = ApiKey(key_id, project_id, name, role, token.prefix, token.digest, COMMAND_LINE, expires_at)
        await keys.create_key(tx, key=key, maker="admin")

    store = await store_for(settings, connections=1)
    try:
        await store.transact(create)
    finally:
        await store.close()
    return {"id": key_id, "token": token.text}


def create_user(settings: Settings, *, username: str, password: str, admin: bool) -> dict[str, Any]:
    """Creates a user directly on the database; an admin also owns the default project, like the first one."""
    return run(_create_user(settings, username, password, admin))


async def _create_user(settings: Settings, username: str, password: str, admin: bool) -> dict[str, Any]:
    from horae.accounts import projects, users
    from horae.api.signing_in.passwords import hash_password
    from horae.domain.people.account import NewUser

    user = NewUser(IDS.new(), username, hash_password(password), admin, COMMAND_LINE)

    async def create(tx: Transaction) -> None:
        await users.create_user(tx, user=user)
        if admin:
            project = await tx.access.default_project()
            await projects.set_member(tx, project_id=project.id, ref=user.id, role="owner", actor=COMMAND_LINE)

    store = await store_for(settings, connections=1)
    try:
        await store.transact(create)
    finally:
        await store.close()
    return {"id": user.id, "username": user.username, "is_admin": admin}


def reset_second_factor(settings: Settings, *, username: str) -> None:
    """Directly on the database: works for the only admin, too."""
    run(_reset_second_factor(settings, username))


async def _reset_second_factor(settings: Settings, username: str) -> None:
    from horae.accounts import second_factor

    store = await store_for(settings, connections=1)
    try:
        await store.transact(second_factor.reset, ref=username, actor=COMMAND_LINE)
    finally:
        await store.close()


def ensure_local_key(settings: Settings, token: str | None) -> str:
    """The admin key of this machine: `token` if it is still valid, or a new one."""
    return run(_ensure_local_key(settings, token))


async def _ensure_local_key(settings: Settings, token: str | None) -> str:
    from horae.api.signing_in.tokens import matches, mint, prefix_of

    store = await store_for(settings, connections=1)
    try:
        prefix = prefix_of(token) if token else None
        if token and prefix:
            known = await store.read(lambda tx: tx.access.key(prefix))
            if known is not None and matches(token, known.digest):
                return token
        made = mint()
        await store.transact(_put_key, IDS.new(), made.prefix, made.digest)
        return made.text
    finally:
        await store.close()


async def _put_key(tx: Transaction, key_id: str, prefix: str, digest: str) -> None:
    project = await tx.access.default_project()
    await tx.access.replace_key(ApiKey(key_id, project.id, LOCAL_KEY, "admin", prefix, digest, LOCAL_KEY))


def rotate_secrets(settings: Settings) -> tuple[int, list[str]]:
    """Re-encrypts all secrets, including those of second factors, channels and sinks, and the URLs of pings and badges,
    with the current key: returns how many there were, and those that no key decrypts."""
    return run(_rotate_secrets(settings))


async def _rotate_secrets(settings: Settings) -> tuple[int, list[str]]:
    from horae.accounts import channels, second_factor, secrets
    from horae.accounts.sinks import reseal_sinks
    from horae.lifecycle.watching.url_tokens import reseal_badges, reseal_pings

    seals = Keyring(settings.need_secret_key(), settings.secret_key_previous)
    store = await store_for(settings, connections=1)
    try:
        done, cannot = 0, list[str]()
        tokens = (reseal_pings, reseal_badges)
        for reseal in (secrets.reseal, second_factor.reseal, channels.reseal, reseal_sinks, *tokens):
            step = await store.transact(reseal, seals=seals)
            done, cannot = done + step.done, cannot + step.cannot
            while step.after is not None:
                step = await store.transact(reseal, seals=seals, after=step.after)
                done, cannot = done + step.done, cannot + step.cannot
        return done, cannot
    finally:
        await store.close()
