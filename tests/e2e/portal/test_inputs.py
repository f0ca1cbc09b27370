"""The input of a function's run: entered in the fields of its parameters, or as JSON."""

from playwright.async_api import expect

from .conftest import Visit
from .horae import Horae


async def test_a_function_is_run_with_fields_and_retried_with_json(horae: Horae, visit: Visit):
    job = await horae.job(target={"kind": "python", "function": "horae.sleep"})
    operator = await visit(horae, as_="operator")
    page = operator.page
    await operator.open(f"/jobs/{job['id']}")
    await page.get_by_role("button", name="Run now").click()
    dialog = page.get_by_role("dialog")
    operator.forgive(422, f"/jobs/{job['id']}/run")
    await dialog.get_by_role("button", name="Run", exact=True).click()
    await expect(dialog.get_by_role("alert")).to_be_visible()  # it needs one, and the job gives none
    await dialog.get_by_label("seconds").fill("0.25")
    await operator.look("job-run-now-fields")
    await dialog.get_by_role("button", name="As JSON").click()
    await expect(dialog.get_by_role("textbox", name="Input")).to_contain_text('"seconds": 0.25')
    await dialog.get_by_role("button", name="As fields").click()
    await expect(dialog.get_by_label("seconds")).to_have_value("0.25")
    await dialog.get_by_role("button", name="Run", exact=True).click()
    await page.get_by_role("button", name="Show").click()
    await page.get_by_role("button", name="Retry with changed input").click()
    await expect(dialog.get_by_label("seconds")).to_have_value("0.25")
    await dialog.get_by_role("button", name="As JSON").click()
    await dialog.get_by_role("textbox", name="Input").fill('{"seconds": 0}')
    await dialog.get_by_role("button", name="Retry").click()
    await expect(dialog).to_have_count(0)
    runs = await horae.call("GET", f"/jobs/{job['id']}/runs")
    assert [run["input"] for run in runs["items"]] == [{"seconds": 0}, {"seconds": 0.25}]

    target = {"kind": "python", "function": "horae.sleep", "arguments": {"seconds": 3}}
    given = await horae.job(target=target)
    await operator.open(f"/jobs/{given['id']}")
    await page.get_by_role("button", name="Run now").click()
    await expect(dialog.get_by_text("the job gives 3")).to_be_visible()
    await expect(dialog.get_by_label("seconds")).to_have_value("")
    await operator.open("/functions?function=horae.sleep")
    await expect(dialog.get_by_text("Parameters", exact=True)).to_be_visible()
    await expect(dialog.get_by_role("button", name="Edit")).to_have_count(0)  # that is for admins
