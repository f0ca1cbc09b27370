"""Getting in and out."""

from playwright.async_api import expect

from .conftest import Visit
from .horae import PASSWORD, Horae


async def test_the_first_admin(fresh_horae: Horae, visit: Visit):
    stranger = await visit(fresh_horae, as_=None)
    page = stranger.page
    await stranger.open("/")
    await expect(page.get_by_role("heading", name="Welcome to Horae")).to_be_visible()
    await stranger.look("first-admin")

    link = await fresh_horae.link()
    assert link.startswith(fresh_horae.url)
    await stranger.open(link)
    await expect(page.get_by_label("One-time token")).to_have_value(link.partition("#")[2])
    await page.get_by_label("Name").fill("ada")
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.get_by_label("Confirm password").fill(PASSWORD)
    await page.get_by_role("button").filter(has_text="admin").click()
    await expect(page.get_by_role("navigation").first).to_be_visible()
    assert "hf1_" not in page.url
    users = await fresh_horae.call("GET", "/users")
    assert [(user["username"], user["is_admin"]) for user in users["items"]] == [("ada", True)]


async def test_in_and_out(horae: Horae, visit: Visit):
    visitor = await visit(horae, as_=None)
    page = visitor.page
    await visitor.open("/")
    await expect(page).to_have_title("Sign in · Horae")
    await visitor.look("sign-in")
    await visitor.sign_in("operator")
    await page.reload()  # the session outlives the page
    await expect(page.get_by_role("navigation").first).to_be_visible()
    assert await page.evaluate("() => document.cookie") == ""  # no script can read it

    await page.get_by_role("button", name="operator-person").click()
    await page.get_by_role("menuitem", name="Sign out").click()
    await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    await page.reload()
    await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert await visitor.context.cookies() == []


async def test_a_wrong_password(horae: Horae, visit: Visit):
    visitor = await visit(horae, as_=None)
    visitor.forgive(401, "/auth/login")
    name = await horae.person("editor")
    await visitor.open("/jobs")
    await visitor.fill_in(name, "a wrong password")
    await expect(visitor.page.get_by_role("alert")).to_contain_text("password")
    await visitor.look("sign-in-wrong")
    await visitor.fill_in(name, PASSWORD)
    await expect(visitor.page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()


async def test_a_link_is_followed_after_signing_in(horae: Horae, visit: Visit):
    job = await horae.job()
    visitor = await visit(horae, as_=None)
    await visitor.open(f"/jobs?q={job['name']}")
    await visitor.fill_in(await horae.person("viewer"), PASSWORD)
    await expect(visitor.page.get_by_role("link", name=job["name"])).to_be_visible()
    assert f"q={job['name']}" in visitor.page.url


async def test_a_page_that_is_not_there(horae: Horae, visit: Visit):
    visitor = await visit(horae, as_="viewer")
    await visitor.open("/no/such/page")
    await expect(visitor.page.get_by_role("heading", level=1)).to_be_visible()
    await visitor.look("not-found")
