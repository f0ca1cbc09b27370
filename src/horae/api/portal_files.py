"""The built portal in memory: each file, its compressed variants, and their headers.

Only names that were found are ever looked up, so there is no path traversal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

BUILT = Path(str(files("horae"))) / "portal_build"
INDEX = "/index.html"
HASHED = "/assets/"  # names there change with their content
ENCODINGS = {".br": "br", ".gz": "gzip"}  # the better one first

_FOR_EVER = "public, max-age=31536000, immutable"
_ASK_FIRST = "no-cache"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
# Nothing inline, nothing from other origins, no form that a browser submits itself. Small images may be in the style
# sheet.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Variant:
    """What goes over the wire."""

    encoding: str | None
    etag: str
    headers: Headers
    body: bytes


@dataclass(frozen=True, slots=True)
class File:
    """The last variant is the file itself; those before it are compressed, the smallest first."""

    variants: tuple[Variant, ...]

    def best(self, accepted: str) -> Variant:
        """For a client that sent this as `Accept-Encoding`."""
        taken = _taken(accepted)
        return next(one for one in self.variants if one.encoding is None or one.encoding in taken)


def built(folder: Path = BUILT) -> bool:
    return (folder / INDEX[1:]).is_file()


def read(folder: Path) -> dict[str, File]:
    """By path, `/index.html` first of all; empty if there is no build."""
    if not built(folder):
        return {}
    found = {}
    for path in _originals(folder):
        with suppress(FileNotFoundError):  # of the build before this one, just removed
            name = f"/{path.relative_to(folder).as_posix()}"
            found[name] = _file(name, path)
    return found


def _originals(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and path.suffix not in ENCODINGS and not hidden:
            yield path


def _file(name: str, path: Path) -> File:
    body = path.read_bytes()
    digest = hashlib.sha256(body).hexdigest()[:20]
    made = [
        _variant(name, digest, encoding, compressed.read_bytes())
        for suffix, encoding in ENCODINGS.items()
        if (compressed := path.with_name(path.name + suffix)).is_file()
    ]
    return File((*made, _variant(name, digest, None, body)))


def _variant(name: str, digest: str, encoding: str | None, body: bytes) -> Variant:
    etag = f'"{digest}-{encoding}"' if encoding else f'"{digest}"'
    headers = {
        "content-type": _TYPES.get(Path(name).suffix, "application/octet-stream"),
        "cache-control": _FOR_EVER if name.startswith(HASHED) else _ASK_FIRST,
        "etag": etag,
        "vary": "Accept-Encoding",
    }
    if encoding:
        headers["content-encoding"] = encoding
    if name == INDEX:
        headers |= {"content-security-policy": _POLICY, "cross-origin-opener-policy": "same-origin"}
    return Variant(encoding, etag, [(key.encode(), value.encode()) for key, value in headers.items()], body)


def _taken(accepted: str) -> set[str]:
    """Encodings that a client accepts; not those with `q=0`."""
    found = set()
    for part in accepted.lower().split(","):
        name, _, weight = part.partition(";")
        if weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000"):
            found.add(name.strip())
    return found
