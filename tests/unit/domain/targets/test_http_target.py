"""Definitions of calls, and what is said about wrong ones."""

from __future__ import annotations

from typing import Any

import pytest

from horae.domain.targets import HttpTarget
from horae.domain.targets.http import filled_url
from tests.unit.domain.refused import refused

URL = "https://example.org/hook"


def made(**fields: Any) -> HttpTarget:
    return HttpTarget.model_validate({"url": URL, **fields})


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/{{ input.path }}",
        "https://example.org?q={{ input.q | urlencode }}",
        "https://example.org:8443/a/{% if input %}b{% endif %}",
        "http://[::1]:80/{{ run.id }}#{{ job.name }}",
        "https://example.org/{id}",
    ],
)
def test_templates_stand_after_the_host(url):
    assert made(url=url).url == url


@pytest.mark.parametrize(
    "url",
    [
        "{{ input.url }}",
        "{{ input.scheme }}://example.org/",
        "https://{{ input.host }}/",
        "https://example.org{{ input.rest }}",
        "https://example.org:{{ input.port }}/",
        "https://example.org{{ '/' }}",
        "https://{# nothing #}example.org/",
        "https://example.org\\{{ input.rest }}",
        "https://user:{{ secrets.PASSWORD }}@example.org/",
        "https://user@example.org/{{ run.id }}",
        "ftp://example.org/{{ run.id }}",
        "//example.org/{{ run.id }}",
        "/{{ run.id }}",
        "https:///{{ run.id }}",
        "https://exa mple.org/{{ run.id }}",
        "https://example.org/{{ run.id",
        "https://example.org/{{ nobody }}",
    ],
)
def test_templates_do_not_choose_the_host(url):
    assert refused(HttpTarget, {"url": url})[0] == "url"


def test_a_template_error_has_its_line():
    field, message = refused(HttpTarget, {"url": URL, "body": "first\n{{ input."})
    assert field == "body"
    assert "line 2" in message


@pytest.mark.parametrize(
    "filled",
    [
        "https://example.org.evil.org/x",
        "https://evil.org/",
        "http://example.org/x",
        "https://example.org:444/x",
        "https://x@example.org/x",
        "https://example.org/a b",
        "https://example.org/a\nb",
        "https://example.org/" + "x" * 8_000,
        "",
    ],
)
def test_what_a_url_was_filled_in_to_is_checked_again(filled):
    with pytest.raises(ValueError, match=r"."):
        filled_url("https://example.org/{{ input }}", filled)


@pytest.mark.parametrize(
    "path", ["", "/", "/@evil.org", "//evil.org/", "?u=https://evil.org", "/..a/.b", "?x=/../", "#x"]
)
def test_a_path_cannot_lead_elsewhere(path):
    assert filled_url("https://example.org/{{ input }}", f"https://example.org{path}")


@pytest.mark.parametrize(
    ("expect", "among", "not_among"),
    [
        (["2xx"], {200, 204, 299}, {199, 300}),
        (["404"], {404}, {200, 403, 405}),
        (["200-204", "3xx"], {200, 204, 301, 399}, {205, 400}),
    ],
)
def test_expected_statuses(expect, among, not_among):
    expected = made(expect=expect).expected
    assert among <= expected
    assert not not_among & expected


@pytest.mark.parametrize(
    "expect", [[], ["2x"], ["600"], ["200-"], ["204-200"], ["abc"], ["2XX"], ["٢xx"], [200], "2xx"]
)
def test_odd_statuses_are_refused(expect):
    assert refused(HttpTarget, {"url": URL, "expect": expect})[0].startswith("expect")


def test_secrets_are_known_by_name():
    target = made(
        url="https://example.org/{{ secrets.PATH }}",
        headers={"X-A": "{{ secrets.HEADER }}"},
        query={"q": "{{ secrets.QUERY }}"},
        body="{{ secrets.BODY }}",
        auth={"basic": {"username": "{{ secrets.USER }}", "password": "{{ secrets.PASSWORD }}"}},
        sign_with=["NEW", "OLD"],
    )
    assert target.secrets == {"PATH", "HEADER", "QUERY", "BODY", "USER", "PASSWORD", "NEW", "OLD"}
    assert made(auth={"bearer": "{{ secrets.TOKEN }}"}).secrets == {"TOKEN"}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"headers": {"X-A": "1", "x-a": "2"}}, "headers"),
        ({"headers": {"authorization": "{{ secrets.A }}"}, "auth": {"bearer": "{{ secrets.A }}"}}, "auth"),
        ({"auth": {}}, "auth.bearer"),
        ({"auth": {"bearer": "a", "basic": {"username": "a", "password": "b"}}}, "auth.bearer"),
        ({"auth": {"basic": {"username": "a"}}}, "auth.basic.password"),
        ({"sign_with": ["not a name"]}, "sign_with.0"),
        ({"sign_with": ["A", "B", "C", "D", "E", "F"]}, "sign_with"),
        ({"callback": {"timeout": 0}}, "callback.timeout"),
        ({"callback": {"timeout": 2_592_001}}, "callback.timeout"),
        ({"callback": True}, "callback"),
        ({"follow_redirects": "yes"}, "follow_redirects"),
        ({"headers": {"X-A": "{{ input.a }}\r\nX-B: b"}}, "headers.X-A"),
    ],
)
def test_refusals_name_their_field(fields, field):
    assert refused(HttpTarget, {"url": URL, **fields})[0] == field
