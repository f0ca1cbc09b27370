"""The link of every alert leads to a page of the portal."""

import re
from pathlib import Path

import pytest

from horae.domain.alerts import installation_rules, job_rules
from horae.domain.pings import finding

PORTAL = Path(__file__).resolve().parents[4] / "portal" / "src"
ROUTES = re.findall(r'page\("([^"*]+)', (PORTAL / "app/routes.tsx").read_text())
TABS = re.findall(r'value: "(\w+)"', (PORTAL / "features/workers/workers-page.tsx").read_text())
SECTIONS = re.findall(r'path: "(\w+)"', (PORTAL / "features/settings/sections.ts").read_text())
SOURCES = [Path(str(module.__file__)).read_text() for module in (installation_rules, job_rules, finding)]
PATHS = sorted({path for source in SOURCES for path in re.findall(r'"(/[^"]*)"', source)})


def test_there_are_some():
    assert {"/workers", "/jobs/{job.job_id}", "/pings/{ping.id}"} <= set(PATHS)


@pytest.mark.parametrize("path", PATHS)
def test_the_page_exists(path: str):
    page, _, query = path.partition("?")
    page = re.sub(r"\{[\w.]+\}", "one", page)
    assert any(re.fullmatch(re.sub(r":\w+", r"\\w+", route), page) for route in ROUTES) or (
        page.startswith("/settings/") and page.removeprefix("/settings/") in SECTIONS
    )
    if query:
        assert page == "/workers"
        assert query.removeprefix("tab=") in TABS
