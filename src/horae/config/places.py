"""Where Horae keeps its files on this machine, and which of them are private."""

from __future__ import annotations

import os
from pathlib import Path

from horae.config.settings import PREFIX, Settings


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
    """This user's cache directory."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "horae"


def login_file() -> Path:
    """Where `horae login` stores the command line's session."""
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path("~/.config").expanduser())
    return Path(base) / "horae" / "login.json"
