"""Making and editing jobs."""

import re
from typing import Any

import pytest
from playwright.async_api import Page, expect

from .conftest import Visit
from .horae import Horae
from .visitor import Visitor


async def write(page: Page, label: str, text: str) -> None:
    """Into a code editor, in place of what is there."""
    await page.get_by_role("textbox", name=label, exact=True).fill(text)


async def choose(page: Page, name: str) -> None:
    """One of several, by what is written on it: the radio button itself is not seen."""
    await page.locator("label").filter(has=page.get_by_role("radio", name=re.compile(f"^{name}"))).click()


async def begin(visitor: Visitor, name: str, kind: str) -> Page:
    page = visitor.page
    await visitor.open("/jobs/new")
    await page.get_by_label("Name", exact=True).fill(name)
    if kind != "HTTP":
        await choose(page, kind)
    return page


async def saved(visitor: Visitor, name: str, button: str = "Create") -> Any:
    """Presses the button, and gives the job that it made."""
    page = visitor.page
    await page.get_by_role("button", name=button, exact=True).click()
    await expect(page.get_by_text(f"Created {name}")).to_be_visible()
    return await visitor.horae.call("GET", f"/jobs/{name}")


async def test_an_http_job(horae: Horae, visit: Visit):
    for secret in ("API_TOKEN", "HOOK"):
        await horae.call("PUT", f"/secrets/{secret}", {"value": "a secret that nobody sees"})
    editor = await visit(horae, as_="editor")
    name = horae.name("http")
    page = await begin(editor, name, "HTTP")
    await expect(page.get_by_role("radio", name="Script")).to_be_disabled()  # code is for owners
    await page.get_by_label("URL", exact=True).fill("https://api.example.org/reports")
    await page.get_by_role("button", name="Add header").click()
    await page.get_by_label("Name of header 1").fill("X-Source")
    await page.get_by_label("Value of header 1").fill("{{ job.name }}")
    await page.get_by_role("button", name="Add parameter").click()
    await page.get_by_label("Name of parameter 1").fill("day")
    await page.get_by_label("Value of parameter 1").fill("today")
    await write(page, "Body", '{"a": 1}')
    await choose(page, "Bearer token")
    await page.get_by_label("Token", exact=True).fill("{{ secrets.API_TOKEN }}")
    await page.get_by_text("Response, signature, callback").click()
    await page.get_by_label("Expected statuses").fill("2xx, 404")
    await page.get_by_label("Sign with secrets").fill("HOOK")
    await page.get_by_label("Wait for a callback").check()
    await choose(page, "Interval")
    await page.get_by_label("Every", exact=True).fill("1h")
    await expect(page.get_by_text("Every hour", exact=False).first).to_be_visible()
    await editor.look("job-form-http")
    job = await saved(editor, name)
    assert {field: value for field, value in job["target"].items() if value} == {
        "kind": "http",
        "method": "POST",
        "url": "https://api.example.org/reports",
        "headers": {"X-Source": "{{ job.name }}"},
        "query": {"day": "today"},
        "body": '{"a": 1}',
        "auth": {"bearer": "{{ secrets.API_TOKEN }}", "basic": None},
        "expect": ["2xx", "404"],
        "sign_with": ["HOOK"],
        "callback": {"timeout": 3600},
    }
    assert job["schedule"]["every"] == "1h"


async def test_a_script_that_is_run_once_after_saving(horae: Horae, visit: Visit):
    owner = await visit(horae, as_="owner")
    name = horae.name("script")
    page = await begin(owner, name, "Script")
    await page.get_by_label("Interpreter").select_option("python")
    await write(page, "Script", "import os\nprint('hello', os.environ['WHO'])\n")
    await page.get_by_role("button", name="Add variable").click()
    await page.get_by_label("Name of variable 1").fill("WHO")
    await page.get_by_label("Value of variable 1").fill("world")
    await page.get_by_text("Limits and sandbox").click()
    await page.get_by_label("Memory").fill("64MiB")
    await choose(page, "Cron")
    await page.get_by_label("Repeats").select_option("weekly")
    await page.get_by_label("Time zone").fill("Europe/Berlin")
    await expect(page.get_by_text("At 09:00 on weekdays, Europe/Berlin")).to_be_visible()
    await expect(page.get_by_role("list", name="Occurrences").get_by_role("listitem")).to_have_count(10)
    await owner.look("job-form-script")
    job = await saved(owner, name, "Create and run")
    assert job["target"]["source"] == "import os\nprint('hello', os.environ['WHO'])\n"
    assert job["target"]["env"] == {"WHO": "world"}
    assert job["target"]["limits"]["memory"] == 64 * 2**20
    assert job["schedule"]["cron"] == "0 9 * * MON-FRI"
    await expect(page).to_have_url(re.compile("/runs/"))
    runs = await horae.call("GET", f"/jobs/{name}/runs")
    assert len(runs["items"]) == 1


