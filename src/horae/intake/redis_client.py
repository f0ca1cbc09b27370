"""Connections to Redis, and its errors in our words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, ConnectionError, RedisError, TimeoutError

from horae.domain.errors import BrokerUnavailable
from horae.intake.address import Address
from horae.intake.source import BrokerRefused

_PATIENCE = 10.0  # seconds for an answer; blocking commands wait for less


def client_for(address: Address) -> Redis:
    tls: dict[str, Any] = {"ssl_cert_reqs": "required", "ssl_ca_certs": address.ca} if address.tls else {}
    return Redis.from_url(
        address.url,
        socket_timeout=_PATIENCE,
        socket_connect_timeout=_PATIENCE,
        socket_keepalive=True,
        retry=Retry(NoBackoff(), 0),  # the intake itself connects again
        client_name="horae-intake",
        **tls,
    )


@contextmanager
def in_our_words() -> Iterator[None]:
    try:
        yield
    except AuthenticationError as error:
        raise BrokerRefused(f"Redis refuses the connection: {error}") from None
    except (ConnectionError, TimeoutError, OSError) as error:
        raise BrokerUnavailable(f"Redis cannot be reached: {error}") from None
    except RedisError as error:
        raise BrokerRefused(f"Redis refuses: {error}") from None
