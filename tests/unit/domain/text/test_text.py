from __future__ import annotations

import pytest

from horae.domain.text.checks import header_name, header_value, http_url, label, plain_text


@pytest.mark.parametrize("text", ["", "a", "line\nbreak\ttab", "naïve", "😀", "\x01"])
def test_plain_text(text):
    assert plain_text(text) == text


@pytest.mark.parametrize("text", ["\x00", "a\x00b", "\ud800", "a\udfff"])
def test_text_that_no_database_holds(text):
    with pytest.raises(ValueError, match="must not contain"):
        plain_text(text)


@pytest.mark.parametrize("text", ["a", "nightly report", "naïve", "Ж", "a/b", "😀", "İ", "x" * 1_000])
def test_labels(text):
    assert label(text) == text


@pytest.mark.parametrize(
    "text", ["a\n", "\ta", " a", "a ", "a\u00a0", "a\rb", "a\x7fb", "a\x85b", "a\u2028b", "a\x00", "\ud800", "a\x1bb"]
)
def test_no_labels(text):
    with pytest.raises(ValueError, match="must not"):
        label(text)


@pytest.mark.parametrize("name", ["X-Request-Id", "a", "Accept", "x_y.z!"])
def test_header_names(name):
    assert header_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["", "a b", "a:", "a\n", "a\r\nb", "ä", "a\x00", "x" * 201, "(a)", "Host", "host", "Content-Length",
     "Transfer-Encoding", "CONNECTION", "te", "Upgrade", "Keep-Alive", "Proxy-Authorization"],
)  # fmt: skip
def test_no_header_names(name):
    with pytest.raises(ValueError, match="header"):
        header_name(name)


@pytest.mark.parametrize("value", ["", "a", "a\tb", "naïve", "x" * 5_000])
def test_header_values(value):
    assert header_value(value) == value


@pytest.mark.parametrize("value", ["a\r\nb: c", "a\n", "\x00", "\x7f", "Ж", "\ud800", "\x0b"])
def test_no_header_values(value):
    with pytest.raises(ValueError, match="header values must"):
        header_value(value)


@pytest.mark.parametrize(
    "url",
    ["http://example.org", "https://example.org:8443/a/b?c=d#e", "http://127.0.0.1:80/", "http://[::1]:8080/x", "HTTP://X.org",
     "http://bücher.example/", "http://a_b.internal/"],
)  # fmt: skip
def test_urls(url):
    assert http_url(url) == url


@pytest.mark.parametrize(
    "url",
    ["", "example.org", "/path", "//example.org/x", "ftp://example.org", "file:///etc/passwd", "javascript:alert(1)",
     "gopher://x", "http:", "http://", "http:///x", "http:example.org", "http://:80", "http://[::1", "http://[zz]/",
     "http://x.org:99999", "http://x.org:-1", "http://x.org:0", "http://x.org:port", "http://user@x.org",
     "http://user:secret@x.org", "http://@x.org", "http://:@x.org", "http://x.org/a b", "http://x.org/\n",
     "http://x.org\r\nX: y",
     "http://x.org/\x00", "\thttp://x.org", "http://x.org/\u2028", "http://x\u00a0y/", "http://\ud800/", "http://x\\@y.org/",
     "http://" + "a" * 64 + ".org", "http://" + "a." * 200 + "org", "http://a..b/", "http://x%2e/", "http://<x>/",
     "http://{x}/"],
)  # fmt: skip
def test_no_urls(url):
    with pytest.raises(ValueError, match=r"URL|http|host|port|user|blanks|contain"):
        http_url(url)


def test_errors_do_not_repeat_the_url():
    for url in ("http://x.org:hunter2", "http://u:hunter2@x.org", "hunter2://x", "http://[hunter2]/"):
        with pytest.raises(ValueError) as caught:
            http_url(url)
        assert "hunter2" not in str(caught.value)
