"""The portal in a real Chromium, on a real Horae: how to write a journey.

    async def test_another_user_pauses_a_job(horae: Horae, visit: Visit):
        job = await horae.job(schedule={"every": "1h"})         # through the API, with its own name
        editor = await visit(horae, as_="editor")               # their own browser, signed in
        await editor.open(f"/jobs/{job['name']}")
        await editor.page.get_by_role("button", name="Pause").click()
        await expect(editor.page.get_by_text("paused")).to_be_visible()
        await editor.look("job-paused")                         # screenshots and accessibility; see below

- `horae` is a `horae up` on SQLite that all tests of this process share, so make what you need and look only at
  that. `fresh_horae` is one of your own, with no one in it yet; `postgresql_horae` is one on PostgreSQL.
- `visit(horae, as_=…)` gives a Visitor; roles are viewer, operator, editor, owner, admin; None is a stranger. It has
  `page` (Playwright's), `open(path)`, `look(name)` and `forgive(status, path)`. Several visitors are several browsers.
- **Every visitor is watched**, and the test fails at its end if there was an error on the console (a violation of the
  content security policy is one), an alert, an exception, a request that failed, or an answer of 400 and above. Where
  the journey means one (a wrong password), say so beforehand: `visitor.forgive(401, "/auth/login")`; it must then
  happen, too.
- **`look(name)`** takes screenshots, in light and in dark at a phone's width, and fails on any violation that axe finds
  in them, or if the page is wider than the phone. Call it once per page and for states that differ in looks.
  Screenshots are in build/screenshots, or below $ARTEFACTS, where CI keeps them. Look at them.
- Find things as people do (`get_by_role`, `get_by_label`, `get_by_text`); test ids only where there is no other way.
- Never sleep: `expect(…)` of Playwright waits, and `until` of tests/waiting.py for what is not on the page.
- The build is brought up to date at the start. While you write a page, `tools/portal.py build` and a reload are enough:
  a running `horae serve` notices. `HEADED=1` shows the browser, where there is a display.

    .venv/bin/pytest tests/e2e/portal -k pauses

Without Node or Chromium the journeys are skipped and say why; with CI=true they fail.
"""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect

from tests.databases import Databases
from tests.lacking import lacking

from .axe import AXE
from .chromium import FLAGS, program
from .horae import Horae
from .visitor import Visitor
from .windows import Windows

expect.set_options(timeout=20_000)  # a busy machine must not fail a journey
ROOT = Path(__file__).resolve().parents[3]
Visit = Callable[..., Awaitable[Visitor]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One event loop for the whole folder: the browser lives in it, and starting one takes a second."""
    for item in items:
        if Path(__file__).parent in item.path.parents and isinstance(item, pytest.Function):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.timeout(300))  # the first one may build the portal


@pytest.fixture(scope="session")
def built() -> None:
    """The portal as its sources are now."""
    told = subprocess.run(
        [sys.executable, ROOT / "tools" / "portal.py", "build"], capture_output=True, text=True, check=False
    )
    if told.returncode or told.stderr or not AXE.is_file():
        lacking(f"the portal is not built: {told.stderr.strip() or 'portal/node_modules lacks axe-core'}")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(built: None) -> AsyncIterator[Browser]:
    found = program()
    if found is None:
        lacking("no Chromium: install it (Debian: apt-get install chromium)")
    async with async_playwright() as playwright:
        headed = bool(os.environ.get("HEADED"))
        opened = await playwright.chromium.launch(executable_path=found, args=FLAGS, headless=not headed)
        yield opened
        await opened.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def horae(built: None, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Horae]:
    """Shared by all tests; the first admin has signed up already."""
    running = await Horae.start(
        tmp_path_factory.mktemp("horae"), HORAE_TRACE_URL="https://traces.example.org/trace/{trace_id}"
    )
    try:
        await running.admin()
        yield running
    finally:
        running.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def fresh_horae(built: None, tmp_path: Path) -> AsyncIterator[Horae]:
    running = await Horae.start(tmp_path)
    try:
        yield running
    finally:
        running.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def postgresql_horae(built: None, tmp_path: Path, postgresql_url: str) -> AsyncIterator[Horae]:
    running = await Horae.start(tmp_path, HORAE_DATABASE_URL=postgresql_url)
    try:
        await running.admin()
        yield running
    finally:
        running.stop()


@pytest.fixture
def postgresql_url(databases: Databases) -> Iterator[str]:
    url = databases.create("postgresql")
    yield url
    databases.drop(url)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def windows(browser: Browser) -> Windows:
    return Windows(browser)


@pytest_asyncio.fixture(loop_scope="session")
async def visit(windows: Windows, request: pytest.FixtureRequest) -> AsyncIterator[Visit]:
    """`await visit(horae, as_="viewer")`: someone with their own browser, watched until the end of the test."""
    visitors: list[Visitor] = []

    async def come(horae: Horae, *, as_: str | None = "admin") -> Visitor:
        visitor = await Visitor.come(windows, horae)
        visitors.append(visitor)
        if as_ is not None:
            await visitor.be(as_)
        return visitor

    yield come
    again = "horae" in request.fixturenames  # the one that all share
    complaints = [words for visitor in visitors for words in await visitor.leave(again=again)]
    assert not complaints, "\n".join(complaints)
