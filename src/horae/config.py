"""The settings: the only reader of the environment.

Each setting comes from the environment (`HORAE_PORT`), from `horae.toml` (`port = 8080`; in the working
directory, or wherever `HORAE_CONFIG` points), or is a default; `sources` remembers which. Own code rather
than pydantic-settings for two reasons: that import alone takes as long as a whole `horae` command, and it does
not say where a value came from.
"""

from __future__ import annotations

import os
import secrets
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from horae import setting as kinds
from horae.domain.errors import ConfigurationError
from horae.domain.loopback import local_url
from horae.private_file import create_private

PREFIX = "HORAE_"
DAY = 86_400.0
SECRET_FILE = "secret.key"
FILE = "_file"  # after the name of a setting that may also be the content of a file
_BY_FILE = ("database_url", "secret_key", "secret_key_previous", "oidc_client_secret", "smtp_url")
_LONGEST = 65_536  # characters of such a file
CLIENT_FILE = "client.json"
SERVICE_MANAGER = ("NOTIFY_SOCKET", "WATCHDOG_USEC")  # set by systemd for its services


def _setting(read: Callable[[Any], Any], default: Any, *, up: Any = None, secret: bool = False) -> Any:
    """A field that `read` turns from text (or a TOML value) into what it means. `up` is the default of
    `horae up` where that differs; a secret is left out of `repr`."""
    meta = {"read": read, "up": default if up is None else up, "secret": secret}
    if isinstance(default, dict):
        return field(default_factory=dict, metadata=meta, repr=not secret)
    return field(default=default, metadata=meta, repr=not secret)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting of docs/configuration.md, in its units: durations in seconds, sizes in bytes."""

    database_url: str = _setting(kinds.database_url, "", secret=True)  # may carry a password
    data_dir: Path = _setting(kinds.directory, Path())  # noqa: RUF009
    host: str = _setting(kinds.host, "127.0.0.1")
    port: int = _setting(kinds.whole(1, 65_535), 8080)
    engine: str = _setting(kinds.choice("database", "celery"), "database")
    engines: dict[str, str] = _setting(kinds.mapping(kinds.choice("database", "celery")), {})  # noqa: RUF009
    broker_url: str | None = _setting(kinds.url("redis", "rediss", "amqp", "amqps"), None, secret=True)

    secret_key: str | None = _setting(kinds.secret_key, None, secret=True)
    secret_key_previous: str | None = _setting(kinds.secret_key, None, secret=True)
    allow_signup: bool = _setting(kinds.boolean, False)
    second_factor: str = _setting(kinds.choice("optional", "admins", "required"), "optional")
    project_quotas: dict[str, int] = _setting(kinds.quotas, {})  # noqa: RUF009
    api_rate: int = _setting(kinds.whole(0, 1_000_000), 5_000)
    trusted_proxies: tuple[str, ...] | None = _setting(kinds.networks, None)
    cors_origins: tuple[str, ...] | None = _setting(kinds.origins, None)
    metrics_token: str | None = _setting(kinds.line, None, secret=True)
    metrics_jobs: tuple[str, ...] | None = _setting(kinds.job_names, None)
    metrics_port: int | None = _setting(kinds.whole(1, 65_535), None)

    password_sign_in: bool = _setting(kinds.boolean, True)
    oidc_issuer: str | None = _setting(kinds.issuer, None)
    oidc_client_id: str | None = _setting(kinds.line, None)
    oidc_client_secret: str | None = _setting(kinds.line, None, secret=True)
    oidc_name: str = _setting(kinds.line, "SSO")
    oidc_scopes: tuple[str, ...] = _setting(kinds.scopes, ("openid", "profile", "email"))
    oidc_groups_claim: str = _setting(kinds.line, "groups")
    oidc_username_claim: str = _setting(kinds.line, "preferred_username")
    oidc_roles: tuple[str, ...] | None = _setting(kinds.grants, None)
    oidc_create_users: str = _setting(kinds.choice("with-role", "all", "none"), "with-role")
    oidc_email_domains: tuple[str, ...] | None = _setting(kinds.domains, None)
    oidc_session: float = _setting(kinds.duration(300, 90 * DAY), 43_200.0)

    shard_count: int = _setting(kinds.whole(1, 4_096), 64)
    scheduler_poll: float = _setting(kinds.duration(0.05, 3_600), 1.0)
    scheduler_batch: int = _setting(kinds.whole(1, 100_000), 1_000)
    shard_lease: float = _setting(kinds.duration(0.5, 3_600), 6.0)

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
    public_url: str | None = _setting(kinds.url("http", "https"), None)

    smtp_url: str | None = _setting(kinds.smtp_url, None, secret=True)
    mail_from: str | None = _setting(kinds.mailbox, None)

    container_host: str | None = _setting(kinds.unix_socket, None)
    container_mounts: tuple[str, ...] | None = _setting(kinds.folders, None)
    container_network: str | None = _setting(kinds.line, None)
    artifact_cache: Path | None = _setting(kinds.directory, None)  # noqa: RUF009
    artifact_cache_limit: int = _setting(kinds.size(1 << 20, 1 << 50), 10 << 30)
    artifact_limit: int = _setting(kinds.size(1 << 10, 1 << 40), 1 << 30)
    artifact_schemes: tuple[str, ...] = _setting(kinds.words, ("file", "s3"))
    artifact_folders: tuple[str, ...] | None = _setting(kinds.folders, None)
    artifact_install: bool = _setting(kinds.boolean, False)

    retention: float = _setting(kinds.duration(60, 36_500 * DAY), 30 * DAY)
    log_retention: float = _setting(kinds.duration(60, 36_500 * DAY), 30 * DAY)
    audit_retention: float | None = _setting(kinds.duration(30 * DAY, 36_500 * DAY), None)
    # No shorter than what may be asked for by the hour.
    hourly_retention: float = _setting(kinds.duration(32 * DAY, 36_500 * DAY), 90 * DAY)
    daily_retention: float = _setting(kinds.duration(90 * DAY, 36_500 * DAY), 1_095 * DAY)
    version_retention: float = _setting(kinds.duration(DAY, 36_500 * DAY), 365 * DAY)
    versions_kept: int = _setting(kinds.whole(1, 1_000_000), 100)
    finished_job_retention: float | None = _setting(kinds.duration(60, 36_500 * DAY), None)
    delivery_retention: float = _setting(kinds.duration(8 * DAY, 36_500 * DAY), 30 * DAY)
    log_limit: int = _setting(kinds.size(1_024, 1 << 30), 1 << 20)

    # From when on something is wrong: docs/alerts.md. 0 turns a rule off.
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
    sentry_dsn: str | None = _setting(kinds.url("http", "https"), None, secret=True)

    url: str | None = _setting(kinds.url("http", "https"), None)
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
        """The key, for processes of a cluster; `horae up` makes its own."""
        if self.secret_key:
            return self.secret_key
        raise ConfigurationError(
            f"{PREFIX}SECRET_KEY is not set: give every process of the cluster the same key of at least "
            f"{kinds.KEY_BYTES} bytes, made once with `openssl rand -hex 32`"
        )

    def make_data_dir(self) -> Path:
        """The data directory, made if it is missing and tried for writing."""
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
        """What must be added to the environment of child processes so that they see the same settings."""
        return {
            PREFIX + f.name.upper(): kinds.show(value)
            for f in _named()
            if f.name not in self.files  # they read the file themselves
            and ((value := getattr(self, f.name)) not in (None, {}, f.default) or self._on_command_line(f.name))
        }


def load(
    environ: Mapping[str, str] | None = None, *, up: bool = False, overrides: Mapping[str, Any] | None = None
) -> Settings:
    """Reads and checks all settings. With `up`, the defaults are those of `horae up`, whose secret key is
    made and kept in the data directory. `overrides` are command-line options, by setting name."""
    environ = os.environ if environ is None else environ
    toml, toml_name = _file(environ)
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    files: dict[str, Path] = {}
    for f in _named():
        variable = PREFIX + f.name.upper()
        if f.name in _BY_FILE and (named := _named_file(f.name, environ, toml, toml_name)):
            label, files[f.name] = named
            sources[f.name] = f"{label}: {files[f.name]}"
            values[f.name] = _read_file(label, files[f.name], f.metadata["read"])
            continue
        if overrides and overrides.get(f.name) is not None:
            raw, source, label = overrides[f.name], "command line", "--" + f.name.removeprefix("worker_")
        elif environ.get(variable, "") != "":  # empty counts as not set, as compose files write it
            raw, source, label = environ[variable], variable, variable
        elif f.name in toml:
            raw, source, label = toml[f.name], toml_name, f"{f.name} in {toml_name}"
        else:
            sources[f.name] = "default"
            if up:
                values[f.name] = f.metadata["up"]
            continue
        sources[f.name] = source
        try:
            values[f.name] = f.metadata["read"](raw)
        except (ValueError, TypeError, OverflowError) as error:
            raise ConfigurationError(f"{label} {error}") from None
    _resolve(values, sources, environ, up=up)
    unnamed = toml_name and not environ.get(PREFIX + "CONFIG")
    lying_here = frozenset(name for name, source in sources.items() if unnamed and toml_name in source)
    settings = Settings(**values, sources=sources, files=files, lying_here=lying_here)
    _check(settings)
    return settings


def _file(environ: Mapping[str, str]) -> tuple[dict[str, Any], str]:
    """The contents and name of horae.toml; nothing if there is none."""
    given = environ.get(PREFIX + "CONFIG")
    path = Path(given) if given else Path("horae.toml")
    try:
        with path.open(encoding="utf-8") as file:
            if not given:
                _refuse_another_user_s(file.fileno())
            found = tomllib.loads(file.read())
    except FileNotFoundError:
        if given:
            raise ConfigurationError(f"{PREFIX}CONFIG: there is no file {path}") from None
        return {}, ""
    except OSError as error:
        raise ConfigurationError(f"cannot read the settings in {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} is not valid TOML: {error}") from None
    known = [f.name for f in _named()] + [name + FILE for name in _BY_FILE]
    for key in found:
        if key not in known:
            hint = kinds.closest(key, known)
            raise ConfigurationError(
                f"{path}: there is no setting {key!r}" + (f"; did you mean {hint!r}?" if hint else "")
            )
    return found, path.name


def _refuse_another_user_s(descriptor: int) -> None:
    """The file decides whose code is imported and which database is used: in /tmp, or wherever others can write, it is
    not ours just because we stand beside it."""
    found = os.fstat(descriptor)
    if found.st_uid not in (0, os.geteuid()):
        why = "belongs to another user"
    elif found.st_mode & 0o002:
        why = "can be changed by every user of this machine"
    else:
        return
    raise ConfigurationError(
        f"the horae.toml in this directory {why}: remove it, or set {PREFIX}CONFIG=horae.toml if you trust it"
    )


def _named() -> list[Field[Any]]:
    """The fields that are settings."""
    return [f for f in fields(Settings) if "read" in f.metadata]


def _named_file(
    name: str, environ: Mapping[str, str], toml: Mapping[str, Any], toml_name: str
) -> tuple[str, Path] | None:
    """How the file is named that holds a setting, and its path; None if its value is not in a file."""
    variable = PREFIX + name.upper()
    if path := environ.get(variable + FILE.upper(), ""):
        if environ.get(variable):
            raise ConfigurationError(f"{variable} and {variable}{FILE.upper()} are both set: keep one of them")
        return variable + FILE.upper(), Path(path)
    if name + FILE not in toml or environ.get(variable):
        return None
    if name in toml:
        raise ConfigurationError(f"{toml_name} has both {name} and {name}{FILE}: keep one of them")
    path = toml[name + FILE]
    if not isinstance(path, str) or not path:
        raise ConfigurationError(f"{name}{FILE} in {toml_name} must be a path")
    return f"{name}{FILE} in {toml_name}", Path(path)


def _read_file(label: str, path: Path, read: Callable[[Any], Any]) -> Any:
    """The setting that a file holds, without the line's end."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(_LONGEST)
    except OSError as error:
        raise ConfigurationError(f"{label}: cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{label}: {path} is not text") from None
    try:
        return read(text.rstrip("\r\n"))
    except ValueError as error:
        raise ConfigurationError(f"{label}: what is in {path} {error}") from None


