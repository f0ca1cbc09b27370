"""A process that cannot start exits with one line that says why and how to fix it."""

import secrets
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from tests.integration.cluster.cluster import HORAE, TASKS, execute

pytestmark = pytest.mark.slow

KEY = {"HORAE_SECRET_KEY": secrets.token_hex(32)}


@pytest.fixture
def database(make_database: Callable[..., str], migrated: Callable[[str], str]) -> Callable[[str], str]:
    return lambda kind: make_database(kind, like=migrated(kind))


async def refusal(*arguments: str, **settings: str) -> str:
    """Starts a process that cannot start; what it says."""
    code, out, err = await execute([*HORAE, *arguments], {**KEY, "HORAE_LOG_FORMAT": "json", **settings})
    assert code in (1, 2), (code, out, err)
    assert out == ""
    lines = err.splitlines()
    assert len(lines) == 1, err
    assert lines[0].startswith("horae: ")
    return lines[0]


@pytest.mark.parametrize("role", ["serve", "scheduler"])
async def test_no_secret_key(role: str, tmp_path: Path) -> None:
    said = await refusal(role, HORAE_SECRET_KEY="", HORAE_DATABASE_URL=f"sqlite:///{tmp_path}/horae.db")
    assert "HORAE_SECRET_KEY is not set" in said


@pytest.mark.parametrize("kind", ["sqlite", "postgresql", "mysql"])
async def test_no_schema(kind: str, make_database: Callable[..., str]) -> None:
    said = await refusal("worker", HORAE_DATABASE_URL=make_database(kind))
    assert "run `horae migrate`" in said


@pytest.mark.parametrize("kind", ["postgresql", "mysql"])
async def test_a_wrong_password(kind: str, make_database: Callable[..., str]) -> None:
    url = make_url(make_database(kind)).set(username="nobody", password="sesame")
    said = await refusal("scheduler", HORAE_DATABASE_URL=url.render_as_string(hide_password=False))
    assert "nobody" in said
    assert "sesame" not in said


@pytest.mark.parametrize("kind", ["postgresql", "mysql"])
async def test_no_such_database(kind: str, make_database: Callable[..., str]) -> None:
    url = make_url(make_database(kind)).set(database="nowhere")
    said = await refusal("scheduler", HORAE_DATABASE_URL=url.render_as_string(hide_password=False))
    assert "nowhere" in said


async def test_a_file_that_is_not_a_database_is_reported(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Sirs, " * 100)
    said = await refusal("worker", HORAE_DATABASE_URL=f"sqlite:///{tmp_path}/letter.txt")
    assert "not a database" in said


async def test_an_unknown_kind_of_database() -> None:
    said = await refusal("worker", HORAE_DATABASE_URL="oracle://somewhere/horae")
    assert "HORAE_DATABASE_URL" in said
    assert "postgresql" in said


async def test_a_port_in_use(database: Callable[[str], str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        said = await refusal("serve", HORAE_PORT=port, HORAE_DATABASE_URL=database("sqlite"))
    assert port in said
    assert "HORAE_PORT" in said


async def test_a_lease_shorter_than_three_heartbeats(database: Callable[[str], str]) -> None:
    url = database("sqlite")
    said = await refusal("worker", HORAE_DATABASE_URL=url, HORAE_LEASE="5s", HORAE_HEARTBEAT="2s")
    assert "HORAE_LEASE" in said
    assert "HORAE_HEARTBEAT" in said


async def test_a_module_that_does_not_exist(database: Callable[[str], str]) -> None:
    said = await refusal("worker", "--import", "no.such.module", HORAE_DATABASE_URL=database("sqlite"))
    assert "no.such.module" in said


async def test_an_unknown_executor(database: Callable[[str], str]) -> None:
    said = await refusal("worker", HORAE_EXECUTORS="http,telepathy", HORAE_DATABASE_URL=database("sqlite"))
    assert "telepathy" in said


@pytest.mark.parametrize("command", ["migrate", "worker"])
async def test_an_unwritable_folder(command: str, tmp_path: Path) -> None:
    """A file is in the way where the folder should be: that stops root as well."""
    (tmp_path / "file").touch()
    said = await refusal(command, HORAE_DATA_DIR=str(tmp_path / "file" / "data"))
    assert str(tmp_path / "file") in said


async def test_a_module_that_exists_is_imported(make_database: Callable[..., str]) -> None:
    """The other way round, so that these tests cannot pass for a wrong reason: only the schema is missing."""
    said = await refusal("worker", "--import", TASKS, HORAE_DATABASE_URL=make_database("sqlite"))
    assert "run `horae migrate`" in said
