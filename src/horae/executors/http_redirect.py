"""Redirects: where one leads, by the rules of browsers, and which credentials are not sent to another origin. The SSRF
guard checks every hop."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from yarl import URL

from horae.domain.text.checks import http_url
from horae.executors.failure import Refused
from horae.executors.http_request import Draft, OutgoingRequest, without_body

if TYPE_CHECKING:
    from horae.domain.runs.attempt import Attempt

MOST = 5
STATUSES = frozenset((301, 302, 303, 307, 308))


def follow(
    draft: Draft, request: OutgoingRequest, status: int, location: str, attempt: Attempt, now: datetime
) -> OutgoingRequest:
    """The next hop. Raises Refused if it is not allowed."""
    url = _target(request.url, location)
    method, body = _method(request.method, status), request.body
    headers = request.headers.copy()
    if method != request.method:
        body = None
        without_body(headers)
    if not _same_host(request.url, url):
        if draft.target.callback is not None:
            raise Refused("the response redirects to another host, which must not learn the callback URL")
        if body is not None and draft.has_private_body:
            raise Refused("the response redirects to another host, which must not get the secrets in the body")
        for name in [name for name in headers if draft.is_private(name)]:
            headers.popall(name, None)
    draft.identify(headers, attempt, body, now)
    return OutgoingRequest(method, url, headers, body)


def _target(base: URL, location: str) -> URL:
    try:
        url = base.join(URL(location))
        http_url(str(url))
    except ValueError:  # its message may repeat the server's data
        raise Refused("the response redirects to a URL that is not http or https") from None
    if base.scheme == "https" and url.scheme == "http":
        raise Refused("the response redirects from https to http")
    return url


def _method(method: str, status: int) -> str:
    if (status == 303 and method != "HEAD") or (status in (301, 302) and method == "POST"):
        return "GET"
    return method


def _same_host(one: URL, other: URL) -> bool:
    """The same origin, or an upgrade from http to https."""
    if one.raw_host != other.raw_host:
        return False
    return (one.scheme, one.port) == (other.scheme, other.port) or (one.port, other.port) == (80, 443)