def service_manager() -> tuple[str | None, float | None]:
    """Where systemd listens for news of this process, and the seconds after which it would end a silent one."""
    address, micros = (os.environ.get(variable, "") for variable in SERVICE_MANAGER)
    return address or None, int(micros) / 1e6 if micros.isdigit() and int(micros) else None


def open_files(settings: Settings) -> list[str]:
    """Files with keys that any user of this machine can read, or change, each with the setting that names it."""
    found = []
    for path in settings.files.values():
        try:
            mode = path.stat().st_mode
        except OSError:  # it was there a moment ago, when it was read
            continue
        if mode & 0o007:
            found.append(f"{path} can be {'changed' if mode & 0o002 else 'read'} by every user of this machine")
    return found


def _resolve(values: dict[str, Any], sources: dict[str, str], environ: Mapping[str, str], *, up: bool) -> None:
    """Fills in the defaults that depend on the machine or on other settings."""
    if sources["data_dir"] == "default":
        # In the home directory, not the working directory: jobs must not seem to vanish, nor the command line lose its
        # token, because the working directory changed. `horae up` prints where it is; removing it removes everything.
        base = environ.get("XDG_DATA_HOME") or str(Path("~/.local/share").expanduser())
        values["data_dir"] = Path(base) / "horae"
    if sources["database_url"] == "default":
        values["database_url"] = "sqlite:///" + str(values["data_dir"] / "horae.db")
    if up and sources["public_url"] == "default":
        values["public_url"] = local_url(values["host"], values["port"])
    if up and sources["secret_key"] == "default":
        values["secret_key"] = _kept_key(values["data_dir"])
        sources["secret_key"] = f"{SECRET_FILE} in the data directory"


