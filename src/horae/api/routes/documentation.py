"""`/docs`: the API description as a page. Everything is served from here; nothing is loaded from other hosts."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fastapi import APIRouter, Depends, Response

from horae.api.auth import public

router = APIRouter(dependencies=[Depends(public)], include_in_schema=False)

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@router.get("/docs")
async def page() -> Response:
    return Response(_file("docs.html"), 200, {"content-security-policy": _POLICY}, media_type="text/html")


@router.get("/docs/docs.js")
async def script() -> Response:
    return Response(_file("docs.js"), media_type="text/javascript")


@router.get("/docs/docs.css")
async def style() -> Response:
    return Response(_file("docs.css"), media_type="text/css")


@cache
def _file(name: str) -> bytes:
    return (files("horae.api") / "static" / name).read_bytes()
