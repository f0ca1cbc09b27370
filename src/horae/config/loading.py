"""Reads the settings: from command-line options, the environment (`HORAE_PORT`), `horae.toml` (`port = 8080`) or files
that hold one value each; otherwise the default."""

from __future__ import annotations

import os
import secrets
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from horae.config import kinds
from horae.config.check import check
from horae.config.settings import PREFIX, Settings, setting_fields
from horae.domain.errors import ConfigurationError
from horae.domain.loopback import local_url
from horae.private_file import create_private

SECRET_FILE = "secret.key"
FILE = "_file"  # suffix of a setting whose value may also be in a file
_BY_FILE = ("database_url", "secret_key", "secret_key_previous", "oidc_client_secret", "smtp_url")
_LONGEST = 65_536  # characters of such a file


def load(
    environ: Mapping[str, str] | None = None, *, up: bool = False, overrides: Mapping[str, Any] | None = None
) -> Settings:
    """Reads and checks all settings. With `up`, the defaults are those of `horae up`, whose secret key is
    generated and stored in the data directory. `overrides` are command-line options, by setting name."""
    environ = os.environ if environ is None else environ
    toml, toml_name = _file(environ)
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    files: dict[str, Path] = {}
    for f in setting_fields():
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
    check(settings)
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
    known = [f.name for f in setting_fields()] + [name + FILE for name in _BY_FILE]
    for key in found:
        if key not in known:
            hint = kinds.closest(key, known)
            raise ConfigurationError(
                f"{path}: there is no setting {key!r}" + (f"; did you mean {hint!r}?" if hint else "")
            )
    return found, path.name


def _refuse_another_user_s(descriptor: int) -> None:
    """The file decides whose code is imported and which database is used: in /tmp, or wherever others can write, it is
    not trusted just because it is in the working directory."""
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


def _named_file(
    name: str, environ: Mapping[str, str], toml: Mapping[str, Any], toml_name: str
) -> tuple[str, Path] | None:
    """The name of the option that points to a setting's file, and the path; None if its value is not in a file."""
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
    """The value in a file, without the trailing line break."""
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
    """The key that `horae up` generated on its first start, readable by its owner only."""
    Settings(data_dir=data_dir).make_data_dir()
    path = data_dir / SECRET_FILE
    try:
        with suppress(FileExistsError):
            create_private(path, secrets.token_hex(32) + "\n")
        return kinds.secret_key(path.read_text(encoding="ascii").strip())
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"the key in {path} cannot be used ({error}): restore it, or remove it") from None
