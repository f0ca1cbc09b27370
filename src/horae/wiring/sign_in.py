"""Single sign-on from the settings, and whether it would work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horae.config import PREFIX, Settings
from horae.domain.errors import ConfigurationError
from horae.domain.people.single_sign_on import Create, NotAccepted, Rules, grant
from horae.ports import Transaction
from horae.wiring.shared import CLOCK, run
from horae.wiring.stores import store_for

if TYPE_CHECKING:
    from horae.oidc.provider import OpenIdProvider


def rules_of(settings: Settings) -> Rules:
    return Rules(
        tuple(grant(one) for one in settings.oidc_roles or ()),
        settings.oidc_groups_claim,
        settings.oidc_username_claim,
        Create(settings.oidc_create_users),
        settings.oidc_email_domains or (),
    )


def provider_of(settings: Settings) -> OpenIdProvider | None:
    """None if single sign-on is not set up."""
    if settings.oidc_issuer is None or settings.oidc_client_id is None:
        return None
    if settings.public_url is None:
        raise ConfigurationError(
            f"{PREFIX}OIDC_ISSUER needs {PREFIX}PUBLIC_URL, the URL that browsers use for this server: the identity "
            f"provider sends them back there"
        )
    from horae.api.signing_in.sso import CALLBACK
    from horae.oidc.provider import OpenIdProvider

    return OpenIdProvider(
        CLOCK,
        issuer=settings.oidc_issuer,
        name=settings.oidc_name,
        client_id=settings.oidc_client_id,
        client_secret=settings.oidc_client_secret,
        redirect_uri=settings.public_url + CALLBACK,
        scopes=settings.oidc_scopes,
        rules=rules_of(settings),
    )


def cannot_sign_on(settings: Settings) -> str | None:
    """Why users cannot sign in through the provider; None if they can, or if it is not set up."""
    from horae.oidc.metadata import discover

    if settings.oidc_issuer is None:
        return None
    try:
        run(discover(settings.oidc_issuer))
    except NotAccepted as error:
        return f"the provider at {PREFIX}OIDC_ISSUER cannot be used: {error.why}"
    return None


def unknown_projects(settings: Settings) -> list[str]:
    """Projects that the group roles name and that do not exist."""
    named = {one.project for one in rules_of(settings).grants if one.project is not None}
    return run(_unknown(settings, sorted(named))) if named else []


async def _unknown(settings: Settings, named: list[str]) -> list[str]:
    async def missing(tx: Transaction) -> list[str]:
        return [slug for slug in named if await tx.access.project(slug) is None]

    store = await store_for(settings, connections=1)
    try:
        return await store.read(missing)
    finally:
        await store.close()