async def test_a_function_with_its_own_fields(horae: Horae, visit: Visit):
    owner = await visit(horae, as_="owner")
    name = horae.name("python")
    page = await begin(owner, name, "Python function")
    await page.get_by_label("Function", exact=True).select_option("horae.sleep")
    await page.get_by_label("Seconds").fill("long")
    owner.forgive(422, "/jobs")
    await page.get_by_role("button", name="Create", exact=True).click()
    field = page.get_by_label("Seconds")
    await expect(field).to_have_attribute("aria-invalid", "true")
    await expect(field).to_be_focused()
    await expect(page.get_by_label("Name", exact=True)).to_have_value(name)  # nothing is lost
    await owner.look("job-form-python-wrong")
    await field.fill("0.5")
    await expect(field).not_to_have_attribute("aria-invalid", "true")
    await page.get_by_role("button", name="As JSON").click()
    await write(page, "Arguments", '{"seconds": 0.25}')
    job = await saved(owner, name)
    assert job["target"]["arguments"] == {"seconds": 0.25}


async def test_a_container(horae: Horae, visit: Visit):
    owner = await visit(horae, as_="owner")
    name = horae.name("container")
    page = await begin(owner, name, "Container")
    await page.get_by_label("Image").fill("alpine:3.20")
    for part in ("sh", "-c", "echo hello"):
        await page.get_by_role("button", name="Add command part").click()
        await page.get_by_role("textbox", name="Command part").last.fill(part)
    await page.get_by_label("Allow network access").uncheck()
    await owner.look("job-form-container")
    job = await saved(owner, name)
    assert job["target"]["command"] == ["sh", "-c", "echo hello"]
    assert job["target"]["network"] is False


async def test_an_artifact_after_another_job(horae: Horae, visit: Visit):
    upstream = await horae.job()
    owner = await visit(horae, as_="owner")
    name = horae.name("artifact")
    page = await begin(owner, name, "Artifact")
    await page.get_by_label("Archive", exact=True).fill("file:///srv/report.zip")
    await page.get_by_label("Digest").fill(f"sha256:{'0' * 64}")
    await page.get_by_label("Function", exact=True).fill("report.main:run")
    await write(page, "Arguments", '{"day": "today"}')
    await choose(page, "After a job")
    await page.get_by_label("Run after").fill(upstream["name"])
    await expect(page.get_by_text(f"When {upstream['name']} succeeds")).to_be_visible()
    job = await saved(owner, name)
    assert job["target"]["arguments"] == {"day": "today"}
    assert job["schedule"]["after"] == {"job": upstream["name"], "on": "success"}


async def test_a_celery_task_with_its_arguments(horae: Horae, visit: Visit):
    owner = await visit(horae, as_="owner")
    name = horae.name("celery")
    page = await begin(owner, name, "Celery task")
    await page.get_by_label("Task", exact=True).fill("shop.tasks.send")
    await write(page, "Keyword arguments", '{"customer": 7}')
    await page.get_by_label("Broker queue").fill("mail")
    await page.get_by_text("Positional arguments, priority, headers").click()
    await write(page, "Positional arguments", "[1]")
    target = (await saved(owner, name))["target"]
    assert (target["task"], target["queue"]) == ("shop.tasks.send", "mail")
    assert (target["args"], target["kwargs"], target["track"]) == ([1], {"customer": 7}, True)


async def test_a_schedule_is_explained_as_one_types(horae: Horae, visit: Visit):
    editor = await visit(horae, as_="editor")
    editor.forgive(422, "/schedules/preview")
    page = await begin(editor, horae.name("cron"), "HTTP")
    await choose(page, "Cron")
    await page.get_by_label("Time zone").fill("Europe/Berlin")
    cron = page.get_by_label("Cron expression")
    await cron.fill("99 * * * *")
    await expect(cron).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_text("minute 99 is out of range").first).to_be_visible()
    await cron.fill("30 2 28-31 3 *")  # the night in which clocks go forward
    await expect(page.get_by_text("clocks go forward").first).to_be_visible()
    await page.get_by_text("Start, end, jitter, blackouts").click()
    await page.get_by_role("button", name="Add weekly window").click()
    await page.get_by_label("Not after").fill("2031-01-01T00:00")
    await editor.look("job-form-schedule")
    await choose(page, "Once")
    await page.get_by_label("When", exact=True).fill("2030-06-01T09:30")
    await expect(page.get_by_text("Once, on 1 June 2030 at 09:30, Europe/Berlin")).to_be_visible()


