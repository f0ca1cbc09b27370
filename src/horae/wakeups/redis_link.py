"""A connection to Redis: without retries, and with no reply longer than a hint may be."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from redis._parsers import _AsyncRESP2Parser
from redis.asyncio.connection import Connection, SSLConnection
from redis.exceptions import AuthenticationError, NoPermissionError, ResponseError

from horae.wakeups.incoming import MESSAGE_LIMIT

CONNECT_TIMEOUT = 3.0
COMMAND_TIMEOUT = 5.0
PORT = 6379
_CHUNK = 65_536

Command = tuple[str | bytes, ...]
REFUSALS = (AuthenticationError, NoPermissionError)


class _BoundedParser(_AsyncRESP2Parser):
    """A message that is too long is read and dropped: it would be held in memory, up to 512 MiB of it."""

    async def _read(self, length: int) -> bytes:
        if length <= MESSAGE_LIMIT:
            found: bytes = await super()._read(length)
            return found
        assert self._stream is not None
        left = length + 2  # with its CRLF
        while left:
            chunk = await self._stream.read(min(left, _CHUNK))
            if not chunk:
                raise ConnectionError("closed by the server")
            left -= len(chunk)
        self._pos += length + 2
        return b""


class RedisLink:
    """For RESP2, which every version and every compatible server speaks. A connection that has subscribed takes no
    other commands there: use another link for those."""

    def __init__(self, options: dict[str, Any]) -> None:
        kind = SSLConnection if "ssl_cert_reqs" in options else Connection
        self._connection = kind(
            protocol=2,
            parser_class=_BoundedParser,
            socket_connect_timeout=CONNECT_TIMEOUT,
            socket_timeout=None,
            socket_keepalive=True,
            **options,
        )

    async def open(self) -> None:
        async with asyncio.timeout(COMMAND_TIMEOUT):
            await self._connection.connect()

    async def ask(self, commands: Sequence[Command]) -> list[Any]:
        """The replies, in order. Raises the first error reply, after the others were read."""
        replies: list[Any] = []
        refusal: Exception | None = None
        async with asyncio.timeout(COMMAND_TIMEOUT):
            await self._connection.send_packed_command(self._connection.pack_commands(commands), check_health=False)
            for _ in commands:
                try:
                    replies.append(await self._connection.read_response())
                except ResponseError as error:
                    refusal = refusal or error
        if refusal:
            raise refusal
        return replies

    async def read(self) -> Any:
        """The next message; waits for it as long as it takes."""
        return await self._connection.read_response()

    async def close(self) -> None:
        await self._connection.disconnect(nowait=True)


def options_of(url: str) -> tuple[dict[str, Any], list[str]]:
    """What a link needs to know of a URL that `config.addresses.redis_url` accepted, and the texts that must never be
    shown. The database's number is not among them: Pub/Sub ignores it, and a user may not be allowed to select."""
    parts = urlsplit(url)
    user, password = unquote(parts.username or "") or None, unquote(parts.password or "") or None
    options: dict[str, Any] = {
        "host": parts.hostname,
        "port": parts.port or PORT,
        "username": user,
        "password": password,
    }
    if parts.scheme == "rediss":
        given = dict(parse_qsl(parts.query))
        verified = given.get("ssl_cert_reqs", "required") == "required"
        options |= {"ssl_cert_reqs": "required", "ssl_check_hostname": verified, **given}
        if isinstance(checked := options["ssl_check_hostname"], str):
            options["ssl_check_hostname"] = checked.lower() in ("true", "yes", "1")
    return options, [text for text in (parts.password, password) if text]