def _kept_key(data_dir: Path) -> str:
    """The key that `horae up` made the first time, readable by its owner only."""
    Settings(data_dir=data_dir).make_data_dir()
    path = data_dir / SECRET_FILE
    try:
        with suppress(FileExistsError):
            create_private(path, secrets.token_hex(32) + "\n")
        return kinds.secret_key(path.read_text(encoding="ascii").strip())
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"the key in {path} cannot be used ({error}): restore it, or remove it") from None


def _check(settings: Settings) -> None:
    """What must hold between settings."""
    if settings.lease < 3 * settings.heartbeat:
        raise ConfigurationError(
            f"{PREFIX}LEASE ({kinds.show(settings.lease)}s) must be at least three times {PREFIX}HEARTBEAT "
            f"({kinds.show(settings.heartbeat)}s): one late heartbeat must not cost a lease"
        )
    if settings.worker_poll > settings.worker_poll_max:
        raise ConfigurationError(f"{PREFIX}WORKER_POLL must not exceed {PREFIX}WORKER_POLL_MAX")
    _check_sign_in(settings)
    if "celery" in (settings.engine, *settings.engines.values()):
        # Known but not implemented yet: better refused than ignored.
        raise ConfigurationError(f"{PREFIX}ENGINE=celery comes with a later version; leave it at `database`")


