"""The page about the API, under its policy."""

import pytest

from .conftest import Api

pytestmark = pytest.mark.sqlite


async def test_the_page_and_what_it_needs(api: Api):
    for path, kind in (("/docs", "text/html"), ("/docs/docs.js", "text/javascript"), ("/docs/docs.css", "text/css")):
        answer = await api.call("GET", path, role=None)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "'unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert (await api.call("GET", "/docs/passwd", role=None)).status_code == 404
