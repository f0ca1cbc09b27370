"""Pages are bounded by bytes: long values are left out of lists, or end the page early."""

from typing import Any

import pytest

from .conftest import ON_EVERY_DATABASE, Api

LONG = "ü" * 2_100  # characters; as many bytes again


async def everything(api: Api, path: str, **params: Any) -> list[list[dict[str, Any]]]:
    """All pages of a list."""
    pages: list[list[dict[str, Any]]] = []
    cursor: str | None = None
    while not pages or cursor:
        answer = await api.call("GET", path, params=params | ({"cursor": cursor} if cursor else {}))
        assert answer.status_code == 200, answer.text
        pages.append(answer.json()["items"])
        cursor = answer.json()["next_cursor"]
    return pages


@ON_EVERY_DATABASE
async def test_a_list_of_runs_leaves_out_what_is_long(api: Api):
    await api.make()
    inputs: list[Any] = [None, {"a": "short"}, {"a": LONG}]
    ids = [(await api.call("POST", "/jobs/hello/run", json={"input": one})).json()["id"] for one in inputs]
    for path in ("/runs", "/jobs/hello/runs"):
        ((long, short, none),) = await everything(api, path)
        assert [one["id"] for one in (none, short, long)] == ids
        assert (long["input"], long["truncated"]) == (None, ["input"])
        assert (short["input"], short["truncated"]) == ({"a": "short"}, [])
        assert (none["input"], none["truncated"]) == (None, [])
    alone = (await api.call("GET", f"/runs/{ids[2]}")).json()
    assert (alone["input"], alone["truncated"]) == ({"a": LONG}, [])
    # Ended runs come from another table.
    await api.call("POST", f"/runs/{ids[2]}/cancel")
    ((long, _, _),) = await everything(api, "/runs")
    assert (long["status"], long["input"], long["truncated"]) == ("cancelled", None, ["input"])


@pytest.mark.parametrize("portion", [1, 2, 3, 100])
async def test_a_page_of_jobs_ends_early_if_they_are_long(api: Api, portion: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("horae.api.routes.jobs.PAGE_BYTES", 20_000)
    monkeypatch.setattr("horae.api.routes.jobs._PORTION", portion)
    for name in "abcde":
        await api.make(name=name, target={"kind": "http", "url": "https://example.org/", "body": "x" * 8_000})
    pages = await everything(api, "/jobs", limit=200)
    assert [[job["name"] for job in page] for page in pages] == [["a", "b"], ["c", "d"], ["e"]]
    assert all(len(job["target"]["body"]) == 8_000 for page in pages for job in page)
    await api.make(name="f", target={"kind": "http", "url": "https://example.org/", "body": "x" * 30_000})
    assert [job["name"] for page in await everything(api, "/jobs", limit=200) for job in page] == list("abcdef")
    assert [len(page) for page in await everything(api, "/jobs", limit=1)] == 6 * [1]
    assert await everything(api, "/jobs", limit=200, q="nothing of the kind") == [[]]


@ON_EVERY_DATABASE
async def test_a_page_of_versions_ends_early_and_cuts_what_changed(api: Api, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("horae.api.routes.versions.PAGE_BYTES", 50_000)
    await api.make()
    for number in range(1, 8):
        target = {"kind": "http", "url": "https://example.org/", "body": str(number) * 20_000}
        assert (await api.call("PATCH", "/jobs/hello", json={"target": target})).status_code == 200
    pages = await everything(api, "/jobs/hello/versions", limit=200)
    assert [[one["version"] for one in page] for page in pages] == [[8, 7], [6, 5], [4, 3], [2, 1]]
    newest = pages[0][0]
    (change,) = newest["changes"]
    assert change["new"].endswith("… (20000 characters)")
    assert newest["definition"]["target"]["body"] == "7" * 20_000
    alone = (await api.call("GET", "/jobs/hello/versions/8")).json()
    assert alone["changes"] == [{"path": "target.body", "old": "6" * 20_000, "new": "7" * 20_000}]
