"""Downloads an archive with fsspec into a file, within a size limit, and verifies its digest.

Credentials and endpoints come from the worker's environment, as fsspec and the libraries behind it read them, never
from a definition.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

from horae.executors.failure import Refused, in_words, one_line

_CHUNK = 1 << 20
# A store that does not answer must not use up its library's default timeouts.
_OPTIONS: dict[str, dict[str, Any]] = {
    "s3": {"config_kwargs": {"connect_timeout": 10, "read_timeout": 60, "retries": {"max_attempts": 2}}},
}
# Errors that the storage libraries do not report as PermissionError.
_NOT_ALLOWED = ("NoCredentialsError", "PartialCredentialsError", "ProfileNotFound", "DefaultCredentialsError")


class Unavailable(Exception):
    """The storage cannot be read right now; the message says why."""


def download(
    uri: str, target: Path, *, digest: str, limit: int, schemes: Sequence[str], folders: Sequence[str]
) -> None:
    """Raises Refused if another try would not help, otherwise Unavailable. Local files are read only from `folders`:
    the digest of any other file would reveal its content."""
    scheme = uri.partition("://")[0]
    if scheme not in schemes:
        raise Refused(f"this worker does not download archives from {scheme}:// (HORAE_ARTIFACT_SCHEMES)")
    begun = False
    try:
        system, path = _place(uri, folders)
        with system.open(path, "rb") as source, target.open("xb") as file:
            begun = True
            found = _copy(source, file, limit)
    except Refused:
        raise
    except FileNotFoundError:
        raise Refused(f"there is no archive at {uri}") from None
    except (PermissionError, IsADirectoryError) as error:
        raise Refused(f"the archive at {uri} cannot be read: {error.strerror or one_line(str(error))}") from None
    except (ImportError, ValueError) as error:
        raise Refused(f"this worker cannot fetch {uri}: {one_line(str(error))}") from None
    except Exception as error:  # each library has its own
        if type(error).__name__ in _NOT_ALLOWED:
            raise Refused(f"this worker has no credentials to read {uri}: {one_line(str(error))}") from None
        if not begun:  # its library has tried more than once
            raise Refused(f"the storage of {uri} cannot be reached: {in_words(error)}") from None
        raise Unavailable(f"the archive at {uri} cannot be fetched now: {in_words(error)}") from None
    if found != digest.partition(":")[2]:
        raise Refused(f"the archive at {uri} has the digest sha256:{found}, not the one in the job")


def _place(uri: str, folders: Sequence[str]) -> tuple[Any, str]:
    options = _OPTIONS.get(uri.partition("://")[0], {})
    system, path = fsspec.core.url_to_fs(uri, skip_instance_cache=True, **options)
    return system, _allowed(path, folders) if isinstance(system, LocalFileSystem) else path


def _allowed(path: str, folders: Sequence[str]) -> str:
    """The file with its links resolved: the real path must be allowed."""
    real = os.path.realpath(path)
    if not any(Path(real).is_relative_to(os.path.realpath(folder)) for folder in folders):
        raise Refused(f"this worker does not read archives from {path} (HORAE_ARTIFACT_FOLDERS)")
    return real


def _copy(source: IO[bytes], file: IO[bytes], limit: int) -> str:
    seen, size = hashlib.sha256(), 0
    while chunk := source.read(_CHUNK):
        size += len(chunk)
        if size > limit:
            raise Refused(f"the archive is larger than {limit:,} bytes (HORAE_ARTIFACT_LIMIT)")
        seen.update(chunk)
        file.write(chunk)
    return seen.hexdigest()
