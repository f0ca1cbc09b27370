"""Somebody with a browser: what they do, and what must not happen to them."""

import os
import re
from pathlib import Path
from typing import Any, Literal, Self

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, Request, Response, ViewportSize, expect

from .axe import violations
from .horae import PASSWORD, Horae

ROOT = Path(__file__).resolve().parents[3]
SCREENSHOTS = Path(os.environ["ARTEFACTS"]) / "screenshots" if "ARTEFACTS" in os.environ else ROOT / "build/screenshots"
DESKTOP, PHONE = ViewportSize(width=1280, height=800), ViewportSize(width=390, height=844)
Scheme = Literal["light", "dark"]
WAYS: list[tuple[str, Scheme, ViewportSize]] = [
    ("dark", "dark", DESKTOP),
    ("phone", "light", PHONE),
    ("light", "light", DESKTOP),  # the last: the journey goes on in it
]
SETTLED = """async () => {
    for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
    const ending = document.getAnimations().filter(one => one.effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(one => one.finished));
}"""
# The reader's own zone differs from the server's; nothing moves, so that pictures and contrasts are of the end state.
HABITS: dict[str, Any] = {
    "viewport": DESKTOP,
    "locale": "en-GB",
    "timezone_id": "Europe/Berlin",
    "color_scheme": "light",
    "reduced_motion": "reduce",
    "service_workers": "block",
}


class Visitor:
    def __init__(self, context: BrowserContext, page: Page, horae: Horae) -> None:
        self.context, self.page, self.horae = context, page, horae
        self._complaints: list[str] = []
        self._forgiven: dict[tuple[int, str], int] = {}
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self._complaints.append(f"exception: {error}"))
        page.on("requestfailed", self._on_failure)
        page.on("response", self._on_response)

    @classmethod
    async def come(cls, browser: Browser, horae: Horae, **habits: Any) -> Self:
        context = await browser.new_context(base_url=horae.url, **(HABITS | habits))
        context.set_default_timeout(30_000)
        return cls(context, await context.new_page(), horae)

    async def leave(self) -> list[str]:
        """What went wrong meanwhile."""
        await self.context.close()
        unused = [f"forgiven, but never happened: {what}" for what, times in self._forgiven.items() if not times]
        return self._complaints + unused

    # ---- what they do

    async def open(self, path: str) -> None:
        await self.page.goto(path)

    async def sign_in(self, role: str) -> None:
        """By the form, which stands in place of every page."""
        await self.open("/")
        await self.fill_in(await self.horae.person(role), PASSWORD)
        await expect(self.page.get_by_role("navigation").first).to_be_visible()

    async def fill_in(self, username: str, password: str) -> None:
        await self.page.get_by_label("Name").fill(username)
        await self.page.get_by_label("Password").fill(password)
        await self.page.get_by_role("button", name="Sign in").click()

    async def look(self, name: str) -> None:
        """Screenshots in light, dark and on a phone; none of them may be hard to read for anybody."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        await expect(self.page.locator("[aria-busy=true]")).to_have_count(0)
        found = []
        for way, scheme, size in WAYS:
            await self.page.emulate_media(color_scheme=scheme)
            await self.page.set_viewport_size(size)
            await self.page.evaluate(SETTLED)
            await self.page.screenshot(path=SCREENSHOTS / f"{name}-{way}.png", full_page=True, animations="disabled")
            found += [f"{name}, {way}: {words}" for words in await violations(self.page)]
            if await self.page.evaluate("() => document.documentElement.scrollWidth > innerWidth"):
                found.append(f"{name}, {way}: the page is wider than the window")
        assert not found, "\n".join(found)

    # ---- what must not happen

    def forgive(self, status: int, path: str) -> None:
        """An answer that the journey means: its status, and a part of its path. It must come."""
        self._forgiven[status, path] = 0

    def _on_console(self, message: ConsoleMessage) -> None:
        # What failed to load is told by `_on_response` and `_on_failure`, with its status.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self._complaints.append(f"console: {message.text} ({message.location.get('url')})")

    def _on_failure(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # a page that is left gives up what it asked for
            self._complaints.append(f"request failed: {request.method} {request.url}: {request.failure}")

    def _on_response(self, response: Response) -> None:
        if response.status < 400:
            return
        path = re.sub(r"^https?://[^/]+", "", response.url)
        for status, part in self._forgiven:
            if status == response.status and part in path:
                self._forgiven[status, part] += 1
                return
        self._complaints.append(f"answer {response.status} to {response.request.method} {path}")
