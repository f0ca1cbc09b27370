"""Whoever may not do a thing does not see its button; and the server decides anyway."""

from typing import Any

import pytest
from playwright.async_api import expect

from .conftest import Visit
from .horae import Horae

# What a button is for, by its accessible name, on the page of jobs.
CHANGES = "new job|run now|pause|resume|enable|disable|delete|edit|backfill"

FORGED = """async ([method, path, token]) => (await fetch("/api/v1" + path, {
    method, headers: { authorization: "Bearer " + token, "content-type": "application/json" },
    body: method === "GET" ? undefined : "{}",
})).status"""

LOGIN = """async () => {
    const answer = await fetch("/api/v1/auth/refresh", {
        method: "POST", headers: { "content-type": "application/json", "horae-client": "portal" }, body: "{}",
    });
    return (await answer.json()).access_token;
}"""


async def test_a_viewer_sees_no_buttons_that_change_things(horae: Horae, visit: Visit):
    job = await horae.job(schedule={"every": "1h"})
    for role, many in (("viewer", False), ("owner", True)):
        visitor = await visit(horae, as_=role)
        await visitor.open(f"/jobs?q={job['name']}")
        await expect(visitor.page.get_by_role("link", name=job["name"])).to_be_visible()
        found: list[Any] = await visitor.page.evaluate(
            """words => [...document.querySelectorAll("main button, main a, main [role=switch]")]
                .filter(e => !e.disabled && new RegExp(words, "i").test(e.ariaLabel ?? e.textContent))
                .map(e => e.ariaLabel ?? e.textContent)""",
            CHANGES,
        )
        assert bool(found) == many, found


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/jobs"), ("POST", "/jobs/{job}/run"), ("DELETE", "/jobs/{job}"), ("GET", "/users")]
)
async def test_forged_requests_of_a_viewer_are_refused(horae: Horae, visit: Visit, method: str, path: str):
    job = await horae.job()
    viewer = await visit(horae, as_="viewer")
    real = path.replace("{job}", job["id"])
    viewer.forgive(403, real)
    token = await viewer.page.evaluate(LOGIN)
    assert await viewer.page.evaluate(FORGED, [method, real, token]) == 403
    assert (await horae.call("GET", f"/jobs/{job['id']}"))["version"] == 1
