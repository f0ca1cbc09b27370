"""Connections to the broker, by kombu as in Celery: RabbitMQ or Redis, with TLS and passwords from the URL."""

from __future__ import annotations

import re
import ssl
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from horae.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from kombu.connection import Connection
    from kombu.entity import Queue

MAX_PRIORITY = 10  # of a queue of RabbitMQ; priorities are 0 to 9
PATIENCE = 5.0  # seconds for an answer of the broker
_HEARTBEAT = 10  # seconds
_SEPARATOR = "\x06\x16"  # between a queue and a priority, in kombu's names of lists
_UNTRUSTED = "CERTIFICATE_VERIFY_FAILED"
_PASSWORD = re.compile(r"(?<=://)[^/@\s]*@")
REDIS_OPTIONS: dict[str, Any] = {
    "priority_steps": list(range(10)),  # each priority has its own list; the first of them comes first
    "socket_keepalive": True,
    "health_check_interval": _HEARTBEAT,
    "socket_connect_timeout": PATIENCE,
    "socket_timeout": 2 * PATIENCE,
}
AMQP_OPTIONS: dict[str, Any] = {"read_timeout": 2 * PATIENCE, "write_timeout": 2 * PATIENCE}


class Broker:
    """Connects to one broker. `who` needs it, as messages say."""

    def __init__(self, url: str, who: str = "HORAE_BROKER_URL") -> None:
        require_celery(who)
        self._url = url
        self.redis = url.startswith("redis")
        parts = urlsplit(url)
        self.address = f"{parts.scheme}://{parts.hostname}:{parts.port}" if parts.port else parts.hostname or ""

    @property
    def options(self) -> dict[str, Any]:
        return dict(REDIS_OPTIONS if self.redis else AMQP_OPTIONS)

    @property
    def tls(self) -> dict[str, Any] | None:
        """The server's certificate is verified, against the machine's authorities or SSL_CERT_FILE."""
        host = urlsplit(self._url).hostname
        if self._url.startswith("rediss:"):
            return {"ssl_cert_reqs": ssl.CERT_REQUIRED, "ssl_check_hostname": True}
        if self._url.startswith("amqps:"):
            return {"cert_reqs": ssl.CERT_REQUIRED, "server_hostname": host}
        return None

    def connect(self) -> Connection:
        """An established connection, or one of `errors`."""
        from kombu.connection import Connection

        connection = Connection(
            self._url,
            ssl=self.tls,
            heartbeat=0 if self.redis else _HEARTBEAT,
            connect_timeout=PATIENCE,
            transport_options=self.options,
        )
        try:
            connection.connect()
        except BaseException:
            connection.release()
            raise
        return connection

    def queue(self, name: str) -> Queue:
        """Durable and with priorities; published to by its name."""
        from kombu.entity import Queue

        arguments = {} if self.redis else {"x-max-priority": MAX_PRIORITY}
        return Queue(name, durable=True, queue_arguments=arguments)

    def redis_client(self) -> Any:
        """A connection of redis-py, for what kombu does one by one."""
        from redis import Redis

        return Redis.from_url(
            self._url,
            socket_connect_timeout=PATIENCE,
            socket_timeout=2 * PATIENCE,
            socket_keepalive=True,
            health_check_interval=_HEARTBEAT,
            **(self.tls or {}),
        )

    def redis_key(self, name: str, priority: int) -> str:
        """The list of a queue and a priority, as kombu names it."""
        step = self.priority(priority)
        return f"{name}{_SEPARATOR}{step}" if step else name

    def priority(self, priority: int) -> int:
        """As the broker counts: with kombu's Redis, 0 comes first."""
        return 9 - priority if self.redis else priority


def require_celery(who: str = "HORAE_BROKER_URL") -> None:
    try:
        import celery  # noqa: F401
        import kombu  # noqa: F401
    except ModuleNotFoundError as error:
        raise ConfigurationError(f"{who} needs Celery ({error.name} is missing): pip install 'horae[celery]'") from None


def reason(error: BaseException) -> str:
    """Why the broker cannot be used, in one line and without the password of a URL."""
    if _UNTRUSTED in _told(error):
        return "its certificate is not trusted: SSL_CERT_FILE must name its authority, and the URL its host"
    text = next(iter(str(error).strip().splitlines()), "") or type(error).__name__
    return _PASSWORD.sub("***@", text)[:200]


def _told(error: BaseException | None) -> str:
    """With what it was caused by: libraries wrap it."""
    text = ""
    while error is not None:
        text += f"{error}\n"
        error = error.__cause__ or error.__context__
    return text
