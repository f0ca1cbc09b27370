"""A second factor in the portal: set up with an app, required at sign-in, reset by an admin."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import Page, expect

from horae.clock import SystemClock
from horae.domain.people import totp

from .conftest import Visit
from .horae import PASSWORD, Horae
from .visitor import Visitor


class App:
    """An authenticator app: its secret, and its codes, none of which is used twice."""

    def __init__(self, secret: str) -> None:
        self._secret, self._used = totp.read(secret.replace(" ", "")), 0

    @classmethod
    async def scan(cls, page: Page) -> "App":
        await expect(page.get_by_role("img", name="QR code")).to_be_visible()
        return cls(await page.get_by_test_id("secret").inner_text())

    def code(self) -> str:
        self._used = max(totp.step_at(SystemClock().now()), self._used + 1)
        return totp.code_at(self._secret, self._used)


@pytest_asyncio.fixture(loop_scope="session")
async def strict_horae(built: None, tmp_path: Path) -> AsyncIterator[Horae]:
    running = await Horae.start(tmp_path, HORAE_SECOND_FACTOR="required")
    try:
        yield running
    finally:
        running.stop()


async def codes_shown(page: Page) -> list[str]:
    shown = page.get_by_role("list", name="Recovery codes").get_by_role("listitem")
    await expect(shown).to_have_count(10)
    return await shown.all_inner_texts()


async def somebody(horae: Horae) -> str:
    name = horae.name("two")
    await horae.call("POST", "/users", {"username": name, "password": PASSWORD})
    await horae.call("PUT", f"/projects/default/members/{name}", {"role": "viewer"})
    return name


async def give(visitor: Visitor, code: str) -> None:
    await visitor.page.get_by_label("Code").fill(code)
    await visitor.page.get_by_role("button", name="Sign in", exact=True).click()


async def test_a_user_enrols_signs_in_with_a_code_and_turns_it_off(horae: Horae, visit: Visit):
    name = await somebody(horae)
    visitor = await visit(horae, as_=None)
    page = visitor.page
    await visitor.open("/settings/account")
    await visitor.fill_in(name, PASSWORD)
    await page.get_by_role("button", name="Turn on").click()
    dialog = page.get_by_role("dialog")
    visitor.forgive(403, "/auth/second-factor")
    await dialog.get_by_label("Password").fill("not the password")
    await dialog.get_by_role("button", name="Continue").click()
    await expect(dialog.get_by_role("alert")).to_contain_text("password")
    await dialog.get_by_label("Password").fill(PASSWORD)
    await dialog.get_by_role("button", name="Continue").click()
    app = await App.scan(page)
    await visitor.look("second-factor-enrol")
    await dialog.get_by_label("Code from the app").fill("12")
    await dialog.get_by_role("button", name="Turn on").click()
    await expect(dialog.get_by_role("alert")).to_contain_text("code is wrong")
    await dialog.get_by_label("Code from the app").fill(app.code())
    await dialog.get_by_role("button", name="Turn on").click()
    codes = await codes_shown(page)
    await visitor.look("second-factor-codes")
    async with page.expect_download() as download:
        await dialog.get_by_role("button", name="Download").click()
    assert (await (await download.value).path()).read_text().split() == codes
    await dialog.get_by_role("button", name="Done, I saved them").click()
    await expect(page.get_by_text("10 recovery codes left")).to_be_visible()
    assert codes[0] not in await page.content()

    other = await visit(horae, as_=None)
    other.forgive(401, "/auth/login")
    await other.open("/settings/account")
    await other.fill_in(name, PASSWORD)
    await expect(other.page.get_by_role("heading", name="Two-factor sign-in")).to_be_visible()
    await other.look("sign-in-code")
    other.forgive(401, "/auth/login/code")
    await give(other, "12")
    await expect(other.page.get_by_role("alert")).to_contain_text("code is wrong")
    await give(other, app.code())
    await expect(other.page.get_by_text("10 recovery codes left")).to_be_visible()
    await other.page.reload()
    await expect(other.page.get_by_text("10 recovery codes left")).to_be_visible()
    await other.look("second-factor-on")

    lost = await visit(horae, as_=None)  # their phone
    lost.forgive(401, "/auth/login")
    await lost.open("/settings/account")
    await lost.fill_in(name, PASSWORD)
    await give(lost, codes[0].upper())
    await expect(lost.page.get_by_text("9 recovery codes left")).to_be_visible()
    await lost.page.get_by_role("button", name="New recovery codes").click()
    dialog = lost.page.get_by_role("dialog")
    await dialog.get_by_label("Password").fill(PASSWORD)
    await dialog.get_by_label("Code").fill(codes[1])
    await dialog.get_by_role("button", name="Create").click()
    fresh = await codes_shown(lost.page)
    assert not set(fresh) & set(codes)
    await dialog.get_by_role("button", name="Done, I saved them").click()
    await lost.page.get_by_role("button", name="Turn off").click()
    await dialog.get_by_label("Password").fill(PASSWORD)
    await dialog.get_by_label("Code").fill(fresh[0])
    await lost.look("second-factor-off")
    await dialog.get_by_role("button", name="Turn off").click()
    await expect(lost.page.get_by_role("button", name="Turn on")).to_be_visible()


async def test_where_it_is_required_it_is_set_up_at_sign_in_and_an_admin_resets_it(strict_horae: Horae, visit: Visit):
    name = await somebody(strict_horae)
    visitor = await visit(strict_horae, as_=None)
    page = visitor.page
    visitor.forgive(401, "/auth/login")
    await visitor.open("/settings/account")
    await visitor.fill_in(name, PASSWORD)
    app = await App.scan(page)
    await visitor.look("sign-in-enrol")
    await page.get_by_label("Code from the app").fill(app.code())
    await page.get_by_role("button", name="Turn on and sign in").click()
    await codes_shown(page)
    await visitor.look("sign-in-recovery-codes")
    await page.get_by_role("button", name="Done, I saved them").click()
    await expect(page.get_by_text("Required by this installation")).to_be_visible()
    await expect(page.get_by_role("button", name="Turn off")).to_have_count(0)

    admin = await visit(strict_horae, as_=None)
    admin.forgive(401, "/auth/login")
    await admin.open("/settings/users")
    await admin.fill_in(await strict_horae.person("admin"), PASSWORD)
    own = await App.scan(admin.page)
    await admin.page.get_by_label("Code from the app").fill(own.code())
    await admin.page.get_by_role("button", name="Turn on and sign in").click()
    await admin.page.get_by_role("button", name="Done, I saved them").click()
    row = admin.page.get_by_role("row").filter(has_text=name)
    await expect(row.get_by_text("2FA")).to_be_visible()
    await admin.look("settings-users-second-factor")
    await admin.page.get_by_role("button", name=f"More actions for {name}").click()
    await admin.page.get_by_role("menuitem", name="Reset second factor").click()
    await admin.page.get_by_role("dialog").get_by_role("button", name="Reset").click()
    await expect(row.get_by_text("2FA")).to_have_count(0)

    visitor.forgive(401, "/auth/refresh")
    await page.reload()
    await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
