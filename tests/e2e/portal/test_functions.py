"""Functions that workers have registered."""

from playwright.async_api import expect

from .conftest import Visit
from .horae import Horae


async def test_a_job_is_made_from_a_function(horae: Horae, visit: Visit):
    owner = await visit(horae, as_="owner")
    page = owner.page
    await owner.open("/functions?q=sleep")
    row = page.get_by_role("row").filter(has_text="horae.sleep")
    await expect(row.get_by_role("link", name="1 worker")).to_be_visible()
    await expect(page.get_by_role("switch")).to_have_count(0)  # that is for admins
    await row.get_by_role("link", name="horae.sleep", exact=True).click()
    sheet = page.get_by_role("dialog")
    parameter = sheet.get_by_role("row").filter(has_text="seconds")
    await expect(parameter).to_contain_text("number")
    await expect(parameter).to_contain_text("required")
    await owner.look("function")
    await sheet.get_by_role("link", name="Create job").click()
    await expect(page).to_have_url(f"{horae.url}/jobs/new?function=horae.sleep")
    await expect(page.get_by_label("seconds")).to_be_visible()


async def test_an_admin_registers_a_function_by_path(horae: Horae, visit: Visit):
    admin = await visit(horae, as_="admin")
    page = admin.page
    await admin.open("/functions")
    await page.get_by_role("button", name="Register by path").click()
    dialog = page.get_by_role("dialog")
    admin.forgive(422, "/task-functions")
    await dialog.get_by_label("Path").fill("os.system")
    await dialog.get_by_label("Name").fill("nowhere")
    await dialog.get_by_role("button", name="Register").click()
    await expect(dialog).to_contain_text("wrap the call in your own function")
    await dialog.get_by_label("Path").fill("nowhere.at.all")
    await dialog.get_by_role("button", name="Register").click()
    row = page.get_by_role("row").filter(has_text="nowhere")
    await expect(row).to_be_visible()
    await admin.open("/functions?function=nowhere")
    await expect(page.get_by_role("dialog")).to_contain_text("nowhere.at.all")
    await horae.call("DELETE", "/task-functions/nowhere")


async def test_an_admin_switches_a_function_off_and_on(horae: Horae, visit: Visit):
    admin = await visit(horae, as_="admin")
    page = admin.page
    await admin.open("/functions?q=noop")
    switch = page.get_by_role("switch", name="horae.noop is active")
    await switch.click()
    await expect(switch).to_have_attribute("aria-checked", "false")
    await expect(page.get_by_role("link", name="Create a job from horae.noop")).to_have_count(0)
    await page.get_by_role("button", name="Undo").click()
    await expect(switch).to_have_attribute("aria-checked", "true")
