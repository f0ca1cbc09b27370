"""Bodies of agents: larger than those of other callers, and often compressed."""

from __future__ import annotations

import asyncio
import zlib
from typing import TypeVar

from fastapi import Request
from pydantic import BaseModel

from horae.api.body import PATIENCE, parse, validate
from horae.api.errors import Malformed, TooLarge, TooSlow, WrongMediaType
from horae.domain.errors import InvalidInput

LARGEST = 16 << 20  # bytes after decompression

M = TypeVar("M", bound=BaseModel)


async def read_worker_model(request: Request, model: type[M]) -> M:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise WrongMediaType
    value = parse(await _read(request))
    if not isinstance(value, dict):
        raise InvalidInput("", "the body must be a JSON object")
    return validate(model, value)


async def _read(request: Request) -> bytes:
    coding = request.headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("identity", "gzip"):
        raise Malformed("Content-Encoding must be gzip, or missing")
    unpack = zlib.decompressobj(wbits=31) if coding == "gzip" else None
    chunks, total = [], 0
    try:
        async with asyncio.timeout(PATIENCE):
            async for chunk in request.stream():
                data = chunk if unpack is None else unpack.decompress(chunk, LARGEST - total + 1)
                total += len(data)
                if total > LARGEST or (unpack is not None and unpack.unconsumed_tail):
                    raise TooLarge
                chunks.append(data)
    except TimeoutError:
        raise TooSlow from None
    except zlib.error:
        raise Malformed("the body is not gzip") from None
    if unpack is not None and not unpack.eof:
        raise Malformed("the body is not complete gzip")
    return b"".join(chunks)