def _check_sign_in(settings: Settings) -> None:
    """There is a way in, and single sign-on has all that it needs."""
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


def private_places(settings: Settings) -> tuple[list[Path], list[Path]]:
    """Folders and files of this machine that are Horae's own and hold keys, tokens or other projects' data."""
    login = login_file()
    system = list(Path("/etc").glob("horae*"))
    folders = [settings.data_dir, login.parent, settings.artifact_cache or user_cache() / "artifacts"]
    named = os.environ.get(PREFIX + "CONFIG")
    files = [login, *settings.files.values(), Path(named or "horae.toml").absolute()]
    if settings.container_host:
        files.append(Path(settings.container_host.removeprefix("unix://")))
    if settings.database_url.startswith("sqlite:"):
        database = settings.database_url.removeprefix("sqlite:///")
        files += [Path(database + suffix) for suffix in ("", "-wal", "-shm")]
        folders.append(Path(database).parent / "wake")
    return [*folders, *(path for path in system if path.is_dir())], [*files, *(p for p in system if not p.is_dir())]


def user_cache() -> Path:
    """Where this user's programs keep what they can fetch again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "horae"


def login_file() -> Path:
    """Where `horae login` stores the command line's session."""
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path("~/.config").expanduser())
    return Path(base) / "horae" / "login.json"


def process_environment() -> Mapping[str, str]:
    """The environment as it is, for code that passes parts of it on."""
    return os.environ


def secret_variables() -> frozenset[str]:
    """The environment variables that only Horae may see; user code gets only the client's address and token."""
    return frozenset(PREFIX + f.name.upper() for f in _named() if f.metadata.get("secret")) - {PREFIX + "TOKEN"}
