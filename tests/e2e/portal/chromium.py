"""The browser of the tests, and how it is started: it can reach only the page's own server."""

import shutil

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


def program() -> str | None:
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)
