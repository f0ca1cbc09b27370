"""tools/servers.py: starts what is asked, stops what it started, and survives being killed."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.waiting import until

PROJECT = Path(__file__).parents[2]
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("HORAE_", "CI"))}

pytestmark = [pytest.mark.slow, pytest.mark.postgresql]


@pytest.fixture
def home() -> Iterator[Path]:
    """Reachable for the user of the server, which pytest's own folders are not."""
    with tempfile.TemporaryDirectory(prefix="horae-servers-") as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


def servers(home: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, PROJECT / "tools" / "servers.py", *words],
        env={**ENVIRONMENT, "HORAE_SERVERS_DIR": str(home), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def running(home: Path) -> list[dict[str, object]]:
    return list(json.loads(servers(home, "status", "--json").stdout))


def has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_run_gives_the_url_and_the_exit_code_and_leaves_nothing(home: Path) -> None:
    script = "echo $HORAE_TEST_POSTGRESQL_URL; exit 7"
    done = servers(home, "run", "--fast", "postgresql", "--", "sh", "-c", script)
    assert done.returncode == 7
    assert done.stdout.startswith("postgresql://horae:horae@127.0.0.1:")
    assert running(home) == []
    assert not list(home.glob("postgresql*"))


async def test_a_killed_server_does_not_break_the_next_start(home: Path) -> None:
    try:
        assert servers(home, "start", "--fast", "postgresql").returncode == 0
        pid = running(home)[0]["pid"]
        assert isinstance(pid, int)
        os.kill(pid, signal.SIGKILL)
        await until(lambda: has_ended(pid), message="the server is dead")
        assert running(home) == []
        assert servers(home, "start", "--fast", "postgresql").returncode == 0
        assert running(home)[0]["pid"] != pid
        assert servers(home, "run", "--fast", "postgresql", "--", "true").returncode == 0
        assert len(running(home)) == 1, "`run` must not stop what `start` left running"
    finally:
        servers(home, "stop")
    assert running(home) == []


def test_a_folder_that_the_server_cannot_reach_is_one_clear_line(home: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root runs servers as somebody else")
    (home / "closed").mkdir(mode=0o700)
    done = servers(home / "closed" / "within", "start", "postgresql")
    assert done.returncode == 1
    assert "closed to the users" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_given_url_starts_nothing(home: Path) -> None:
    done = servers(home, "start", "postgresql", HORAE_TEST_POSTGRESQL_URL="postgresql://elsewhere/db")
    assert done.stdout == "export HORAE_TEST_POSTGRESQL_URL=postgresql://elsewhere/db\n"
    assert running(home) == []


def test_a_version_that_cannot_be_downloaded_is_named_and_left_out(home: Path) -> None:
    told = ["run", "mysql9", "--", "/bin/true"]
    nothing = {"PATH": str(home), "HORAE_PACKAGES_DIR": str(home / "packages")}
    done = servers(home, *told, **nothing)
    assert done.returncode == 0
    assert "No MySQL 9: this is not a Debian system: there is no apt-get; set HORAE_TEST_MYSQL_URL" in done.stderr
    assert "Tests that need it will not run" in done.stderr
    assert servers(home, *told, **nothing, CI="true").returncode == 1


BAD_WORDS = [
    ["start", "oracle"],
    ["run", "postgresql"],
    ["stop", "--", "true"],
    ["run", "mysql", "mysql9", "--", "true"],
]


@pytest.mark.parametrize("words", BAD_WORDS)
def test_bad_words_are_one_clear_line(home: Path, words: list[str]) -> None:
    done = servers(home, *words)
    assert done.returncode == 2
    assert "error:" in done.stderr
    assert "Traceback" not in done.stderr
