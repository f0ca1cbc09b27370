"""Users change a function's display name and description."""

from playwright.async_api import expect

from .conftest import Visit
from .horae import Horae


async def test_an_admin_describes_a_function(horae: Horae, visit: Visit):
    admin = await visit(horae, as_="admin")
    page = admin.page
    before = await horae.call("GET", "/task-functions/horae.fail")
    await admin.open("/functions?function=horae.fail")
    await page.get_by_role("button", name="Edit").click()
    form = page.get_by_role("dialog", name="Describe horae.fail")
    await form.get_by_label("Display name").fill("Goes wrong")
    await form.get_by_label("Description").fill("On purpose.\nFor tests.")
    await admin.look("function-edit")
    await form.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("dialog").get_by_text("Goes wrong")).to_be_visible()
    after = await horae.call("GET", "/task-functions/horae.fail")
    assert (after["display_name"], after["description"]) == ("Goes wrong", "On purpose.\nFor tests.")
    words = {name: before[name] for name in ("display_name", "description")}
    await horae.call("PATCH", "/task-functions/horae.fail", words)