async def test_retries_are_shown_before_they_happen(horae: Horae, visit: Visit):
    editor = await visit(horae, as_="editor")
    page = await begin(editor, horae.name("retry"), "HTTP")
    await page.get_by_text("Retries", exact=True).click()
    await page.get_by_label("Attempts", exact=False).first.fill("4")
    await page.get_by_label("Initial delay (seconds)").fill("30")
    await expect(page.get_by_text("Gives up after 3 min 30 s of delays in total.")).to_be_visible()
    await page.get_by_text("Timeouts and concurrency").click()
    await page.get_by_text("Queue and priority").click()
    await editor.look("job-form-policies")


async def test_the_whole_of_it_as_json(horae: Horae, visit: Visit):
    owner = await visit(horae, as_="owner")
    name = horae.name("json")
    page = await begin(owner, name, "HTTP")
    await choose(page, "JSON")
    definition = (
        f'{{"name": "{name}", "target": {{"kind": "script", "source": "echo"}}, "schedule": {{"every": "2h"}}}}'
    )
    await write(page, "Definition", definition)
    await owner.look("job-form-json")
    await choose(page, "Form")
    await expect(page.get_by_label("Every", exact=True)).to_have_value("2h")
    job = await saved(owner, name)
    assert (job["target"]["source"], job["schedule"]["every"]) == ("echo", "2h")


HTTP = {"kind": "http", "url": "https://example.org/"}
ARTIFACT = {"kind": "artifact", "uri": "s3://b/a.zip", "digest": f"sha256:{'a' * 64}", "entrypoint": "a:run"}
MISTAKES: list[tuple[str, str, str, dict[str, Any]]] = [
    ("HTTP", "URL", "ftp://example.org", {"target": {"url": "ftp://example.org"}}),
    ("HTTP", "URL", "https://me:pw@example.org", {"target": {"url": "https://me:pw@example.org"}}),
    ("HTTP", "Timeout per attempt (seconds)", "0", {"timeout": 0}),
    ("HTTP", "Timeout per attempt (seconds)", "0", {"timeout": 0}),
    ("HTTP", "Attempts", "101", {"retry": {"max_attempts": 101}}),
    ("Container", "Image", "-bad-", {"target": {"kind": "container", "image": "-bad-"}}),
    ("Artifact", "Digest", "sha256:1", {"target": ARTIFACT | {"digest": "sha256:1"}}),
    ("Artifact", "Archive", "builds/a.zip", {"target": ARTIFACT | {"uri": "builds/a.zip"}}),
    ("Artifact", "Function", "main", {"target": ARTIFACT | {"entrypoint": "main"}}),
]


async def test_what_is_mistyped_is_said_when_its_field_is_left_in_the_servers_words(horae: Horae, visit: Visit):
    owner = await visit(horae, as_="owner")
    page = await begin(owner, "mistyped", "HTTP")
    for fold in ("Retries", "Timeouts and concurrency"):
        await page.get_by_text(fold, exact=True).click()
    for kind, label, text, fields in MISTAKES:
        target = fields.get("target", {})
        body = {"name": "mistyped", **fields, "target": target if "kind" in target else HTTP | target}
        ((_, words),) = await horae.refusal(body)
        await choose(page, kind)
        field = page.get_by_label(label, exact=True)
        before = await field.input_value()
        await field.fill(text)
        await expect(page.get_by_text(words, exact=True)).to_have_count(0)  # not while someone types
        await field.blur()
        await expect(page.get_by_text(words, exact=True)).to_be_visible()
        await expect(field).to_have_attribute("aria-invalid", "true")
        await field.fill(before)
        await expect(page.get_by_text(words, exact=True)).to_have_count(0)

    await choose(page, "HTTP")
    await page.get_by_role("button", name="Add header").click()
    await page.get_by_label("Name of header 1").fill("X Team")
    headers = {"X Team": ""}
    ((_, words),) = await horae.refusal({"name": "mistyped", "target": HTTP | {"headers": headers}})
    # It is said once the button is up again, so that the click finds what it was meant for.
    await page.get_by_role("button", name="Add parameter").click()
    await expect(page.get_by_text(f"X Team: {words}")).to_be_visible()
    await expect(page.get_by_label("Name of parameter 1")).to_be_visible()

    await choose(page, "JSON")
    await write(page, "Definition", '{"name": "mistyped", "timeout": 0')
    await page.get_by_role("link", name="Cancel").focus()
    await expect(page.get_by_text("is not a valid JSON object").first).to_be_visible()


