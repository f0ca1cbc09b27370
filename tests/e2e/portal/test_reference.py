"""The API reference, which the portal leads to."""

from playwright.async_api import expect

from .axe import violations
from .conftest import Visit
from .horae import Horae


async def test_it_is_reached_read_and_looks_like_the_portal(horae: Horae, visit: Visit):
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    await viewer.open("/jobs")
    await page.get_by_role("button", name="Account of").click()
    await page.get_by_role("menuitem", name="API reference").click()
    await expect(page.get_by_role("heading", name="API reference", level=1)).to_be_visible()
    await expect(page.locator("details").first).to_be_visible()
    texts = await page.locator("summary .words").all_inner_texts()
    assert len(texts) > 80
    assert not [text for text in texts if "`" in text or not text or text[-1] not in ".)?"]  # whole sentences
    await viewer.look("reference")
    for scheme in ("light", "dark"):
        await page.emulate_media(color_scheme=scheme)
        await page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true; })")
        await expect(page.locator("details:has(.inside:empty)")).to_have_count(0)
        assert await violations(page) == []
    await page.emulate_media(color_scheme="light")

    await page.get_by_role("searchbox", name="Filter routes").fill("post /api/v1/workers/{id}/drain")
    await expect(page.locator("details:visible")).to_have_count(1)
    await viewer.look("reference-route")
    await page.get_by_role("searchbox").fill("no such route")
    await expect(page.get_by_text("No routes match.")).to_be_visible()
    await page.get_by_role("link", name="Horae").click()
    await expect(page.get_by_role("heading", name="Overview", level=1)).to_be_visible()
