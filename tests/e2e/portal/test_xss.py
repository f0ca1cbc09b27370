"""What people and programs write is shown as text: in every field, on every page."""

from typing import Any

from playwright.async_api import expect

from .conftest import Visit
from .horae import Horae
from .visitor import Visitor

# Without a mark that could be mistaken: any of it that runs leaves one on the window.
PAYLOAD = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\'"><svg onload=window.hacked=1>'
MARKUP = "main :is(img[src=x], script, svg[onload], b.mark, iframe), [role=dialog] :is(img[src=x], script, b.mark)"


class Written:
    """A project in which an attacker has named everything."""

    def __init__(self, horae: Horae) -> None:
        self.horae = horae
        self.mark = horae.name("xss")
        self.job: Any = None
        self.run: Any = None

    async def write(self) -> None:
        horae, text = self.horae, f"{self.mark} {PAYLOAD}"
        self.job = await horae.job(
            text,
            description=f"<b class=mark>{text}</b>",
            tags=["<b class=mark>tag</b>"],
            queue="<b class=mark>queue</b>",
            schedule={"cron": "0 4 * * *"},
            retry={"max_attempts": 1},
            target={
                "kind": "script",
                "source": f"cat <<'E'\n{PAYLOAD}\nE\ncat <<'E' >&2\n{PAYLOAD}\nE\nexit 3",
                "env": {"NOTE": PAYLOAD},
            },
        )
        self.run = await horae.run(self.job["id"], input={"text": PAYLOAD, PAYLOAD: 1})
        await horae.call("PATCH", f"/jobs/{self.job['id']}", {"description": PAYLOAD})
        await horae.call("POST", "/projects/default/invitations", {"role": "viewer", "note": text})
        await horae.call("POST", "/api-keys", {"name": text[:100]})
        await horae.call("PATCH", "/task-functions/horae.echo", {"display_name": PAYLOAD, "description": PAYLOAD})


PAGES = {
    "overview": "/",
    "jobs": "/jobs?q={mark}",
    "job": "/jobs/{job}",
    "job, versions": "/jobs/{job}?tab=versions",
    "edit": "/jobs/{job}/edit",
    "runs": "/runs?job={job}",
    "run": "/runs/{run}",
    "dead letters": "/dead-letters?job={job}",
    "calendar": "/calendar?q={mark}",
    "workers": "/workers",
    "queues": "/workers?tab=queues",
    "functions": "/functions",
    "function": "/functions?function=horae.echo",
    "members": "/settings/members",
    "keys": "/settings/keys",
    "secrets": "/settings/secrets",
    "audit": "/settings/audit?subject={job}",
    "filters": "/settings/audit?actor=%3Cimg%20src%3Dx%20onerror%3D%22window.hacked%3D1%22%3E",
}
# Where the text itself must be seen, as it was written.
SEEN = {"jobs", "job", "runs", "run", "calendar", "queues", "functions", "function", "members", "keys", "audit"}
WRITTEN: dict[str, Written] = {}


async def written(horae: Horae) -> Written:
    """Once for all pages: no one changes it."""
    if horae.url not in WRITTEN:
        made = Written(horae)
        await made.write()
        WRITTEN[horae.url] = made
    return WRITTEN[horae.url]


async def harmless(visitor: Visitor) -> None:
    assert await visitor.page.evaluate("() => window.hacked") is None
    assert await visitor.page.locator(MARKUP).count() == 0


async def test_text_is_text(horae: Horae, visit: Visit):
    text = await written(horae)
    admin = await visit(horae, as_="admin")
    for name, path in PAGES.items():
        await admin.open(path.format(mark=text.mark, job=text.job["id"], run=text.run["id"]))
        await expect(admin.page.locator("h1")).to_be_visible()
        await expect(admin.page.locator("[aria-busy=true], [aria-label=Loading]")).to_have_count(0)
        if name in SEEN:
            await expect(admin.page.get_by_text("<").first).to_be_visible()
        await harmless(admin)


async def test_toasts_and_questions_are_text(horae: Horae, visit: Visit):
    text = await written(horae)
    admin = await visit(horae, as_="admin")
    page = admin.page
    await admin.open(f"/jobs?q={text.mark}")
    row = page.get_by_role("row").filter(has_text=text.mark)
    await row.get_by_role("button", name="More actions for").click()
    await page.get_by_role("menuitem", name="Delete").click()
    await expect(page.get_by_role("dialog")).to_contain_text(PAYLOAD)
    await harmless(admin)
    await page.get_by_role("button", name="Cancel").click()
    await row.get_by_role("switch").click()
    await expect(page.get_by_text(f"Disabled {text.mark}")).to_be_visible()
    await harmless(admin)
    await page.get_by_role("button", name="Undo").click()
    await expect(row.get_by_role("switch")).to_have_attribute("aria-checked", "true")
