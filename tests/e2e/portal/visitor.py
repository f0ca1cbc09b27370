"""A user with a browser: their actions, and what must never happen to them."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Self

from playwright.async_api import ConsoleMessage, Dialog, Error, Page, Request, Response, ViewportSize, expect

from .axe import violations
from .horae import PASSWORD, Horae
from .windows import DESKTOP, QUIET, Windows

ROOT = Path(__file__).resolve().parents[3]
SCREENSHOTS = Path(os.environ["ARTEFACTS"]) / "screenshots" if "ARTEFACTS" in os.environ else ROOT / "build/screenshots"
PHONE = ViewportSize(width=390, height=844)
Scheme = Literal["light", "dark"]
# Each theme once and each width once: contrast is a matter of the theme, and what fits a matter of the width.
WAYS: list[tuple[str, Scheme, ViewportSize]] = [
    ("phone", "dark", PHONE),
    ("desktop", "light", DESKTOP),  # the last: the journey goes on in it
]
SETTLED = """async () => {
    for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
    const ending = document.getAnimations().filter(one => one.effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(one => one.finished));
}"""

# What the portal itself notes when someone signs in: it asks for a token then.
NOTE = "() => localStorage.setItem('horae.session', '1')"


class Visitor:
    def __init__(self, windows: Windows, page: Page, horae: Horae) -> None:
        self.context, self.page, self.horae = page.context, page, horae
        self._windows = windows
        self._complaints: list[str] = []
        self._forgiven: dict[tuple[int, str], int] = {}
        self._outage = False
        self._watched: dict[Any, Callable[[Any], Any]] = {
            "console": self._on_console,
            "dialog": self._on_dialog,
            "pageerror": self._on_exception,
            "requestfailed": self._on_failure,
            "response": self._on_response,
        }
        for event, seen in self._watched.items():
            page.on(event, seen)

    @classmethod
    async def come(cls, windows: Windows, horae: Horae) -> Self:
        return cls(windows, await windows.open(horae), horae)

    async def leave(self, *, again: bool) -> list[str]:
        """What went wrong meanwhile. `again`: others may come to this Horae."""
        for event, seen in self._watched.items():
            self.page.remove_listener(event, seen)
        unused = [f"forgiven, but never happened: {what}" for what, times in self._forgiven.items() if not times]
        complaints = self._complaints + unused
        await self._windows.put_back(self.page, self.horae, again=again and not complaints)
        return complaints

    # ---- what they do

    async def open(self, path: str) -> None:
        await self.page.goto(path)

    async def be(self, role: str) -> None:
        """Signed in, with the cookie that the form would have got; the first page is yet to be opened."""
        body = {"username": await self.horae.person(role), "password": PASSWORD}
        headers = {"horae-client": "portal"}
        answer = await self.context.request.post("/api/v1/auth/login", data=body, headers=headers)
        assert answer.ok, await answer.text()
        await self.open(QUIET)
        await self.page.evaluate(NOTE)

    async def sign_in(self, role: str) -> None:
        """By the form, which stands in place of every page."""
        await self.open("/")
        await self.fill_in(await self.horae.person(role), PASSWORD)
        await expect(self.page.get_by_role("navigation").first).to_be_visible()

    async def fill_in(self, username: str, password: str) -> None:
        await self.page.get_by_label("Name").fill(username)
        await self.page.get_by_label("Password").fill(password)
        await self.page.get_by_role("button", name="Sign in", exact=True).click()

    async def look(self, name: str) -> None:
        """Screenshots in light, and in dark on a phone; neither may be hard to read for anyone."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        await expect(self.page.locator("[aria-busy=true], [data-settled=false]")).to_have_count(0)
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

    @contextmanager
    def outage(self) -> Iterator[None]:
        """While the server is away, requests fail; nothing else may go wrong."""
        self._outage = True
        yield
        self._outage = False

    def _on_console(self, message: ConsoleMessage) -> None:
        # What failed to load is reported by `_on_response` and `_on_failure`, with its status.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self._complaints.append(f"console: {message.text} ({message.location.get('url')})")

    def _on_exception(self, error: Error) -> None:
        self._complaints.append(f"exception: {error}")

    async def _on_dialog(self, dialog: Dialog) -> None:
        """The portal has its own: only a page that is left with unsaved changes may ask."""
        if dialog.type == "beforeunload":
            await dialog.accept()
        else:
            self._complaints.append(f"{dialog.type}: {dialog.message}")
            await dialog.dismiss()

    def _on_failure(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED" and not self._outage:  # a page that is left gives up what it asked for
            self._complaints.append(f"request failed: {request.method} {request.url}: {request.failure}")

    def _on_response(self, response: Response) -> None:
        if response.status < 400:
            return
        path = re.sub(r"^https?://[^/]+", "", response.url)
        meant = [what for what in self._forgiven if what[0] == response.status and what[1] in path]
        for what in meant:
            self._forgiven[what] += 1
        if not meant:
            self._complaints.append(f"answer {response.status} to {response.request.method} {path}")
