"""What owners and admins manage: users, keys, secrets; and the audit trail of it."""

import asyncio
from typing import Any

import httpx
from playwright.async_api import Page, Response, expect

from tests.waiting import until

from .conftest import Visit
from .horae import PASSWORD, Horae


async def shown_once(page: Page) -> str:
    """What a dialog shows this once; closed afterwards, it is nowhere on the page."""
    value = (await page.get_by_test_id("once").inner_text()).strip()
    await page.get_by_role("button", name="Done, I saved it").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert value not in await page.content()
    return value


async def choose(page: Page, row: str, item: str) -> None:
    await page.get_by_role("button", name=f"More actions for {row}").click()
    await page.get_by_role("menuitem", name=item, exact=True).click()


async def test_a_user_joins_by_an_invitation_link(horae: Horae, visit: Visit):
    owner = await visit(horae, as_="owner")
    page, name = owner.page, horae.name("eve")
    await owner.open("/settings/members")
    await page.get_by_role("button", name="Invite").click()
    await page.get_by_role("dialog").get_by_text("operator", exact=True).click()
    await page.get_by_label("Note").fill(f"for {name}")
    await owner.look("settings-invite")
    await page.get_by_role("button", name="Create link").click()
    link = await shown_once(page)
    assert link.startswith(f"{horae.url}/join#")
    await expect(page.get_by_text(f"for {name}")).to_be_visible()

    guest = await visit(horae, as_=None)
    await guest.open(link)
    await guest.page.get_by_label("Name").fill(name)
    await guest.page.get_by_label("Password", exact=True).fill(PASSWORD)
    await guest.page.get_by_label("Confirm password").fill(PASSWORD)
    await guest.page.get_by_role("button", name="Sign up").click()
    await expect(guest.page.get_by_role("navigation").first).to_be_visible()
    await guest.open("/settings/project")
    await expect(guest.page.get_by_text("operator", exact=True)).to_be_visible()

    await page.reload()
    role = page.get_by_label(f"Role of {name}")
    await expect(role).to_have_value("operator")
    await owner.look("settings-members")
    await role.select_option("viewer")
    await page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    await expect(role).to_have_value("operator")
    await role.select_option("viewer")
    await page.get_by_role("dialog").get_by_role("button", name="Change role").click()
    await expect(page.get_by_text(f"{name} is now viewer")).to_be_visible()
    await page.get_by_role("button", name=f"Remove {name}").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(role).to_have_count(0)


async def with_keys(horae: Horae, count: int) -> tuple[str, list[Any]]:
    """An owner of the project, and API keys they created."""
    owner, keys = horae.name("owner"), []
    await horae.call("POST", "/users", {"username": owner, "password": PASSWORD})
    await horae.call("PUT", f"/projects/default/members/{owner}", {"role": "owner"})
    async with httpx.AsyncClient(base_url=f"{horae.url}/api/v1") as api:
        tokens = (await api.post("/auth/login", json={"username": owner, "password": PASSWORD})).json()
        bearer = {"authorization": f"Bearer {tokens['access_token']}"}
        for _ in range(count):
            made = await api.post("/api-keys", json={"name": horae.name("key"), "role": "viewer"}, headers=bearer)
            keys.append(made.json())
    return owner, keys


async def works(horae: Horae, key: Any) -> bool:
    async with httpx.AsyncClient(base_url=f"{horae.url}/api/v1") as api:
        me = await api.get("/auth/me", headers={"authorization": f"Bearer {key['token']}"})
        return me.status_code == 200


async def test_a_leaver_s_keys_are_revoked_with_them_if_the_box_is_ticked(horae: Horae, visit: Visit):
    leaver, keys = await with_keys(horae, 2)
    admin = await visit(horae, as_="admin")
    page = admin.page
    await admin.open("/settings/users")
    await choose(page, leaver, "Disable")
    dialog = page.get_by_role("dialog")
    await admin.look("settings-disable-user")
    await dialog.get_by_role("button", name="Disable").click()
    await expect(page.get_by_text("API keys they created still work")).to_contain_text(keys[0]["name"])
    assert await works(horae, keys[0])
    await choose(page, leaver, "Delete")
    await dialog.get_by_label("Revoke the API keys they created").check()
    await page.get_by_label(f"Type {leaver} to confirm").fill(leaver)
    await dialog.get_by_role("button", name="Delete").click()
    await expect(page.get_by_text("Revoked their API keys")).to_contain_text(keys[1]["name"])

    async def refused() -> Any:
        return not await works(horae, keys[0]) and not await works(horae, keys[1])

    await until(refused, timeout=30)


