"""Calls a URL. Success is an expected response; for a failure, the status decides about the next attempt.

One session for all calls: connections are reused, cookies are not kept. There is no timer here: the worker sweeps
deadlines and cancels the task, which closes the connection.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

import aiohttp

from horae.checked_resolver import Lookup
from horae.executors import http_answer, http_redirect
from horae.executors.aside import aside
from horae.executors.failure import Refused, failed, in_words, one_line, raised, refused
from horae.executors.http_connector import CheckedConnector, check_literal, watch_connecting
from horae.executors.http_request import Draft, OutgoingRequest

if TYPE_CHECKING:
    from horae.domain.runs.attempt import Attempt
    from horae.domain.runs.callback import Callbacks
    from horae.domain.runs.outcome import Outcome
    from horae.domain.targets import HttpTarget
    from horae.ports import Clock

_DRAFTS = 2_000  # how many are cached; each may hold a body of a megabyte


class HttpExecutor:
    """Executes `http` targets. `allow_private` lets calls reach addresses that are not on the Internet; `callbacks`
    creates the URLs at which called services report the outcome."""

    def __init__(
        self,
        clock: Clock,
        *,
        version: str,
        allow_private: bool = False,
        callbacks: Callbacks | None = None,
        lookup: Lookup | None = None,
    ) -> None:
        self._clock = clock
        self._agent = f"horae/{version}"
        self._allow_private, self._callbacks, self._lookup = allow_private, callbacks, lookup
        self._session: aiohttp.ClientSession | None = None
        self._drafts: dict[tuple[str, int], Draft] = {}  # by job and version

    def offers(self) -> Iterable[str]:
        return ("http",)

    async def execute(self, attempt: Attempt) -> Outcome:
        try:
            return await self._call(attempt)
        except Refused as error:
            return refused(str(error))
        except ValueError as error:  # InvalidURL, a host that IDNA cannot encode, a header that aiohttp refuses
            return refused(f"the call cannot be made: {in_words(error)}")
        except aiohttp.ClientConnectorError as error:
            return failed(_unreachable(error))
        except (aiohttp.ClientError, OSError) as error:  # TimeoutError is an OSError
            return failed(in_words(error))
        except Exception as error:  # nothing a server or a definition does may end the worker's task
            return raised(error)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _call(self, attempt: Attempt) -> Outcome:
        draft = self._draft(attempt)
        now = self._clock.now()
        request = await aside(attempt, lambda: draft.request(attempt, now))
        spent, began = watch_connecting(), self._clock.monotonic()
        for _ in range(http_redirect.MOST + 1):
            async with self._send(request) as response:
                location = _location(draft.target, response)
                if location is None:
                    outcome = await self._answered(draft.target, response, spent, began)
                    break
            request = http_redirect.follow(draft, request, response.status, location, attempt, self._clock.now())
        else:
            raise Refused(f"more than {http_redirect.MOST} redirects")
        if outcome.park_for is not None:
            attempt.log.write(
                "system", f"answered with 202; waiting for its callback, at most {outcome.park_for:g} s\n"
            )
        return outcome

    def _send(self, request: OutgoingRequest) -> aiohttp.client._RequestContextManager:
        check_literal(request.url, allow_private=self._allow_private)
        return self._open_session().request(
            request.method,
            request.url,
            headers=request.headers,
            data=request.body,
            allow_redirects=False,
        )

    async def _answered(
        self, target: HttpTarget, response: aiohttp.ClientResponse, spent: dict[str, float], began: float
    ) -> Outcome:
        spent["headers_ms"] = self._since(began)
        content, truncated = await http_answer.read(response)
        spent["total_ms"] = self._since(began)
        result = http_answer.result(response, content, truncated, spent)
        return http_answer.outcome(target, response, result, self._clock.now)

    def _since(self, began: float) -> float:
        return round((self._clock.monotonic() - began) * 1000, 1)

    def _draft(self, attempt: Attempt) -> Draft:
        target = cast("HttpTarget", attempt.job.target)
        key = (attempt.run.job_id, attempt.run.version)
        draft = self._drafts.get(key)
        if draft is None or draft.target is not target:
            if len(self._drafts) >= _DRAFTS:
                self._drafts.clear()
            draft = self._drafts[key] = Draft(target, self._agent, self._callbacks)
        return draft

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=CheckedConnector(self._clock, allow_private=self._allow_private, lookup=self._lookup),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
            )
        return self._session


def _unreachable(error: aiohttp.ClientConnectorError) -> str:
    cause = error.os_error
    why = cause.strerror or str(cause)
    if isinstance(cause, ConnectionError) and cause.errno is not None:  # asyncio only says "Connect call failed"
        why = os.strerror(cause.errno)
    return one_line(f"cannot connect to {error.host}:{error.port}: {why}")


def _location(target: HttpTarget, response: aiohttp.ClientResponse) -> str | None:
    """Where the call continues; None if this response is the last."""
    if not target.follow_redirects or response.status not in http_redirect.STATUSES:
        return None
    return None if response.status in target.expected else response.headers.get("Location")
