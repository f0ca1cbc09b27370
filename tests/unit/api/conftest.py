import pytest

from horae.watch import logging


@pytest.fixture(autouse=True, scope="session")
def plain_logs() -> None:
    """structlog's own default draws a failure with all its local variables, which takes seconds."""
    logging.configure(form="json", level="warning")