async def test_lowering_a_role_offers_to_revoke_the_member_s_keys(horae: Horae, visit: Visit):
    demoted, (key,) = await with_keys(horae, 1)
    admin = await visit(horae, as_="admin")
    page = admin.page
    await admin.open("/settings/members")
    role = page.get_by_label(f"Role of {demoted}")
    await role.select_option("editor")
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("Their API keys keep the role they were created with")
    await admin.look("settings-lesser-role")
    await dialog.get_by_role("button", name="Change role").click()
    await expect(page.get_by_text("API keys they created still work")).to_contain_text(key["name"])
    assert await works(horae, key)
    await role.select_option("viewer")
    await dialog.get_by_label("Revoke the API keys they created").check()
    await dialog.get_by_role("button", name="Change role").click()
    await expect(page.get_by_text("Revoked their API keys")).to_contain_text(key["name"])

    async def refused() -> Any:
        return not await works(horae, key)

    await until(refused, timeout=30)
    await role.select_option("owner")  # more than before: nothing to ask
    await expect(page.get_by_text(f"{demoted} is now owner")).to_be_visible()


async def test_a_key_is_made_used_and_revoked(horae: Horae, visit: Visit):
    owner = await visit(horae, as_="owner")
    page, name = owner.page, horae.name("key")
    await owner.open("/settings/keys")
    await page.get_by_role("button", name="New key").first.click()
    await page.get_by_label("Name").fill(name)
    await page.get_by_label("Role").select_option("operator")
    await page.get_by_role("button", name="Create key").click()
    token = await shown_once(page)
    row = page.get_by_role("row").filter(has_text=name)
    await expect(row.get_by_text("never")).to_be_visible()
    await owner.look("settings-keys")

    async with httpx.AsyncClient(base_url=f"{horae.url}/api/v1", headers={"authorization": f"Bearer {token}"}) as api:
        me = (await api.get("/auth/me")).json()
        assert (me["actor"], me["projects"][0]["role"]) == (f"key:{name}", "operator")
        assert (await api.get("/users")).status_code == 403
        await page.get_by_role("button", name=f"Revoke {name}").click()
        await page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
        await expect(row).to_have_count(0)

        async def refused() -> Any:
            return (await api.get("/auth/me")).status_code == 401

        await until(refused, timeout=30)


async def test_a_secret_is_set_and_never_read(horae: Horae, visit: Visit):
    owner = await visit(horae, as_="owner")
    page, name, value = owner.page, f"TOKEN_{horae.name('x').upper().replace('-', '_')}", "a-value-that-nobody-reads"
    answers: list[asyncio.Future[str]] = []

    def read(answer: Response) -> None:
        if "/api/v1/secrets" in answer.url:
            answers.append(asyncio.ensure_future(answer.text()))

    page.on("response", read)
    await owner.open("/settings/secrets")
    await page.get_by_role("button", name="New secret").first.click()
    await page.get_by_label("Name", exact=True).fill(name)
    await page.get_by_label("Value").fill(value)
    await page.get_by_role("button", name="Set", exact=True).click()
    await expect(page.get_by_role("row").filter(has_text=name)).to_be_visible()
    await owner.look("settings-secrets")

    await page.get_by_role("button", name=f"Replace {name}").click()
    await page.get_by_label("Value").fill(f"{value}-2")
    await page.get_by_role("dialog").get_by_role("button", name="Replace").click()
    await expect(page.get_by_text(f"Replaced {name}")).to_be_visible()
    told = await asyncio.gather(*answers)
    assert any(name in text for text in told)
    assert not any(value in text for text in told)
    page.remove_listener("response", read)
    await page.reload()
    await expect(page.get_by_role("row").filter(has_text=name)).to_be_visible()
    assert value not in await page.content()

    job = await horae.job(target={"kind": "script", "source": "true", "env": {"T": f"{{{{ secrets.{name} }}}}"}})
    owner.forgive(409, f"/secrets/{name}")
    await page.get_by_role("button", name=f"Delete {name}").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(page.get_by_role("dialog")).to_contain_text(job["name"])  # where it is used
    await page.get_by_role("button", name="Delete anyway").click()
    await expect(page.get_by_role("row").filter(has_text=name)).to_have_count(0)


