"""The settings, each declared once: its type, parser and default."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from horae.config import addresses, kinds
from horae.domain.errors import ConfigurationError

PREFIX = "HORAE_"
DAY = 86_400.0
CLIENT_FILE = "client.json"


def _setting(read: Callable[[Any], Any], default: Any, *, up: Any = None, secret: bool = False) -> Any:
    """A field with its parser `read`, for text or a TOML value. `up` is the default of `horae up` if that differs; a
    secret is left out of `repr`."""
    meta = {"read": read, "up": default if up is None else up, "secret": secret}
    if isinstance(default, dict):
        return field(default_factory=dict, metadata=meta, repr=not secret)
    return field(default=default, metadata=meta, repr=not secret)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting of docs/configuration.md, in its units: durations in seconds, sizes in bytes."""

    database_url: str = _setting(addresses.database_url, "", secret=True)  # may contain a password
    data_dir: Path = _setting(kinds.directory, Path())
    host: str = _setting(addresses.host, "127.0.0.1")
    port: int = _setting(kinds.whole(1, 65_535), 8080)
    engine: str = _setting(kinds.choice("database", "celery"), "database")
    engines: dict[str, str] = _setting(kinds.mapping(kinds.choice("database", "celery")), {})
    broker_url: str | None = _setting(addresses.url("redis", "rediss", "amqp", "amqps"), None, secret=True)
    republish_after: float = _setting(kinds.duration(1, DAY), 60.0)
    events_amqp_url: str | None = _setting(addresses.url("amqp", "amqps"), None, secret=True)
    events_redis_url: str | None = _setting(addresses.redis_url, None, secret=True)
    celery_events: bool = _setting(kinds.boolean, False)
    wakeups: str | None = _setting(addresses.redis_url, None, secret=True)

    secret_key: str | None = _setting(kinds.secret_key, None, secret=True)
    secret_key_previous: str | None = _setting(kinds.secret_key, None, secret=True)
    allow_signup: bool = _setting(kinds.boolean, False)
    second_factor: str = _setting(kinds.choice("optional", "admins", "required"), "optional")
    project_quotas: dict[str, int] = _setting(kinds.quotas, {})
    api_rate: int = _setting(kinds.whole(0, 1_000_000), 5_000)
    trusted_proxies: tuple[str, ...] | None = _setting(addresses.networks, None)
    cors_origins: tuple[str, ...] | None = _setting(addresses.origins, None)
    metrics_token: str | None = _setting(kinds.line, None, secret=True)
    metrics_jobs: tuple[str, ...] | None = _setting(kinds.job_names, None)
    metrics_port: int | None = _setting(kinds.whole(1, 65_535), None)

    password_sign_in: bool = _setting(kinds.boolean, True)
    oidc_issuer: str | None = _setting(addresses.issuer, None)
    oidc_client_id: str | None = _setting(kinds.line, None)
    oidc_client_secret: str | None = _setting(kinds.line, None, secret=True)
    oidc_name: str = _setting(kinds.line, "SSO")
    oidc_scopes: tuple[str, ...] = _setting(kinds.scopes, ("openid", "profile", "email"))
    oidc_groups_claim: str = _setting(kinds.line, "groups")
    oidc_username_claim: str = _setting(kinds.line, "preferred_username")
    oidc_roles: tuple[str, ...] | None = _setting(kinds.grants, None)
    oidc_create_users: str = _setting(kinds.choice("with-role", "all", "none"), "with-role")
    oidc_email_domains: tuple[str, ...] | None = _setting(addresses.domains, None)
    oidc_session: float = _setting(kinds.duration(300, 90 * DAY), 43_200.0)

    shard_count: int = _setting(kinds.whole(1, 4_096), 64)
    scheduler_poll: float = _setting(kinds.duration(0.05, 3_600), 1.0)
    scheduler_batch: int = _setting(kinds.whole(1, 100_000), 1_000)
    shard_lease: float = _setting(kinds.duration(0.5, 3_600), 6.0)

    intake_source: str | None = _setting(kinds.line, None, secret=True)
    intake_key: str | None = _setting(kinds.line, None, secret=True)
    intake_batch: int = _setting(kinds.whole(1, 1_000), 500)
    intake_quota_wait: float = _setting(kinds.duration(0, 1_500), 300.0)

    worker_slots: int = _setting(kinds.whole(1, 10_000), 16)
    worker_prefetch: int = _setting(kinds.whole(0, 10_000), 2_000)
    worker_poll: float = _setting(kinds.duration(0.05, 3_600), 1.0)
    worker_poll_max: float = _setting(kinds.duration(0.05, 3_600), 10.0)
    lease: float = _setting(kinds.duration(0.3, 86_400), 15.0)
    heartbeat: float = _setting(kinds.duration(0.1, 3_600), 3.0)
    offline_after: float = _setting(kinds.duration(1, 30 * DAY), 180.0)
    drain_timeout: float = _setting(kinds.duration(0, 86_400), 30.0, up=5.0)
    grace: float = _setting(kinds.duration(0, 600), 5.0)
    default_timeout: float = _setting(kinds.duration(1, 604_800), 300.0)
    start_within: float | None = _setting(kinds.duration(1, 31_536_000), None)
    default_retry_attempts: int = _setting(kinds.whole(1, 100), 3)
    default_retry_backoff: str = _setting(kinds.choice("exponential", "linear", "fixed"), "exponential")
    default_retry_delay: float = _setting(kinds.duration(0, 86_400), 60.0)
    executors: tuple[str, ...] = _setting(kinds.words, ("http", "python"), up=("http", "python", "script"))
    http_allow_private: bool = _setting(kinds.boolean, False, up=True)
    script_memory: int = _setting(kinds.size(1 << 20, 1 << 44), 2 << 30)
    script_processes: int = _setting(kinds.whole(1, 100_000), 512)
    script_sandbox: str = _setting(kinds.choice("off", "auto", "require"), "auto", up="off")
    script_visible: tuple[str, ...] | None = _setting(kinds.folders, None)
    script_user: str | None = _setting(kinds.line, None)
    public_url: str | None = _setting(addresses.url("http", "https"), None)

    smtp_url: str | None = _setting(addresses.smtp_url, None, secret=True)
    mail_from: str | None = _setting(addresses.mailbox, None)
    mail_domains: tuple[str, ...] | None = _setting(addresses.domains, None)

    container_host: str | None = _setting(addresses.unix_socket, None)
    container_mounts: tuple[str, ...] | None = _setting(kinds.folders, None)
    container_network: str | None = _setting(kinds.line, None)
    artifact_cache: Path | None = _setting(kinds.directory, None)
    artifact_cache_limit: int = _setting(kinds.size(1 << 20, 1 << 50), 10 << 30)
    artifact_limit: int = _setting(kinds.size(1 << 10, 1 << 40), 1 << 30)
    artifact_schemes: tuple[str, ...] = _setting(kinds.words, ("file", "s3"))
    artifact_folders: tuple[str, ...] | None = _setting(kinds.folders, None)
    artifact_install: bool = _setting(kinds.boolean, False)
    celery_app: str | None = _setting(kinds.line, None)
    celery_broker_url: str | None = _setting(addresses.url("redis", "rediss", "amqp", "amqps"), None, secret=True)
    celery_result_backend: str | None = _setting(kinds.line, None, secret=True)
    celery_tasks: dict[str, tuple[str, ...]] | None = _setting(kinds.by_project, None)
    celery_queues: dict[str, tuple[str, ...]] | None = _setting(kinds.by_project, None)
    function_paths: tuple[str, ...] | None = _setting(kinds.words, None)

    retention: float = _setting(kinds.duration(60, 36_500 * DAY), 30 * DAY)
    log_retention: float = _setting(kinds.duration(60, 36_500 * DAY), 30 * DAY)
    audit_retention: float | None = _setting(kinds.duration(30 * DAY, 36_500 * DAY), None)
    # At least as long as hourly charts may reach back.
    hourly_retention: float = _setting(kinds.duration(32 * DAY, 36_500 * DAY), 90 * DAY)
    daily_retention: float = _setting(kinds.duration(90 * DAY, 36_500 * DAY), 1_095 * DAY)
    version_retention: float = _setting(kinds.duration(DAY, 36_500 * DAY), 365 * DAY)
    versions_kept: int = _setting(kinds.whole(1, 1_000_000), 100)
    finished_job_retention: float | None = _setting(kinds.duration(60, 36_500 * DAY), None)
    delivery_retention: float = _setting(kinds.duration(8 * DAY, 36_500 * DAY), 30 * DAY)
    log_limit: int = _setting(kinds.size(1_024, 1 << 30), 1 << 20)

    # Thresholds of alerts: docs/alerts.md. 0 turns a rule off.
    alert_failing: int = _setting(kinds.whole(0, 1_000_000), 3)
    alert_late: float = _setting(kinds.duration(0, 366 * DAY), 600.0)
    alert_queued: float = _setting(kinds.duration(0, 366 * DAY), 1_800.0)
    alert_stuck: float = _setting(kinds.duration(0, 366 * DAY), 300.0)
    alert_failure_rate: int = _setting(kinds.whole(0, 100), 10)
    alert_dead_letters: int = _setting(kinds.whole(0, 1_000_000), 10)
    alert_no_worker: float = _setting(kinds.duration(0, 366 * DAY), 300.0)
    alert_not_fired: float = _setting(kinds.duration(0, 366 * DAY), 60.0)
    alert_disk: int = _setting(kinds.whole(0, 100), 10)

    debuggable: bool = _setting(kinds.boolean, False)
    log_format: str = _setting(kinds.choice("auto", "console", "json"), "auto")
    log_level: str = _setting(kinds.choice("debug", "info", "warning", "error"), "info")
    run_log: int = _setting(kinds.whole(0, 100_000), 100, up=0)
    traces: float = _setting(kinds.share, 0.0)
    trace_url: str | None = _setting(addresses.trace_url, None)
    sentry_dsn: str | None = _setting(addresses.url("http", "https"), None, secret=True)

    url: str | None = _setting(addresses.url("http", "https"), None)
    token: str | None = _setting(kinds.line, None, secret=True)
    project: str | None = _setting(kinds.line, None)

    sources: Mapping[str, str] = field(default_factory=dict, repr=False)  # name -> where its value came from
    files: Mapping[str, Path] = field(default_factory=dict, repr=False)  # name -> the file that holds its value
    lying_here: frozenset[str] = field(default=frozenset(), repr=False)  # from an implicit horae.toml

    def _on_command_line(self, name: str) -> bool:
        return self.sources.get(name) == "command line"

    @property
    def client_file(self) -> Path:
        return self.data_dir / CLIENT_FILE

    def need_secret_key(self) -> str:
        """The key, for processes of a cluster; `horae up` generates its own."""
        if self.secret_key:
            return self.secret_key
        raise ConfigurationError(
            f"{PREFIX}SECRET_KEY is not set: give every process of the cluster the same key of at least "
            f"{kinds.KEY_BYTES} bytes, generated once with `openssl rand -hex 32`"
        )

    def make_data_dir(self) -> Path:
        """The data directory, created if it is missing and checked for write access."""
        try:
            self.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
            probe = self.data_dir / f".probe-{os.getpid()}"
            probe.touch(mode=0o600)
            probe.unlink()
        except OSError as error:
            raise ConfigurationError(
                f"cannot write to the data directory {self.data_dir} ({error.strerror}): make it writable, "
                f"or set {PREFIX}DATA_DIR to another one"
            ) from None
        return self.data_dir

    def environment(self) -> dict[str, str]:
        """The environment variables that give child processes the same settings."""
        return {
            PREFIX + f.name.upper(): kinds.show(value)
            for f in setting_fields()
            if f.name not in self.files  # they read the file themselves
            and ((value := getattr(self, f.name)) not in (None, {}, f.default) or self._on_command_line(f.name))
        }


def setting_fields() -> list[Field[Any]]:
    """The fields that are settings."""
    return [f for f in fields(Settings) if "read" in f.metadata]
