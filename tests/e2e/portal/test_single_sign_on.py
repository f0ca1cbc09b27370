"""Signing in through a real identity provider, in a real browser; and the command line by way of it."""

import json
import os
import pty
import re
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.integration.up.running import free_port
from tests.provider.running import OidcProvider
from tests.waiting import until

from .conftest import Visit
from .horae import PASSWORD, Horae
from .test_second_factor import App, somebody
from .visitor import Visitor

ROLES = "admins=admin,staff=default:editor"
CTRL_C = b"\x03"


async def begin(folder: Path, provider: dict[str, Any] | None = None, **settings: str) -> tuple[Horae, OidcProvider]:
    port = free_port()
    at = OidcProvider(folder / "provider", f"http://127.0.0.1:{port}", **(provider or {}))
    (folder / "provider").mkdir()
    at.know("ada", groups=["staff"], email="ada@example.org", email_verified=True)
    at.know("root", groups=["admins"])
    at.know("eve", groups=["others"])
    at.know("admin-person", groups=["staff"])  # the name of someone who has a password
    await at.start()
    environment = {"HORAE_PORT": str(port), "HORAE_OIDC_ROLES": ROLES, **at.settings, **settings}
    try:
        horae = await Horae.start(folder, **environment)
    except BaseException:
        at.stop()
        raise
    return horae, at


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def both(built: None, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Horae, OidcProvider]]:
    horae, provider = await begin(tmp_path_factory.mktemp("sso"), {"userinfo": True})
    try:
        await horae.admin()
        yield horae, provider
    finally:
        provider.stop()
        horae.stop()


@pytest.fixture
def sso_horae(both: tuple[Horae, OidcProvider]) -> Horae:
    return both[0]


@pytest.fixture
def provider(both: tuple[Horae, OidcProvider]) -> OidcProvider:
    return both[1]


async def at_provider(page: Page, name: str) -> None:
    """What people do there: they type who they are, and agree."""
    await page.locator("input[name=login]").fill(name)
    await page.locator("input[name=password]").fill("whatever")
    await page.get_by_role("button", name="Sign-in").click()
    await page.get_by_role("button", name="Continue").click()


async def sign_in(visitor: Visitor, name: str, path: str = "/") -> None:
    # Its pages want a font from elsewhere, which no one here can reach.
    await visitor.page.route("**/*googleapis*/**", lambda route: route.fulfill(body="", content_type="text/css"))
    await visitor.open(path)
    await visitor.page.get_by_role("button", name="Sign in with Example ID").click()
    await at_provider(visitor.page, name)


async def me(visitor: Visitor) -> Any:
    headers = {"horae-client": "portal", "origin": visitor.horae.url}
    tokens = await (await visitor.context.request.post("/api/v1/auth/refresh", data={}, headers=headers)).json()
    answer = await visitor.context.request.get(
        "/api/v1/auth/me", headers={"authorization": f"Bearer {tokens['access_token']}"}
    )
    return await answer.json()


async def test_in_through_the_provider_and_out_again(sso_horae: Horae, visit: Visit):
    visitor = await visit(sso_horae, as_=None)
    page = visitor.page
    await visitor.open("/jobs?q=x")
    await expect(page.get_by_role("button", name="Sign in with Example ID")).to_be_visible()
    await visitor.look("sign-in-sso")
    await sign_in(visitor, "ada", "/jobs?q=x")
    await expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()
    assert page.url == f"{sso_horae.url}/jobs?q=x", "where they were going, without a trace of the way"
    assert await page.evaluate("() => document.cookie") == ""
    await page.reload()  # the session outlives the page
    await expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()
    await visitor.open("/settings/account")
    await expect(page.get_by_role("heading", name="My account")).to_be_visible()
    await expect(page.get_by_text("Sessions", exact=True)).to_be_visible()
    assert await page.get_by_text("Change password").count() == 0
    await visitor.look("account-sso")

    await page.get_by_role("button", name="ada").click()
    await page.get_by_role("menuitem", name="Sign out").click()
    await page.get_by_role("button", name="Yes, sign me out").click()  # at the provider
    await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert page.url.startswith(f"{sso_horae.url}/")
    assert [
        cookie["name"] for cookie in await visitor.context.cookies(sso_horae.url) if "horae" in cookie["name"]
    ] == []


async def test_roles_follow_the_groups(sso_horae: Horae, provider: OidcProvider, visit: Visit):
    provider.know("bob", groups=["staff", "admins"])
    first = await visit(sso_horae, as_=None)
    await sign_in(first, "bob")
    await expect(first.page.get_by_role("navigation").first).to_be_visible()
    told = await me(first)
    assert (told["is_admin"], [place["role"] for place in told["projects"]]) == (True, ["editor"])
    provider.know("bob", groups=["staff"])
    second = await visit(sso_horae, as_=None)
    await sign_in(second, "bob")
    await expect(second.page.get_by_role("navigation").first).to_be_visible()
    assert (await me(second))["is_admin"] is False
    changes = (await sso_horae.call("GET", "/audit?all_projects=true&limit=20"))["items"]
    assert ("sso", "user.edit", "bob") in [(one["actor"], one["action"], one["subject"]["name"]) for one in changes]


