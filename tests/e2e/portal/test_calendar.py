"""The week ahead."""

import re

from playwright.async_api import expect

from .conftest import Visit
from .horae import Horae

TRANSITIONS = """() => {
    document.getAnimations();
    document.documentElement.classList.toggle("dark");
    const begun = document.getAnimations().length;
    document.documentElement.classList.toggle("dark");
    return begun;
}"""


async def test_the_calendar_shows_upcoming_occurrences(horae: Horae, visit: Visit):
    tag = horae.name("tag")
    daily = await horae.job(schedule={"cron": "30 4 * * *", "timezone": "Europe/Berlin"}, tags=[tag])
    often = await horae.job(schedule={"cron": "*/10 4 * * *", "timezone": "Europe/Berlin"}, tags=[tag])
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    await viewer.open(f"/calendar?tag={tag}")
    # a day has 1 + 6 of them, two at once at half past four
    hour = page.get_by_role("button", name=re.compile(r", 4:00: 7 occurrences$"))
    await expect(hour.first).to_be_visible()
    await expect(page.get_by_role("button", name=re.compile(r"04:30 2 occurrences$")).first).to_be_visible()
    await viewer.look("calendar-week")

    await hour.last.click()
    await expect(page).to_have_url(re.compile(r"view=day.*hour=4"))
    await expect(page.get_by_role("button", name="04:00 7 occurrences", pressed=True)).to_be_visible()
    await expect(page.get_by_role("link", name=daily["name"])).to_have_count(1)
    row = page.get_by_role("listitem").filter(has=page.get_by_role("link", name=often["name"]))
    await expect(row).to_contain_text("04:00–04:50")
    await expect(row).to_contain_text("6 times")
    await viewer.look("calendar-day")
    assert await page.evaluate(TRANSITIONS) == 0  # of 1,440 minutes, where nothing shall move

    await page.get_by_label("Time zone").select_option("Asia/Tehran")
    await expect(page.get_by_role("button", name=re.compile(r"^0[5-7]:00 [1-9] occurrences$")).first).to_be_visible()
    await page.get_by_role("searchbox", name="Job").fill(daily["name"])
    await expect(page.get_by_role("link", name=often["name"])).to_have_count(0)
    await expect(page.get_by_role("link", name=daily["name"])).to_have_count(1)
    await page.reload()  # all of it is in the address
    await expect(page.get_by_label("Time zone")).to_have_value("Asia/Tehran")
    await expect(page.get_by_role("link", name=often["name"])).to_have_count(0)


async def test_small_intervals_are_counted_over_the_whole_week(horae: Horae, visit: Visit):
    """Nine of them used up the count by Thursday, and the days after it said 0."""
    tag = horae.name("tag")
    for every in ("10s", "15s", "20s", "30s", "45s", "1m", "90s", "2m", "3m"):
        await horae.job(schedule={"every": every, "start_at": "2090-01-01T00:00:00Z"}, tags=[tag])
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    await viewer.open(f"/calendar?tag={tag}&day=2090-01-03&zone=UTC")
    await expect(page.get_by_role("button", name=re.compile(r", \d+:00: 1,130 occurrences$"))).to_have_count(7 * 24)
    await expect(page.get_by_text("not counted")).to_have_count(0)


async def test_hours_that_were_not_counted_are_not_shown_as_empty(horae: Horae, visit: Visit):
    tag = horae.name("tag")
    for seconds in range(7, 13):  # six that take a question for each minute
        await horae.job(schedule={"cron": f"*/{seconds} * * * * *", "start_at": "2090-01-01T00:00:00Z"}, tags=[tag])
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    await viewer.open(f"/calendar?tag={tag}&day=2090-01-03&zone=UTC")
    await expect(page.get_by_role("note")).to_contain_text("Counted up to Fri, 6 Jan")
    await expect(page.get_by_role("cell", name="Mon 9, 5:00: not counted")).to_have_count(1)
    await expect(page.get_by_role("button", name="Mon 9", exact=False).first).to_contain_text("?")
    await expect(page.get_by_role("button", name=re.compile(r"^Tue 3, 5:00: "))).to_be_visible()
    await viewer.look("calendar-not-counted")
