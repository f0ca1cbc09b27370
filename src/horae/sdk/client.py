"""A thin client of the REST API.

    client = horae.Client("http://127.0.0.1:8080", token)
    client.jobs.create(name="hello", target={"kind": "script", "source": "echo hello"}, schedule={"every": "10s"})
    run = client.jobs.run("hello")

Answers are the API's JSON as dictionaries; refusals are raised as the errors of `horae.domain.errors`, with the
message and the field that the server named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from horae import __version__
from horae.domain.errors import NotFound
from horae.sdk.answers import Unreachable, reason, refusal
from horae.sdk.following import follow
from horae.sdk.secrets import Secrets

Json = dict[str, Any]
Items = list[Json]
When = datetime | str | None
_PAGE = 200
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Client:
    """Speaks to one Horae. Use it as a context manager, or call `close`."""

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 30.0, client: str = "sdk") -> None:
        headers = {"user-agent": f"horae-{client}/{__version__}", "horae-client": client}
        if token:
            headers["authorization"] = f"Bearer {token}"
        self.url = url.rstrip("/")
        self._http = httpx.Client(
            headers=headers,
            timeout=timeout,
            trust_env=urlsplit(url).hostname not in _LOOPBACK,  # a proxy has no business on the way to oneself
        )
        self.jobs = Jobs(self)
        self.runs = Runs(self)
        self.operations = Operations(self)
        self.secrets = Secrets(self)

    def workers(self) -> Items:
        return list(self.pages("workers"))

    def schedulers(self) -> Items:
        return list(self.pages("schedulers"))

    def preview(
        self,
        schedule: Json,
        count: int = 10,
        *,
        start: When = None,
        compare: Json | None = None,
        job: str | None = None,
    ) -> Json:
        """The next occurrences of a schedule that need not be anybody's; set against another schedule (`compare`), or
        against what a job does now (`job`)."""
        options = given({"from": instant(start), "compare": compare, "job": job})
        return self.call("POST", "schedules/preview", json={"schedule": schedule, "count": count, **options})

    def explain(self, id: str) -> Json:
        """Why a job (its name or id) or a run (its id) does or does not run."""
        if _ID.fullmatch(id):
            try:
                return self.runs.explain(id)
            except NotFound:
                pass
        try:
            return self.jobs.explain(id)
        except NotFound:
            raise NotFound(f"there is no job and no run {id!r}") from None

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def call(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Json:
        """One request; None among the parameters is left out."""
        asked = {name: _text(value) for name, value in (params or {}).items() if value is not None}
        try:
            answer = self._http.request(method, f"{self.url}/api/v1/{path}", json=json, params=asked, headers=headers)
        except httpx.TimeoutException:
            raise Unreachable(f"{self.url} did not answer in time") from None
        except httpx.TransportError as error:
            raise Unreachable(f"nothing answers at {self.url} ({reason(error)})") from None
        if answer.is_success:
            return answer.json() if answer.content else {}
        raise refusal(answer)

    @contextmanager
    def stream(self, path: str, params: Mapping[str, str], headers: Mapping[str, str]) -> Iterator[Iterator[str]]:
        """The lines of an answer that goes on; the server says something every few seconds."""
        request = self._http.stream(
            "GET", f"{self.url}/api/v1/{path}", params=params, headers=headers, timeout=httpx.Timeout(30.0)
        )
        try:
            with request as answer:
                if not answer.is_success:
                    answer.read()
                    raise refusal(answer)
                yield answer.iter_lines()
        except httpx.TimeoutException:
            raise Unreachable(f"{self.url} did not answer in time") from None
        except httpx.TransportError as error:
            raise Unreachable(f"nothing answers at {self.url} ({reason(error)})") from None

    def pages(self, path: str, limit: int | None = None, **filters: Any) -> Iterator[Json]:
        """The items of a list, page after page, up to `limit`."""
        given, cursor = 0, None
        while limit is None or given < limit:
            params = dict(filters)
            if path not in ("workers", "schedulers"):
                params |= {"limit": min(_PAGE, limit - given) if limit else _PAGE, "cursor": cursor}
            page = self.call("GET", path, params=params)
            yield from page["items"]
            given += len(page["items"])
            cursor = page["next_cursor"]
            if cursor is None:
                return


class Jobs:
    def __init__(self, client: Client) -> None:
        self._client = client

    def create(self, *, name: str, target: Json, **fields: Any) -> Json:
        return self._client.call("POST", "jobs", json={"name": name, "target": target, **fields})

    def list(self, *, limit: int | None = None, **filters: Any) -> Items:
        """By name; filters: q, kind, schedule, status, enabled, paused, tag, queue."""
        return list(self._client.pages("jobs", limit, **filters))

    def get(self, job: str) -> Json:
        return self._client.call("GET", f"jobs/{_part(job)}")

    def edit(self, job: str, *, version: int | None = None, **changes: Any) -> Json:
        """Changes some fields; with `version`, only if nobody else changed the job since."""
        return self._client.call("PATCH", f"jobs/{_part(job)}", json=changes, headers=_if_match(version))

    def delete(self, job: str) -> None:
        self._client.call("DELETE", f"jobs/{_part(job)}")

    def run(
        self,
        job: str,
        *,
        input: Any = None,
        run_at: When = None,
        priority: int | None = None,
    ) -> Json:
        body = given({"input": input, "run_at": instant(run_at), "priority": priority})
        return self._client.call("POST", f"jobs/{_part(job)}/run", json=body)

    def run_many(self, job: str, runs: Items) -> Items:
        """Up to 1,000 runs in one request: all of them, or none."""
        answer = self._client.call("POST", f"jobs/{_part(job)}/runs:batch", json={"runs": runs})
        items: Items = answer["items"]
        return items

    def next(self, job: str, count: int = 10) -> Json:
        return self._client.call("GET", f"jobs/{_part(job)}/next", params={"count": count})

    def stats(self, job: str) -> Json:
        return self._client.call("GET", f"jobs/{_part(job)}/stats")

    def pause(self, job: str, *, until: When = None) -> Json:
        """Holds the schedule, until an instant or until it is resumed."""
        return self._client.call("POST", f"jobs/{_part(job)}/pause", json=given({"until": instant(until)}))

    def resume(self, job: str) -> Json:
        return self._client.call("POST", f"jobs/{_part(job)}/resume")

    def enable(self, job: str) -> Json:
        return self._client.call("POST", f"jobs/{_part(job)}/enable")

    def disable(self, job: str) -> Json:
        return self._client.call("POST", f"jobs/{_part(job)}/disable")

    def versions(self, job: str, *, limit: int | None = None) -> Items:
        """Newest first, each with what it changed."""
        return list(self._client.pages(f"jobs/{_part(job)}/versions", limit))

    def version(self, job: str, number: int) -> Json:
        return self._client.call("GET", f"jobs/{_part(job)}/versions/{number}")

    def rollback(self, job: str, to: int, *, version: int | None = None) -> Json:
        """Saves the definition of an earlier version anew; with `version`, only if that is still the newest."""
        body = {"version": to}
        return self._client.call("POST", f"jobs/{_part(job)}/rollback", json=body, headers=_if_match(version))

    def backfill(
        self, job: str, *, start: datetime | str, end: datetime | str, parallelism: int = 1, dry_run: bool = False
    ) -> Json:
        """Runs the occurrences of a past range: the operation, or with `dry_run` how many and which."""
        body = {"start": instant(start), "end": instant(end), "parallelism": parallelism, "dry_run": dry_run}
        return self._client.call("POST", f"jobs/{_part(job)}/backfill", json=body)

    def explain(self, job: str) -> Json:
        """Why it does or does not run: `summary`, and `gates` with what would open them."""
        return self._client.call("GET", f"jobs/{_part(job)}/explain")


class Runs:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(self, *, limit: int | None = 50, **filters: Any) -> Items:
        """Newest first; filters: job, status, trigger, worker."""
        return list(self._client.pages("runs", limit, **filters))

    def get(self, run: str) -> Json:
        return self._client.call("GET", f"runs/{_part(run)}")

    def attempts(self, run: str) -> Items:
        items: Items = self._client.call("GET", f"runs/{_part(run)}/attempts")["items"]
        return items

    def log(self, run: str, *, after: str | None = None) -> Iterator[Json]:
        """What the run wrote so far, in pieces; with `after` (`attempt.seq`), from behind that piece on."""
        while True:
            page = self._client.call("GET", f"runs/{_part(run)}/log", params={"cursor": after})
            yield from page["items"]
            after = page["next_cursor"]
            if after is None:
                return

    def follow(self, run: str) -> Iterator[tuple[str, Json]]:
        """What happens to a run, as it comes: `("log", piece)`, `("run", {status, attempt, progress})`, and at last
        `("end", run)`. A connection that breaks is made anew, and nothing is told twice."""
        return follow(self._client.stream, f"runs/{_part(run)}/log", {"follow": "true"})

    def explain(self, run: str) -> Json:
        """What it waits for or how it ended: `summary`, `gates` and `timeline`."""
        return self._client.call("GET", f"runs/{_part(run)}/explain")

    def cancel(self, run: str) -> Json:
        return self._client.call("POST", f"runs/{_part(run)}/cancel")

    def recover(self) -> Json:
        """Recovers runs whose lease ran out, now instead of at a scheduler's next sweep."""
        return self._client.call("POST", "runs:recover")


class Operations:
    """Long work with progress."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list(self, *, limit: int | None = 50) -> Items:
        """Newest first."""
        return list(self._client.pages("operations", limit))

    def get(self, operation: str) -> Json:
        return self._client.call("GET", f"operations/{_part(operation)}")

    def cancel(self, operation: str) -> Json:
        return self._client.call("POST", f"operations/{_part(operation)}/cancel")


def instant(when: When) -> str | None:
    return when.isoformat() if isinstance(when, datetime) else when


def given(fields: Json) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def _if_match(version: int | None) -> dict[str, str] | None:
    return None if version is None else {"if-match": f'"{version}"'}


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _part(text: str) -> str:
    return quote(text, safe="")
