"""Users do not see buttons for what they may not do; and the server decides anyway."""

import pytest
from playwright.async_api import expect

from .conftest import Visit
from .horae import Horae

# What a button, link or switch is for that changes something, by the words that it begins with.
CHANGES = (
    "new|add|create|make|set|run|pause|resume|enable|disable|delete|edit|backfill|cancel|retry|redrive|discard|drain|"
    "revoke|replace|remove|invite|rename|forget|roll back|role of|.* is (enabled|active)"
)
FOUND = """words => [...document.querySelectorAll("main :is(button, a, select, [role=switch], [role=checkbox])")]
    .filter(e => e.getClientRects().length && !e.disabled && new RegExp("^(" + words + ")\\\\b", "i")
        .test((e.ariaLabel ?? e.textContent).trim()))
    .map(e => (e.ariaLabel ?? e.textContent).trim())"""
PAGES = {
    "overview": "/",
    "jobs": "/jobs?q={job}",
    "job": "/jobs/{job}",
    "runs": "/runs?job={job}",
    "run": "/runs/{run}",
    "dead-letters": "/dead-letters?job={job}",
    "calendar": "/calendar",
    "workers": "/workers",
    "queues": "/workers?tab=queues",
    "schedulers": "/workers?tab=schedulers",
    "functions": "/functions",
    "function": "/functions?function=horae.echo",
    "project": "/settings/project",
}
# For an admin there is something to do on these: so the words above are the right ones.
BUSY = {"jobs", "job", "runs", "run", "dead-letters", "workers", "queues", "functions", "project"}
SETTINGS = {
    "viewer": ["Project", "Channels", "Event sinks", "My account"],
    "operator": ["Project", "Channels", "Event sinks", "My account"],
    "editor": ["Project", "Secrets", "Channels", "Event sinks", "My account"],
    "owner": ["Project", "Members", "API keys", "Secrets", "Channels", "Event sinks", "Audit trail", "My account"],
    "admin": [
        "Project",
        "Members",
        "API keys",
        "Secrets",
        "Channels",
        "Event sinks",
        "Audit trail",
        "Users",
        "My account",
    ],
}

FORGED = """async ([method, path, body, token]) => (await fetch("/api/v1" + path, {
    method, headers: { authorization: "Bearer " + token, "content-type": "application/json" },
    body: method === "GET" ? undefined : body,
})).status"""

LOGIN = """async () => {
    const answer = await fetch("/api/v1/auth/refresh", {
        method: "POST", headers: { "content-type": "application/json", "horae-client": "portal" }, body: "{}",
    });
    return (await answer.json()).access_token;
}"""

FORGERIES = [
    ("POST", "/jobs", '{"name": "x", "target": {"kind": "http", "url": "http://127.0.0.1/"}}'),
    ("POST", "/jobs/{job}/run", "{}"),
    ("DELETE", "/jobs/{job}", "{}"),
    ("GET", "/users", ""),
    ("GET", "/audit", ""),
    ("GET", "/secrets", ""),
    ("PUT", "/secrets/FORGED", '{"value": "x"}'),
    ("POST", "/api-keys", '{"name": "forged", "role": "owner"}'),
    ("POST", "/projects/default/invitations", '{"role": "owner"}'),
    ("PUT", "/projects/default/members/viewer-person", '{"role": "owner"}'),
    ("PATCH", "/projects/default", '{"name": "forged"}'),
    ("POST", "/queues/default/pause", "{}"),
    ("POST", "/workers/00000000-0000-7000-8000-000000000000/drain", "{}"),
    ("PATCH", "/task-functions/horae.echo", '{"is_active": false}'),
    ("DELETE", "/users/admin-person/sessions", ""),
]


@pytest.mark.parametrize("role", ["viewer", "admin"])
async def test_a_viewer_sees_no_buttons_that_change_things(horae: Horae, visit: Visit, role: str):
    target = {"kind": "script", "source": "exit 3"}
    job = await horae.job(schedule={"every": "1h"}, target=target, retry={"max_attempts": 1})
    run = await horae.run(job["name"])
    visitor = await visit(horae, as_=role)
    page = visitor.page
    for name, path in PAGES.items():
        await visitor.open(path.format(job=job["id"] if "/jobs/" in path else job["name"], run=run["id"]))
        await expect(page.locator("h1")).to_be_visible()
        await expect(page.locator("[aria-busy=true], [aria-label=Loading]")).to_have_count(0)
        if "{" in path:
            await expect(page.get_by_text(job["name"]).first).to_be_visible()
        found: list[str] = await page.evaluate(FOUND, CHANGES)
        if role == "viewer":
            assert not found, (name, found)
        elif name in BUSY:
            assert found, name


@pytest.mark.parametrize("role", SETTINGS)
async def test_settings_are_those_of_the_role(horae: Horae, visit: Visit, role: str):
    visitor = await visit(horae, as_=role)
    await visitor.open("/settings")
    links = visitor.page.get_by_role("navigation", name="Settings").get_by_role("link")
    await expect(links).to_have_text(SETTINGS[role])
    if "Members" not in SETTINGS[role]:
        await visitor.open("/settings/members")  # by hand
        await expect(visitor.page.get_by_role("alert")).to_contain_text("Not allowed for your role")


async def test_forged_requests_of_a_viewer_are_refused(horae: Horae, visit: Visit):
    job = await horae.job()
    viewer = await visit(horae, as_="viewer")
    await viewer.open("/no/such/page")
    await expect(viewer.page.get_by_role("heading", level=1)).to_be_visible()  # it has its own token by then
    token = await viewer.page.evaluate(LOGIN)
    for method, path, body in FORGERIES:
        real = path.replace("{job}", job["id"])
        viewer.forgive(403, real)
        assert await viewer.page.evaluate(FORGED, [method, real, body, token]) == 403, (method, path)
    assert (await horae.call("GET", f"/jobs/{job['id']}"))["version"] == 1