async def test_unsaved_changes_are_not_lost_by_a_click(horae: Horae, visit: Visit):
    editor = await visit(horae, as_="editor")
    page = await begin(editor, "half-done", "HTTP")
    await page.get_by_role("link", name="Cancel").click()
    await expect(page.get_by_role("dialog")).to_contain_text("Leave without saving?")
    await page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    await expect(page.get_by_label("Name", exact=True)).to_have_value("half-done")
    await page.get_by_role("link", name="Cancel").click()
    await page.get_by_role("button", name="Leave").click()
    await expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()


async def test_a_copy_of_a_job(horae: Horae, visit: Visit):
    job = await horae.job(schedule={"every": "3h"}, tags=["a", "b"], retry={"max_attempts": 7})
    owner = await visit(horae, as_="owner")
    await owner.open(f"/jobs/{job['id']}")
    await owner.page.get_by_role("button", name="More", exact=True).click()
    await owner.page.get_by_role("menuitem", name="Duplicate").click()
    await expect(owner.page.get_by_label("Name", exact=True)).to_have_value(f"{job['name']}-copy")
    copy = await saved(owner, f"{job['name']}-copy")
    for field in ("target", "schedule", "tags", "retry", "timeout"):
        assert copy[field] == job[field], field


# ---- edits


async def test_an_edit_shows_what_it_changes(horae: Horae, visit: Visit):
    job = await horae.job(schedule={"every": "1h"})
    owner = await visit(horae, as_="owner")
    page = owner.page
    await owner.open(f"/jobs/{job['id']}/edit")
    await expect(page.get_by_role("button", name="Review changes")).to_be_disabled()
    await page.get_by_label("Every", exact=True).fill("2h")
    await expect(page.get_by_text("Currently: Every hour", exact=False)).to_be_visible()
    await page.get_by_role("button", name="Review changes").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_text("every: 2h")).to_be_visible()
    await expect(dialog.get_by_text("every: 1h")).to_be_visible()
    await owner.look("job-edit-review")
    await dialog.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_text(f"Saved {job['name']} as version 2")).to_be_visible()
    now = await horae.call("GET", f"/jobs/{job['id']}")
    assert now["schedule"]["every"] == "2h"
    assert {name: now[name] for name in ("target", "retry", "timeout", "queue", "max_instances")} == {
        name: job[name] for name in ("target", "retry", "timeout", "queue", "max_instances")
    }


@pytest.mark.parametrize("way", ["Merge", "Overwrite with mine", "Discard mine"])
async def test_two_people_edit_the_same_job(horae: Horae, visit: Visit, way: str):
    job = await horae.job(schedule={"every": "1h"}, description="before")
    owner = await visit(horae, as_="owner")
    page = owner.page
    await owner.open(f"/jobs/{job['id']}/edit")
    await page.get_by_label("Every", exact=True).fill("2h")
    other = await owner.context.new_page()  # another tab of the same browser
    await other.goto(f"/jobs/{job['id']}/edit")
    await other.get_by_label("Description").fill("after")
    await other.get_by_role("button", name="Review changes").click()
    await other.get_by_role("button", name="Save", exact=True).click()
    await expect(other.get_by_text("as version 2")).to_be_visible()
    await expect(page.get_by_text("Someone else saved version 2 in the meantime.")).to_be_visible()
    await other.close()  # a tab behind another is hardly ever drawn

    owner.forgive(412, job["id"])
    await page.get_by_role("button", name="Review changes").click()
    await page.get_by_role("button", name="Save", exact=True).click()
    dialog = page.get_by_role("dialog", name="Someone else saved this job in the meantime")
    await expect(dialog.get_by_text("description: after")).to_be_visible()
    if way == "Merge":
        await owner.look("job-edit-conflict")
    await dialog.get_by_role("button", name=way).click()
    if way == "Merge":
        await expect(page.get_by_label("Description")).to_have_value("after")
        await expect(page.get_by_label("Every", exact=True)).to_have_value("2h")
        await page.get_by_role("button", name="Review changes").click()
        await page.get_by_role("button", name="Save", exact=True).click()
    if way == "Discard mine":
        await expect(page.get_by_label("Every", exact=True)).to_have_value("1h")
        await expect(page.get_by_role("button", name="Review changes")).to_be_disabled()
    else:
        await expect(page.get_by_text("as version 3")).to_be_visible()
    now = await horae.call("GET", f"/jobs/{job['id']}")
    assert (now["schedule"]["every"], now["description"]) == {
        "Merge": ("2h", "after"),
        "Overwrite with mine": ("2h", "before"),
        "Discard mine": ("1h", "after"),
    }[way]