@pytest.mark.parametrize(("name", "words"), [("eve", "do not have access"), ("admin-person", "exists already")])
async def test_a_refused_sign_in_shows_the_reason(sso_horae: Horae, visit: Visit, name: str, words: str):
    visitor = await visit(sso_horae, as_=None)
    await sign_in(visitor, name)
    await expect(visitor.page.get_by_role("alert")).to_contain_text(words)
    assert "#" not in visitor.page.url
    if name == "eve":
        await visitor.look("sign-in-sso-refused")


async def test_cancelling_at_the_provider_shows_a_message(sso_horae: Horae, visit: Visit):
    visitor = await visit(sso_horae, as_=None)
    await visitor.page.route("**/*googleapis*/**", lambda route: route.fulfill(body="", content_type="text/css"))
    await visitor.open("/runs")
    await visitor.page.get_by_role("button", name="Sign in with Example ID").click()
    await visitor.page.get_by_role("link", name="Cancel").click()
    await expect(visitor.page.get_by_role("alert")).to_contain_text("cancelled")
    assert visitor.page.url == f"{sso_horae.url}/runs"


async def test_connecting_takes_a_code_of_the_second_factor_that_it_ends(
    sso_horae: Horae, provider: OidcProvider, visit: Visit
):
    provider.know("twofold-at-example", groups=[])
    name = await somebody(sso_horae)
    visitor = await visit(sso_horae, as_=None)
    page, dialog = visitor.page, visitor.page.get_by_role("dialog")
    await page.route("**/*googleapis*/**", lambda route: route.fulfill(body="", content_type="text/css"))
    await visitor.open("/settings/account")
    await visitor.fill_in(name, PASSWORD)
    await page.get_by_role("button", name="Turn on").click()
    await dialog.get_by_label("Password").fill(PASSWORD)
    await dialog.get_by_role("button", name="Continue").click()
    app = await App.scan(page)
    await dialog.get_by_label("Code from the app").fill(app.code())
    await dialog.get_by_role("button", name="Turn on").click()
    await dialog.get_by_role("button", name="Done, I saved them").click()
    await page.get_by_role("button", name="Connect to Example ID").click()
    await page.get_by_label("Your current password").fill(PASSWORD)
    await visitor.look("account-connect-code")
    visitor.forgive(403, "/auth/sso/link")
    await dialog.get_by_label("Code").fill("12")
    await page.get_by_role("button", name="Continue").click()
    await expect(dialog.get_by_role("alert")).to_contain_text("code is wrong")
    await dialog.get_by_label("Code").fill(app.code())
    await page.get_by_role("button", name="Continue").click()
    await at_provider(page, "twofold-at-example")
    await expect(page.get_by_text("You sign in with Example ID.")).to_be_visible()


async def test_an_account_with_a_password_is_connected_by_its_user(
    sso_horae: Horae, provider: OidcProvider, visit: Visit
):
    provider.know("connie-at-example", groups=[])
    visitor = await visit(sso_horae, as_="viewer")
    page = visitor.page
    await page.route("**/*googleapis*/**", lambda route: route.fulfill(body="", content_type="text/css"))
    await visitor.open("/settings/account")
    await page.get_by_role("button", name="Connect to Example ID").click()
    await page.get_by_label("Your current password").fill(PASSWORD)
    await visitor.look("account-connect")
    await page.get_by_role("button", name="Continue").click()
    await at_provider(page, "connie-at-example")
    await expect(page.get_by_text("Your account is connected")).to_be_visible()
    await expect(page.get_by_text("You sign in with Example ID.")).to_be_visible()
    await expect(page.get_by_role("button", name="Change password")).to_have_count(0)
    await visitor.look("account-connected")
    again = await visit(sso_horae, as_=None)
    await sign_in(again, "connie-at-example")
    await expect(again.page.get_by_role("navigation").first).to_be_visible()
    told = await me(again)
    assert (told["actor"], told["projects"][0]["role"]) == ("user:viewer-person", "viewer")


class Terminal:
    """A command on its own terminal."""

    def __init__(self, horae: Horae, home: Path, *arguments: str) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("HORAE_")}
        home.mkdir(exist_ok=True)
        environ = {**clean, "XDG_CONFIG_HOME": str(home), "HORAE_DATA_DIR": str(home / "data"), "HOME": str(home)}
        self._pid, self.master = pty.fork()
        if self._pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # the process that started the tests may have ignored it
            os.execve(sys.executable, [sys.executable, "-m", "horae", *arguments, "--url", horae.url], environ)
        os.set_blocking(self.master, False)
        self._screen = b""
        self._status: int | None = None

    @property
    def screen(self) -> str:
        try:
            while piece := os.read(self.master, 65_536):
                self._screen += piece
        except OSError:  # nothing more at the moment, or the other end is closed
            pass
        return self._screen.decode().replace("\r\n", "\n")

    async def code(self) -> tuple[str, str]:
        """Where to go, and the code."""
        found: Any = await until(lambda: re.search(r"Open (\S+\?code=(\S+))\n.*shows the code \2", self.screen))
        return found[1], found[2]

    @property
    def is_over(self) -> bool:
        if self._status is None:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            self._status = status if pid else None
        return self._status is not None

    async def ended(self) -> int:
        await until(lambda: (self.screen, self.is_over)[1], timeout=60)
        assert self._status is not None
        return os.waitstatus_to_exitcode(self._status)


