"""Windows of the browser, used again and again: the process of a new one, and the portal's code that it has yet to
compile, cost a second of CPU, and there are a hundred journeys."""

from contextlib import suppress
from typing import Any

from playwright.async_api import Browser, Error, Page, ViewportSize

from .horae import Horae

DESKTOP = ViewportSize(width=1280, height=800)
# The reader's own zone differs from the server's; nothing moves, so that pictures and contrasts are of the end state.
HABITS: dict[str, Any] = {
    "viewport": DESKTOP,
    "locale": "en-GB",
    "timezone_id": "Europe/Berlin",
    "color_scheme": "light",
    "reduced_motion": "reduce",
    "service_workers": "block",
}
QUIET = "/icon.svg"  # of the same server, and without any script
FORGET = "() => { localStorage.clear(); sessionStorage.clear(); }"


class Windows:
    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: dict[str, list[Page]] = {}

    async def open(self, horae: Horae) -> Page:
        """One without a signed-in user and not shared: its cookies are its own."""
        if self._free.get(horae.url):
            return self._free[horae.url].pop()
        context = await self._browser.new_context(base_url=horae.url, **HABITS)
        context.set_default_timeout(30_000)
        return await context.new_page()

    async def put_back(self, page: Page, horae: Horae, *, again: bool) -> None:
        """Without any state of an earlier test; if it is not to be used again, it is closed."""
        if again:
            with suppress(Error):  # a page that is stuck is of no more use
                await self._clean(page)
                self._free.setdefault(horae.url, []).append(page)
                return
        await page.context.close()

    async def _clean(self, page: Page) -> None:
        for other in page.context.pages:
            if other is not page:
                await other.close()
        await page.goto(QUIET)
        await page.evaluate(FORGET)
        await page.context.clear_cookies()
        await page.emulate_media(color_scheme="light")
        await page.set_viewport_size(DESKTOP)
