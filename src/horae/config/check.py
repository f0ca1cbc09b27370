"""Consistency checks that involve several settings."""

from __future__ import annotations

from horae.config import kinds
from horae.config.settings import PREFIX, Settings
from horae.domain.errors import ConfigurationError


def check(settings: Settings) -> None:
    """Raises ConfigurationError for settings that contradict each other."""
    if settings.lease < 3 * settings.heartbeat:
        raise ConfigurationError(
            f"{PREFIX}LEASE ({kinds.show(settings.lease)}s) must be at least three times {PREFIX}HEARTBEAT "
            f"({kinds.show(settings.heartbeat)}s): one late heartbeat must not cost a lease"
        )
    if settings.worker_poll > settings.worker_poll_max:
        raise ConfigurationError(f"{PREFIX}WORKER_POLL must not exceed {PREFIX}WORKER_POLL_MAX")
    _check_sign_in(settings)
    if "celery" in (settings.engine, *settings.engines.values()) and settings.broker_url is None:
        raise ConfigurationError(
            f"the engine celery needs a broker: set {PREFIX}BROKER_URL, such as amqp://user:password@host:5672/vhost "
            "or redis://host:6379/0"
        )


def _check_sign_in(settings: Settings) -> None:
    """There is a way to sign in, and single sign-on is complete."""
    if settings.oidc_issuer is None:
        if not settings.password_sign_in:
            raise ConfigurationError(
                f"{PREFIX}PASSWORD_SIGN_IN=off leaves no way to sign in: set {PREFIX}OIDC_ISSUER as well"
            )
        set_alone = (name for name, source in settings.sources.items() if name[:5] == "oidc_" and source != "default")
        if name := next(set_alone, None):
            raise ConfigurationError(f"{PREFIX}{name.upper()} has no effect without {PREFIX}OIDC_ISSUER: set that too")
        return
    if settings.oidc_client_id is None:
        raise ConfigurationError(
            f"{PREFIX}OIDC_ISSUER is set without {PREFIX}OIDC_CLIENT_ID: the provider assigns one to each application"
        )
