"""A Celery app as seen from outside: sends its tasks, looks up their results, revokes them. Blocking; each of these is
called from one thread at a time (executors/celery_app.py)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from amqp.exceptions import MessageNacked
from kombu.exceptions import EncodeError

from horae.domain.errors import BrokerUnavailable
from horae.domain.jobs.function import FunctionSign
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.remote_task import RemoteWork, Sighting
from horae.domain.targets import CeleryTarget
from horae.executors.celery_answer import sighting_of
from horae.executors.celery_call import TaskCall, call_of
from horae.executors.celery_link import CeleryLink, limit_waiting
from horae.executors.celery_tasks import signs_of
from horae.executors.failure import Refused, failed, in_words, refused

SKEW = 60.0  # seconds by which clocks of Celery's workers may differ before a task expires too early
_AT_ONCE, _ONE_BY_ONE = 2_000, 100  # tasks of one look, and of a backend that looks up one at a time
_ANSWERS = 2.0  # seconds for the workers to answer
_OF_TASK = ("queue", "exchange", "routing_key", "priority")


class CeleryClient:
    """`imported`: the app knows its tasks, queues and routes. Otherwise it is only two URLs."""

    def __init__(self, app: Any, *, imported: bool) -> None:
        self._app, self._imported = app, imported
        limit_waiting(app)
        self._sending, self._revoking, self._seeking = CeleryLink(app), CeleryLink(app), CeleryLink(app)
        self.name = _name(app)

    @property
    def untrackable(self) -> str | None:
        """Why the end of a task cannot be seen."""
        from celery.backends.base import DisabledBackend
        from celery.backends.rpc import RPCBackend

        backend = self._app.backend
        if isinstance(backend, DisabledBackend):
            return "the Celery app has no result backend, so the end of its tasks cannot be seen: set result_backend"
        if isinstance(backend, RPCBackend):
            return "the Celery app has the result backend rpc://, which only the sender can read: set another one"
        if backend.serializer != "json":
            return f"the Celery app stores results as {backend.serializer}: set result_serializer to json"
        return None

    @property
    def at_once(self) -> int:
        """Those beyond it would not be looked up at all, and be found lost at their deadline."""
        from celery.backends.base import BaseKeyValueStoreBackend

        kind = type(self._app.backend)
        many = issubclass(kind, BaseKeyValueStoreBackend) and kind.mget is not BaseKeyValueStoreBackend.mget
        return _AT_ONCE if many else _ONE_BY_ONE

    def functions(self) -> tuple[FunctionSign, ...]:
        """Its tasks, to be registered; none if only its URLs are known."""
        return signs_of(self._app.tasks) if self._imported else ()

    # Sending

    def send(self, work: Sequence[RemoteWork]) -> list[Outcome | None]:
        """For each: None if it was sent or may have been, else why it was not."""
        outcomes: list[Outcome | None] = []
        away: BrokerUnavailable | None = None
        for one in work:
            if away is not None:
                outcomes.append(failed(str(away)))
                continue
            try:
                outcomes.append(self._send(one))
            except BrokerUnavailable as error:
                away = error
                outcomes.append(failed(str(error)))
            except Exception as error:
                # Such as a connection that broke while the message was on its way: it may have arrived.
                self._sending.drop()
                away = BrokerUnavailable(f"the broker of the Celery app is unreachable: {in_words(error)}")
                outcomes.append(None)
        return outcomes

    def _send(self, work: RemoteWork) -> Outcome | None:
        if work.job.fault is not None or not isinstance(work.job.target, CeleryTarget):
            return failed(f"the definition of the job cannot be read: {work.job.fault}")
        try:
            message = call_of(work.job.target, work.input)
        except Refused as error:
            return refused(str(error))
        connection = self._sending.connected()
        try:
            self._publish(connection, work, message)
        except (*connection.channel_errors, MessageNacked) as error:  # such as a queue with other arguments
            self._sending.drop()
            return failed(f"the broker refused the task: {in_words(error)}")
        except (EncodeError, TypeError, ValueError, KeyError) as error:
            return refused(f"the task cannot be sent: {in_words(error)}")
        return None

    def _publish(self, connection: Any, work: RemoteWork, message: TaskCall) -> None:
        """As `app.send_task` does, but without subscribing to the result, for which nothing waits here."""
        amqp = self._app.amqp
        task = self._app.tasks.get(message.task) if self._imported else None
        options = {name: value for name in _OF_TASK if (value := getattr(task, name, None)) is not None}
        if message.queue is not None:
            options = {"queue": message.queue}
        options = amqp.router.route(options, message.task, message.args, message.kwargs)
        if message.priority is not None:
            options["priority"] = message.priority
        headers = {**message.headers, **({"traceparent": work.traceparent} if work.traceparent else {})}
        expires = None if work.seconds is None else max(work.seconds, 0) + SKEW
        if not self._imported and connection.transport.driver_type == "amqp":
            # Without the app's settings a queue could only be declared with the wrong arguments.
            queue = options["queue"]
            connection.default_channel.queue_declare(queue=queue.name, passive=True)
            options["declare"] = []
        body = amqp.as_task_v2(
            work.task_id, message.task, message.args, message.kwargs, expires=expires, ignore_result=False
        )
        if expires is not None:
            options["expiration"] = expires
        producer = amqp.Producer(connection, auto_declare=False)
        amqp.send_task_message(
            producer, message.task, body, **{**options, "headers": headers, "retry": False, "serializer": "json"}
        )

    # Results

    def look(self, task_ids: Sequence[str]) -> Mapping[str, Sighting]:
        try:
            return self._look(task_ids)
        except Exception as error:  # anything that its client raises
            raise BrokerUnavailable(
                f"the result backend of the Celery app is unreachable: {in_words(error)}"
            ) from error

    def _look(self, task_ids: Sequence[str]) -> Mapping[str, Sighting]:
        from celery.backends.base import BaseKeyValueStoreBackend

        backend = self._app.backend
        if not isinstance(backend, BaseKeyValueStoreBackend):
            return _each(backend, task_ids)
        keys = [backend.get_key_for_task(one) for one in task_ids]
        try:
            found = backend.mget(keys)
        except NotImplementedError:
            found = [backend.get(key) for key in keys]
        values = [found.get(key) for key in keys] if hasattr(found, "get") else found
        return {one: _read(backend, value) for one, value in zip(task_ids, values, strict=True) if value}

    def held(self, task_ids: Sequence[str]) -> Mapping[str, bool]:
        """Whether the worker that has a task has acknowledged its message. Workers that do not answer, such as those
        with the pool solo while they execute a task, say nothing."""
        connection = self._seeking.connected()
        try:
            inspect = self._app.control.inspect(timeout=_ANSWERS, connection=connection)
            replies = inspect.query_task(*task_ids) or {}
        except Exception as error:
            self._seeking.drop()
            raise BrokerUnavailable(f"the broker of the Celery app is unreachable: {in_words(error)}") from error
        return _acknowledged(replies)

    # Revoking

    def revoke(self, task_ids: Sequence[str]) -> None:
        connection = self._revoking.connected()
        try:
            self._app.control.revoke(list(task_ids), terminate=True, connection=connection)
        except Exception as error:
            self._revoking.drop()
            raise BrokerUnavailable(f"the broker of the Celery app is unreachable: {in_words(error)}") from error


def _each(backend: Any, task_ids: Sequence[str]) -> Mapping[str, Sighting]:
    """One by one, for backends that cannot do more. One result that cannot be read harms no other."""
    found: dict[str, Sighting] = {}
    failure: Exception | None = None
    for one in task_ids:
        try:
            found[one] = sighting_of(backend.get_task_meta(one, cache=False))
        except Exception as error:
            failure = error
    if failure is not None and not found:
        raise failure
    return found


def _acknowledged(replies: Mapping[str, Any]) -> dict[str, bool]:
    """A message that was delivered twice may be with two workers."""
    found: dict[str, bool] = {}
    for reply in replies.values():
        for task_id, told in (reply if isinstance(reply, Mapping) else {}).items():
            info = told[1] if isinstance(told, list | tuple) and len(told) == 2 else None
            acknowledged = isinstance(info, Mapping) and info.get("acknowledged") is True
            found[task_id] = found.get(task_id, True) and acknowledged
    return found


def _read(backend: Any, value: Any) -> Sighting:
    """One result that cannot be read harms no other."""
    try:
        return sighting_of(backend.decode(value))
    except Exception as error:
        return Sighting("UNREADABLE", refused(f"the result of the task cannot be read: {in_words(error)}"))


def _name(app: Any) -> str:
    """Workers with the same broker and the same result backend follow each other's tasks."""
    places = f"{app.connection_for_write().as_uri()} {app.backend.as_uri()}"
    return f"celery {hashlib.sha256(places.encode()).hexdigest()[:24]}"