async def test_the_command_line_signs_in_by_the_browser(sso_horae: Horae, visit: Visit, tmp_path: Path):
    terminal = Terminal(sso_horae, tmp_path / "home", "login", "--sso")
    link, code = await terminal.code()
    assert link == f"{sso_horae.url}/device?code={code}"
    visitor = await visit(sso_horae, as_=None)
    page = visitor.page
    await sign_in(visitor, "ada", link)
    await expect(page.get_by_label("Code")).to_have_value(code)
    await visitor.look("device-code")
    await page.get_by_role("button", name="Continue").click()
    await expect(page.get_by_role("heading", name="Sign in as ada?")).to_be_visible()
    await expect(page.get_by_text(code)).to_be_visible()
    await expect(page.get_by_text("horae on ")).to_be_visible()
    await expect(page.get_by_text("the same address as yours")).to_be_visible()
    await visitor.look("device-decide")
    assert not terminal.is_over, "nothing happens before somebody says so"
    await page.get_by_role("button", name="Approve").click()
    await expect(page.get_by_role("heading", name="Signed in")).to_be_visible()
    await visitor.look("device-done")
    assert await terminal.ended() == 0, terminal.screen
    assert f"Signed in as ada on {sso_horae.url}." in terminal.screen
    login = tmp_path / "home" / "horae" / "login.json"
    assert (json.loads(login.read_text())["username"], login.stat().st_mode & 0o777) == ("ada", 0o600)


async def test_a_sign_in_that_is_denied_or_given_up(sso_horae: Horae, visit: Visit, tmp_path: Path):
    terminal = Terminal(sso_horae, tmp_path / "home", "login", "--sso")
    link, code = await terminal.code()
    visitor = await visit(sso_horae, as_="operator")  # with a password: it is all the same
    await visitor.open(link)
    await visitor.page.get_by_role("button", name="Continue").click()
    await visitor.page.get_by_role("button", name="Deny").click()
    await expect(visitor.page.get_by_role("heading", name="Denied")).to_be_visible()
    assert await terminal.ended() == 1
    assert "horae: the sign-in was denied in the browser" in terminal.screen
    assert not (tmp_path / "home" / "horae" / "login.json").exists()

    another = Terminal(sso_horae, tmp_path / "home", "login", "--sso")
    await another.code()
    os.write(another.master, CTRL_C)
    assert await another.ended() == 130
    assert ("interrupted" in another.screen, "Traceback" in another.screen) == (True, False)
    visitor.forgive(404, f"/auth/device/{code}")
    await visitor.open(link)
    await visitor.page.get_by_role("button", name="Continue").click()
    await expect(visitor.page.get_by_role("alert")).to_contain_text("no such code")


async def test_a_provider_that_is_away(tmp_path: Path, built: None, visit: Visit):
    horae, provider = await begin(tmp_path)
    try:
        await horae.admin()
        provider.stop()
        visitor = await visit(horae, as_=None)
        visitor.forgive(503, "/auth/sso/start")
        await visitor.open("/")
        await visitor.page.get_by_role("button", name="Sign in with Example ID").click()
        await expect(visitor.page.get_by_role("alert")).to_contain_text("Example ID is not responding right now")
        await visitor.look("sign-in-sso-away")
        await visitor.fill_in("admin-person", PASSWORD)
        await expect(visitor.page.get_by_role("navigation").first).to_be_visible()
    finally:
        provider.stop()
        horae.stop()


async def test_without_passwords(tmp_path: Path, built: None, visit: Visit):
    """The first admin comes by a group, and no token is printed."""
    horae, provider = await begin(tmp_path, {"algorithm": "ES256"}, HORAE_PASSWORD_SIGN_IN="off")
    try:
        visitor = await visit(horae, as_=None)
        await visitor.open("/")
        await expect(visitor.page.get_by_role("button", name="Sign in with Example ID")).to_be_visible()
        await expect(visitor.page.get_by_label("Password")).to_have_count(0)
        await visitor.look("sign-in-sso-only")
        await sign_in(visitor, "root")
        await expect(visitor.page.get_by_role("navigation").first).to_be_visible()
        assert (await me(visitor))["is_admin"]
        assert "hf1_" not in horae.running.output
        terminal = Terminal(horae, tmp_path / "home", "login")
        await terminal.code()  # automatically
        os.write(terminal.master, CTRL_C)
        await terminal.ended()
    finally:
        provider.stop()
        horae.stop()
