"""CORS: closed to other origins, except those that a setting names. A page there needs its own token; cookies are
never accepted from it, so it cannot use a user's session (CSRF)."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_READ = (
    "Authorization",
    "Content-Type",
    "Horae-Client",
    "Horae-Project",
    "Idempotency-Key",
    "If-Match",
    "Last-Event-ID",
    "X-Request-Id",
)
_EXPOSED = ("ETag", "Location", "Retry-After", "Idempotency-Replayed", "X-Request-Id", "WWW-Authenticate")


def install(app: FastAPI, origins: Sequence[str]) -> None:
    if origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=origins,
            allow_methods=_METHODS,
            allow_headers=_READ,
            expose_headers=_EXPOSED,
            allow_credentials=False,
            max_age=600,
        )
