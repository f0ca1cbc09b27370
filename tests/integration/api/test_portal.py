"""The built portal as browsers get it: files, links into it, caching, and nothing else."""

import gzip
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from horae.api.app import build
from horae.api.context import ApiSettings
from horae.ports import Store

from .conftest import CLOCK, IDS, SECRET

PAGE = b'<!doctype html><script type="module" src="/assets/main-4fT2.js"></script>'
SCRIPT = b"console.log('hello')\n" * 100
BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8", "accept-encoding": "gzip, deflate, br"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A build, and files beside it that must not be served."""
    (tmp_path / "secret.txt").write_text("secret")
    built = tmp_path / "built"
    for name, body in {
        "index.html": PAGE,
        "index.html.gz": gzip.compress(PAGE, mtime=0),
        "assets/main-4fT2.js": SCRIPT,
        "assets/main-4fT2.js.gz": gzip.compress(SCRIPT, mtime=0),
        "assets/main-4fT2.js.br": b"as if it were brotli",
        "assets/style-77aa.css": b"body{}",
        "favicon.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        ".fingerprint": b"secret",
    }.items():
        path = built / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    return built


def serving(folder: Path) -> Any:
    """Files need no database."""
    return build(cast("Store", None), ApiSettings(SECRET, portal=folder), IDS, CLOCK)


@pytest.fixture
def app(folder: Path) -> Any:
    return serving(folder)


@pytest.fixture
async def browser(app: Any) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://horae", headers=BROWSER) as client:
        yield client


async def test_the_page_is_asked_for_each_time(browser: httpx.AsyncClient):
    for path in ("/", "/index.html"):
        answer = await browser.get(path)
        assert (answer.status_code, answer.content) == (200, PAGE)
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["cache-control"] == "no-cache"
        assert answer.headers["content-encoding"] == "gzip"
        again = await browser.get(path, headers={"if-none-match": f'W/"x", W/{answer.headers["etag"]}'})
        assert (again.status_code, again.content) == (304, b"")
        for name in ("etag", "content-security-policy", "cache-control"):  # they replace those that the browser kept
            assert again.headers[name] == answer.headers[name]
        assert (await browser.get(path, headers={"if-none-match": '"x"'})).status_code == 200


async def test_pages_have_a_strict_content_security_policy(browser: httpx.AsyncClient):
    headers = (await browser.get("/")).headers
    policy = headers["content-security-policy"].split("; ")
    assert policy[0] == "default-src 'none'"
    assert {"script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"} <= set(policy)
    assert "unsafe" not in headers["content-security-policy"]
    for name, value in {
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
    }.items():
        assert headers.get_list(name) == [value]


async def test_hashed_files_are_cached_forever(browser: httpx.AsyncClient):
    for path, kind in (("/assets/main-4fT2.js", "text/javascript"), ("/assets/style-77aa.css", "text/css")):
        answer = await browser.head(path)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == f"{kind}; charset=utf-8"
        assert answer.headers.get_list("cache-control") == ["public, max-age=31536000, immutable"]
        assert answer.headers["x-content-type-options"] == "nosniff"
    icon = await browser.get("/favicon.svg")
    assert (icon.headers["content-type"], icon.headers["cache-control"]) == ("image/svg+xml", "no-cache")


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("GZIP;q=0.5, br;q=0", "gzip"),
        ("br; q=0.0, identity", None),
        ("identity", None),
        ("", None),
    ],
)
async def test_compressed_as_the_browser_likes_it(app: Any, accepted: str, encoding: str | None):
    status, headers, body = await raw(app, "/assets/main-4fT2.js", {"accept-encoding": accepted})
    assert (status, headers.get("content-encoding"), headers["vary"]) == (200, encoding, "Accept-Encoding")
    assert int(headers["content-length"]) == len(body)
    assert body == {"br": b"as if it were brotli", "gzip": gzip.compress(SCRIPT, mtime=0), None: SCRIPT}[encoding]
    assert (encoding or "") in headers["etag"]  # of another encoding, it is another thing
    known, _, nothing = await raw(
        app, "/assets/main-4fT2.js", {"accept-encoding": accepted, "if-none-match": headers["etag"]}
    )
    assert (known, nothing) == (304, b"")


async def raw(app: Any, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
    """As it goes over the wire: httpx would unpack it."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
        "http_version": "1.1", "scheme": "http", "client": ("127.0.0.1", 1), "server": ("horae", 80),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    await app(scope, None, send)
    start, *rest = sent
    found = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], found, b"".join(message["body"] for message in rest)


@pytest.mark.parametrize("path", ["/jobs", "/jobs/nightly.report?tab=runs&page=2", "/runs/01/", "/a/b/c", "/apis"])
async def test_links_into_the_portal(browser: httpx.AsyncClient, path: str):
    assert (await browser.get(path)).content == PAGE
    head = await browser.head(path)
    assert (head.status_code, head.content) == (200, b"")
    for other in (
        await browser.get(path, headers={"accept": "application/json"}),
        await browser.get(path, headers={"accept": "*/*"}),
        await browser.post(path),
    ):
        assert other.status_code == 404
        assert other.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "path", ["/api", "/api/v1/nothing", "/health/nothing", "/metrics/x", "/docs/x", "/openapi.json/x"]
)
async def test_the_api_keeps_its_paths(browser: httpx.AsyncClient, path: str):
    answer = await browser.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


async def test_the_api_keeps_its_answers(browser: httpx.AsyncClient):
    assert (await browser.get("/api/v1/auth/login")).status_code == 405
    assert (await browser.get("/health")).json()["status"] == "healthy"
    assert (await browser.get("/openapi.json")).json()["openapi"]
    assert (await browser.get("/api/v1/jobs")).status_code == 401


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt", "/assets/../../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "//secret.txt",
        "/assets/..%5c..%5csecret.txt", "/.fingerprint", "/assets/main-4fT2.js.br", "/assets/gone.js", "/assets/",
        "/assets", "/%00", "/assets/main-4fT2.js%00.css",
    ],
)  # fmt: skip
async def test_only_files_of_the_build(app: Any, path: str):
    for decoded in (path, httpx.URL(f"http://horae{path}").path):
        status, _, body = await raw(app, decoded, {"accept": "*/*"})
        assert status == 404
        assert b"nothing at this path" in body
    gone, _, _ = await raw(app, "/assets/gone.js", {"accept": "text/html"})
    assert gone == 404  # never a page for a script


async def test_another_build_is_noticed(browser: httpx.AsyncClient, folder: Path):
    assert (await browser.get("/")).content == PAGE
    (folder / "assets" / "main-9zz9.js").write_bytes(b"new")
    (folder / "index.html.gz").unlink()
    (folder / "index.new").write_bytes(b"<!doctype html>new")
    (folder / "index.new").replace(folder / "index.html")
    assert (await browser.get("/jobs")).content == b"<!doctype html>new"
    assert (await browser.get("/assets/main-9zz9.js")).content == b"new"


async def test_files_are_there_before_the_page_was_asked_for(browser: httpx.AsyncClient):
    assert (await browser.get("/favicon.svg")).status_code == 200


async def test_without_a_build_a_page_says_how_to_get_one(tmp_path: Path):
    app = serving(tmp_path / "none")
    status, headers, body = await raw(app, "/", {})
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"make setup" in body
    assert headers["cache-control"] == "no-store"
    assert "unsafe" not in headers["content-security-policy"]
    assert (await raw(app, "/jobs", {"accept": "text/html"}))[::2] == (404, body)
    assert (await raw(app, "/jobs", {"accept": "*/*"}))[1]["content-type"] == "application/problem+json"
