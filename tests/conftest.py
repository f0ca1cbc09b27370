"""Fixtures for all tests: fresh databases on SQLite, PostgreSQL and MariaDB.

`database_url` runs the test once per kind of database, each time on an empty one, and `migrated_url` on one with the
schema; `-m sqlite` (or postgresql, mysql) picks a kind. `databases` creates more, also ones that outlive a test.
"""

import gc
from collections.abc import Callable, Generator, Iterator

import pytest

from tests import logs, today
from tests.copies import Copies
from tests.databases import KINDS, Databases


def pytest_report_header() -> str:
    return f"seeds of {today.settle()}; the same again: {today.VARIABLE}={today.settle()} make test"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of tests stay in memory: looking through them for garbage took a third of the time to collect them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True)
def logs_as_before() -> Iterator[None]:
    with logs.as_before():
        yield


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    """For fixtures that share a database among tests; what is left over goes at the end."""
    made = Databases()
    yield made
    made.drop_all()


@pytest.fixture(scope="session")
def copies(databases: Databases) -> Copies:
    return Copies(databases)


@pytest.fixture
def borrow_database(copies: Copies) -> Iterator[Callable[[str, str], str]]:
    """`borrow_database(kind, original)` gives the URL of a copy, for tests that leave its tables alone."""
    borrowed: list[tuple[str, str]] = []

    def borrow(kind: str, original: str) -> str:
        borrowed.append((copies.borrow(kind, original), original))
        return borrowed[-1][0]

    yield borrow
    for url, original in borrowed:
        copies.give_back(url, original)


@pytest.fixture
def make_database(databases: Databases) -> Iterator[Callable[..., str]]:
    """`make_database(kind)` gives the URL of an empty database; it exists as long as the test."""
    urls: list[str] = []

    def make(kind: str, *, like: str | None = None) -> str:
        urls.append(databases.create(kind, like=like))
        return urls[-1]

    yield make
    for url in urls:
        databases.drop(url)


EACH = [pytest.param(kind, marks=getattr(pytest.mark, kind)) for kind in KINDS]


@pytest.fixture(params=EACH)
def database_url(request: pytest.FixtureRequest, make_database: Callable[..., str]) -> str:
    return make_database(request.param)


@pytest.fixture(params=EACH)
def migrated_url(request: pytest.FixtureRequest, databases: Databases, make_database: Callable[..., str]) -> str:
    """The same with the schema, and nothing else: a copy, which takes less than to migrate one."""
    from tests.migrated import schema_of

    return make_database(request.param, like=schema_of(databases, request.param))
