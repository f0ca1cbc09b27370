"""Databases to copy for the scenarios that run as tests."""

import pytest

from tests.databases import Databases
from tests.faults.stage import Templates


@pytest.fixture(scope="session")
def templates(databases: Databases) -> Templates:
    return Templates(databases)
