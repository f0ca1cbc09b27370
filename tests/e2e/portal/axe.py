"""Accessibility as axe judges it: WCAG 2.2 A and AA, and good practice.

Its source is evaluated through the DevTools protocol, which the page's content security policy does not concern; so
journeys run under that policy.
"""

from functools import cache
from pathlib import Path

from playwright.async_api import Page

AXE = Path(__file__).resolve().parents[3] / "portal" / "node_modules" / "axe-core" / "axe.min.js"

RUN = """async () => {
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    return violations.flatMap(({ id, help, nodes }) => nodes.map(
        ({ target, any }) => `${id}: ${help}: ${target.join(" ")} ${any[0]?.message ?? ""}`));
}"""


@cache
def source() -> str:
    return AXE.read_text()


async def violations(page: Page) -> list[str]:
    if not await page.evaluate("() => 'axe' in window"):
        await page.evaluate(source())
    found: list[str] = await page.evaluate(RUN)
    return found
