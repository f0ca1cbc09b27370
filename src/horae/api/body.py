"""Reading untrusted JSON bodies: bounded in size, unambiguous, and without values that a database or a reader cannot
handle."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections import Counter
from collections.abc import Collection
from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError

from horae.api.errors import Malformed, TooLarge, TooSlow, WrongMediaType, invalid_body
from horae.domain.errors import InvalidInput
from horae.domain.targets.templates import parse_ahead
from horae.domain.text.validation_text import field_name

MAX_BYTES = 1 << 20
MAX_DEPTH = 32
PATIENCE = 30.0  # seconds for a whole body: a slow client must not keep its place forever
_SHORT = 4_096  # bytes of a body that is always quick to parse
_UNFIT = re.compile("[\x00\ud800-\udfff]")
_MODELS: dict[str, type[BaseModel]] = {}

M = TypeVar("M", bound=BaseModel)


async def read_bytes(request: Request) -> bytes:
    """The body, refused as soon as it exceeds the limit, regardless of Content-Length."""
    declared = request.headers.get("content-length", "0")
    if declared.isdigit() and int(declared[:20]) > MAX_BYTES:
        raise TooLarge
    chunks, total = [], 0
    try:
        async with asyncio.timeout(PATIENCE):
            async for chunk in request.stream():
                total += len(chunk)
                if total > MAX_BYTES:
                    raise TooLarge
                chunks.append(chunk)
    except TimeoutError:
        raise TooSlow from None
    return b"".join(chunks)


async def read_object(request: Request, *, merge: bool = False) -> dict[str, Any]:
    """The body as a JSON object; an empty body is an empty object."""
    raw = await read_bytes(request)
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if raw and media != "application/json" and not (merge and media == "application/merge-patch+json"):
        raise WrongMediaType
    value = parse(raw) if raw.strip() else {}
    if not isinstance(value, dict):
        raise InvalidInput("", "the body must be a JSON object")
    if len(raw) > _SHORT and "target" in value:
        # Many templates take a tenth of a second, in which other requests wait.
        await asyncio.to_thread(parse_ahead, value["target"])
    return value


async def read_patch(request: Request, read_only: Collection[str]) -> dict[str, Any]:
    """A JSON merge patch. A caller that names a read-only field intends to change it, and is refused."""
    patch = await read_object(request, merge=True)
    for name in patch:
        if name in read_only:
            raise InvalidInput(name, "is read-only")
    return patch


async def read_model(request: Request, model: type[M]) -> M:
    return validate(model, await read_object(request))


def validate(model: type[M], value: dict[str, Any]) -> M:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise invalid_body(error) from None


def parse(raw: bytes) -> Any:
    try:
        value = _loaded(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise Malformed("the body is not UTF-8 text") from None
    except RecursionError:
        raise InvalidInput("", f"the body is nested deeper than {MAX_DEPTH} levels") from None
    except json.JSONDecodeError as error:
        raise Malformed(f"the body is not valid JSON: {error.msg} at line {error.lineno}") from None
    _inspect(value, None, 1)
    return value


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a number with thousands of digits: read as infinity, it is refused with its path
        return json.loads(text, object_pairs_hook=_unique, parse_int=float)


class _Ambiguous(dict[str, Any]):
    """An object that names a field twice."""

    twice: str


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    ambiguous = _Ambiguous(found)
    ambiguous.twice = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
    return ambiguous


Path = tuple[Any, str | int] | None  # the path to the parent, and the last step: joined only when needed


def _inspect(value: Any, path: Path, depth: int) -> None:
    """Refuses values that would fail later, and says where they are."""
    if isinstance(value, str):
        if _UNFIT.search(value):
            raise InvalidInput(_shown(path), "must not contain NUL or lone surrogates")
    elif isinstance(value, int | float):
        # `1e400` reads as infinity; wider integers than 64 bits cannot be written by every JSON library.
        if not (-(1 << 63) <= value < 1 << 63 if isinstance(value, int) else math.isfinite(value)):
            raise InvalidInput(_shown(path), "is out of range" if value == value else "must be a number, not NaN")
    elif isinstance(value, dict | list):
        if isinstance(value, _Ambiguous):
            raise InvalidInput(_shown((path, value.twice)), "is given twice")
        if depth > MAX_DEPTH:
            raise InvalidInput(_shown(path), f"is nested deeper than {MAX_DEPTH} levels")
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(step, str) and _UNFIT.search(step):
                raise InvalidInput(_shown(path), "has a field whose name contains NUL or lone surrogates")
            _inspect(inner, (path, step), depth + 1)


def _shown(path: Path) -> str:
    steps: list[str | int] = []
    while path is not None:
        path, step = path
        steps.append(step)
    return field_name(steps[::-1])


def takes(model: type[BaseModel], *, required: bool = True, merge: bool = False) -> dict[str, Any]:
    """The OpenAPI description of a body that a route reads itself (after authentication)."""
    _MODELS[model.__name__] = model
    schema = {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}
    content = {"application/json": schema}
    if merge:
        content["application/merge-patch+json"] = schema
    return {"requestBody": {"required": required, "content": content}}


def described_models() -> list[type[BaseModel]]:
    return list(_MODELS.values())