async def test_the_audit_trail_shows_who_did_what(horae: Horae, visit: Visit):
    job = await horae.job(description="before")
    await horae.call("PATCH", f"/jobs/{job['id']}", {"description": "after", "tags": ["new"]})
    await horae.call("POST", f"/jobs/{job['id']}/pause", {})
    owner = await visit(horae, as_="owner")
    page = owner.page
    await owner.open(f"/settings/audit?subject={job['name']}")
    entries = page.get_by_role("list", name="Audit trail").get_by_role("listitem")
    await expect(entries).to_have_count(3)
    await expect(entries.nth(0)).to_contain_text(f"key:local paused the job {job['name']}")
    await page.get_by_role("button", name=f"Changes: job.edit {job['name']}").click()
    await expect(entries.nth(1)).to_contain_text("before")
    await expect(entries.nth(1)).to_contain_text("after")
    await owner.look("settings-audit")
    await entries.nth(0).get_by_role("button", name="paused the job").click()
    await expect(entries).to_have_count(1)
    assert "action=job.pause" in page.url
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Export").click()
    assert (await download.value).suggested_filename == "audit.jsonl"
    lines = (await (await download.value).path()).read_text().splitlines()
    assert [job["name"] in line for line in lines] == [True]


async def test_an_admin_makes_disables_and_deletes_a_user(horae: Horae, visit: Visit):
    admin = await visit(horae, as_="admin")
    page, name = admin.page, horae.name("user")
    await admin.open("/settings/users")
    await page.get_by_role("button", name="New user").click()
    await page.get_by_label("Name").fill(name)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Create account").click()
    row = page.get_by_role("row").filter(has_text=name)
    await expect(row).to_be_visible()
    await admin.look("settings-users")

    await choose(page, name, "Disable")
    await page.get_by_role("dialog").get_by_role("button", name="Disable").click()
    await expect(row.get_by_text("disabled")).to_be_visible()
    await choose(page, name, "Set a new password")
    await page.get_by_role("textbox", name="New password").fill(f"{PASSWORD} again")
    await page.get_by_role("button", name="Set it").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await choose(page, name, "Delete")
    remove = page.get_by_role("dialog").get_by_role("button", name="Delete")
    await expect(remove).to_be_disabled()
    await page.get_by_label(f"Type {name} to confirm").fill(name)
    await remove.click()
    await expect(row).to_have_count(0)


async def test_a_project_is_made_renamed_and_deleted(horae: Horae, visit: Visit):
    admin = await visit(horae, as_="admin")
    page, slug = admin.page, horae.name("project")
    await admin.open("/settings/project")
    await page.get_by_role("button", name="New project").click()
    await page.get_by_label("Slug").fill(slug)
    await page.get_by_role("button", name="Create project").click()
    await page.wait_for_url(f"{horae.url}/p/{slug}/settings/members")
    await admin.open(f"/p/{slug}/settings/project")
    await page.get_by_label("Name").fill("Another name")
    await page.get_by_role("button", name="Rename").click()
    await expect(page.get_by_role("button", name="Project: Another name")).to_be_visible()
    await admin.look("settings-project")
    await page.get_by_role("button", name="Delete the project").click()
    await page.get_by_label(f"Type {slug} to confirm").fill(slug)
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(page.get_by_role("navigation").first).to_be_visible()
    await until(lambda: slug not in page.url)
    assert slug not in [one["slug"] for one in (await horae.call("GET", "/projects"))["items"]]


async def test_ones_own_account(horae: Horae, visit: Visit):
    name, new = horae.name("own"), f"{PASSWORD} too"
    await horae.call("POST", "/users", {"username": name, "password": PASSWORD})
    await horae.call("PUT", f"/projects/default/members/{name}", {"role": "viewer"})
    here, there = await visit(horae, as_=None), await visit(horae, as_=None)
    for one in (here, there):
        await one.open("/settings/account")
        await one.fill_in(name, PASSWORD)
        await expect(one.page.get_by_role("heading", name="My account")).to_be_visible()
    page = here.page
    await here.look("settings-account")
    await page.get_by_label("Time zone").select_option("Asia/Tokyo")
    await page.get_by_text("Last sign-in").locator("xpath=..").locator("time").hover()
    await expect(page.get_by_role("tooltip")).to_contain_text("GMT+9")

    await page.get_by_label("Current password").fill(PASSWORD)
    await page.get_by_label("New password", exact=True).fill(new)
    await page.get_by_label("Confirm new password").fill(new)
    await page.get_by_role("button", name="Change password").click()
    await expect(page.get_by_text("Password changed")).to_be_visible()
    there.forgive(401, "/auth/refresh")
    await there.page.reload()
    await expect(there.page.get_by_role("heading", name="Sign in")).to_be_visible()
    await there.fill_in(name, new)
    await expect(there.page.get_by_role("heading", name="My account")).to_be_visible()

    await page.get_by_role("button", name="Sign out everywhere").click()
    await page.get_by_role("dialog").get_by_role("button", name="Sign out everywhere").click()
    await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    await there.page.reload()
    await expect(there.page.get_by_role("heading", name="Sign in")).to_be_visible()
