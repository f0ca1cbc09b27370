"""A connection to the broker of a Celery app, re-established when it is found dead. Blocking, for one thread."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

from horae.domain.errors import BrokerUnavailable
from horae.executors.failure import in_words

PATIENCE = 5.0  # seconds for an answer of the broker
_IDLE = 10.0  # seconds after which a connection is not trusted any more: a new one costs milliseconds
_OPTIONS: dict[str, dict[str, Any]] = {
    "redis": {"socket_connect_timeout": PATIENCE, "socket_timeout": 2 * PATIENCE, "socket_keepalive": True},
    "amqp": {"confirm_publish": True, "read_timeout": 2 * PATIENCE, "write_timeout": 2 * PATIENCE},
}


def limit_waiting(app: Any) -> None:
    """Calls of this process to broker and backend fail rather than wait for long. The app's own options come first."""
    conf = app.conf
    options = _OPTIONS.get(app.connection_for_write().transport.driver_type, {})
    conf.broker_transport_options = {**options, **conf.broker_transport_options}
    conf.broker_connection_timeout = min(conf.broker_connection_timeout or PATIENCE, PATIENCE)
    conf.redis_socket_timeout = min(conf.redis_socket_timeout or PATIENCE, PATIENCE)
    conf.redis_socket_connect_timeout = min(conf.redis_socket_connect_timeout or PATIENCE, PATIENCE)


class CeleryLink:
    def __init__(self, app: Any) -> None:
        self._app = app
        self._connection: Any = None
        self._used_at = 0.0

    def connected(self) -> Any:
        """A connection that answered a moment ago. Raises BrokerUnavailable: nothing was sent."""
        now = time.monotonic()
        if self._connection is not None and (now - self._used_at > _IDLE or not self._answers()):
            self.drop()
        if self._connection is None:
            self._connection = self._connect()
        self._used_at = time.monotonic()
        return self._connection

    def drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):
                connection.collect(socket_timeout=PATIENCE)

    def _connect(self) -> Any:
        connection = self._app.connection_for_write()
        try:
            connection.connect()
            _ = connection.default_channel  # of Redis: only now it connects
        except Exception as error:
            with suppress(Exception):
                connection.collect(socket_timeout=PATIENCE)
            raise BrokerUnavailable(f"the broker of the Celery app is unreachable: {in_words(error)}") from error
        return connection

    def _answers(self) -> bool:
        try:
            if self._connection.transport.driver_type == "redis":
                self._connection.default_channel.client.ping()
            elif self._connection.transport.driver_type == "amqp":
                self._connection.drain_events(timeout=0.001)
        except TimeoutError:  # nothing to read: it is open
            return True
        except Exception:
            return False
        return True
