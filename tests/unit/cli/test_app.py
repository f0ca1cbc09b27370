"""Every failure is one line on standard error, and an exit code that says which kind."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from horae import __version__
from horae.cli.app import run

KEY = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"
NOBODY = "http://127.0.0.1:1"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings but these, no `horae up` to be found."""
    monkeypatch.chdir(tmp_path)
    for name in ("HORAE_TOKEN", "HORAE_DATABASE_URL", "HORAE_SECRET_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HORAE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("HORAE_URL", NOBODY)


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("jbos list", 2, "no such command 'jbos'. Did you mean 'jobs'?"),
        ("jobs crate x", 2, "Did you mean 'create'?"),
        ("jobs create x --scrpt y", 2, "no such option: --scrpt"),
        ("jobs create", 2, "missing argument 'NAME'"),
        ("jobs create x", 2, "exactly one of --script, --script-file, --http, --python"),
        ("jobs create x --script y --timeout soon", 2, "--timeout: must be a duration such as 15m"),
        ("jobs create x --script y --priority high", 2, "--priority"),
        ("jobs run x --input {", 2, "--input: must be JSON"),
        ("jobs edit x", 2, "say what to change"),
        ("jobs edit x --cron a --every 5m", 2, "at most one of --cron"),
        ("jobs edit x --enabled --disabled", 2, "--enabled: cannot be combined with --disabled"),
        ("jobs edit x --priority 5 --unset priority", 2, "--unset: priority: also has a value"),
        ("jobs create x --script y --timezone UTC", 2, "--timezone: goes with --cron, --every or --at only"),
        ("jobs backfill x", 2, "--from"),
        ("jobs backfill x --from a --to b --parallelism 0", 2, "--parallelism"),
        ("jobs rollback x", 2, "VERSION"),
        ("jobs rollback x one", 2, "VERSION"),
        ("jobs versions x 0", 2, "VERSION"),
        ("jobs pause", 2, "JOB"),
        ("operations show", 2, "ID"),
        ("jobs pause x", 1, "no server responds"),
        ("jobs next x -n 0", 2, "-n"),
        ("runs list --limit 0", 2, "--limit"),
        ("keys create x --role boss", 2, "one of viewer, operator, editor, owner, admin"),
        ("jobs list", 1, f"no server responds at {NOBODY} (connection refused); start it with `horae up`"),
        ("workers --json", 1, "no server responds"),
        ("serve", 2, "HORAE_SECRET_KEY is not set"),
        ("scheduler", 2, "HORAE_SECRET_KEY is not set"),
    ],
)
def test_failures(line: str, code: int, message: str, capsys: pytest.CaptureFixture[str]):
    assert run(line.split()) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("horae: ")
    assert err.count("\n") == 1
    assert message in err


@pytest.mark.parametrize(
    ("settings", "line", "code", "message"),
    [
        ({"HORAE_LEASE": "1s"}, "workers", 2, "HORAE_LEASE (1s) must be at least three times"),
        ({"HORAE_URL": "nowhere"}, "workers", 2, "HORAE_URL must be a URL"),
        ({"HORAE_CONFIG": "nothing.toml"}, "workers", 2, "there is no file"),
        ({"HORAE_SECRET_KEY": "short"}, "serve", 2, "HORAE_SECRET_KEY is too short"),
        ({"HORAE_SECRET_KEY": KEY}, "worker --slots 0", 2, "--slots must be a whole number"),
        ({"HORAE_SECRET_KEY": KEY}, "serve --port 99999", 2, "--port must be a whole number"),
        ({"HORAE_DATA_DIR": "/dev/null/x"}, "migrate", 2, "cannot write to the data directory"),
        ({"HORAE_DATA_DIR": "/dev/null/x"}, "up", 2, "cannot write to the data directory"),
        ({"HORAE_SECRET_KEY": KEY}, "serve", 1, "run `horae migrate` first"),
        ({}, "keys create first --role admin", 1, "run `horae migrate` first"),
        ({"HORAE_DATABASE_URL": "sqlite:////dev/null/x.db"}, "migrate", 1, "HORAE_DATABASE_URL"),
        ({"HORAE_DATABASE_URL": "postgresql://a:hunter2@127.0.0.1:1/x"}, "migrate", 1, "HORAE_DATABASE_URL"),
        ({"HORAE_DATABASE_URL": "mysql://a:hunter2@127.0.0.1:1/x"}, "migrate", 1, "HORAE_DATABASE_URL"),
        ({"HORAE_DATABASE_URL": "postgresql://a:hunter2@127.0.0.1:1/x"}, "keys create a", 1, "HORAE_DATABASE_URL"),
        ({"HORAE_DATABASE_URL": "mysql://a:hunter2@127.0.0.1:1/x"}, "keys create a", 1, "HORAE_DATABASE_URL"),
    ],
)
def test_settings_that_do_not_work(
    settings: dict[str, str],
    line: str,
    code: int,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    out, err = ran(line.split(), code, capsys)
    assert out == ""
    assert (err.count("\n"), err[:7]) == (1, "horae: "), err
    assert message in err
    assert "hunter2" not in err


def ran(words: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """What it prints. A process of the product has this one to itself: it sets up signals, logging and memory."""
    if words[0] in ("serve", "worker", "up"):
        done = subprocess.run([sys.executable, "-m", "horae", *words], capture_output=True, text=True, check=False)
        assert done.returncode == code
        return done.stdout, done.stderr
    assert run(words) == code
    out, err = capsys.readouterr()
    return out, err


def test_a_broken_client_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.delenv("HORAE_URL")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "client.json").write_text("{")
    assert run(["jobs", "list"]) == 2
    assert "client.json" in capsys.readouterr().err


def test_the_token_of_up_goes_to_its_own_address_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from horae.cli.connection import connect

    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "client.json").write_text(json.dumps({"url": "http://127.0.0.1:5", "token": "secret"}))
    with connect() as client:  # HORAE_URL names another one
        assert "authorization" not in client._http.headers
    monkeypatch.delenv("HORAE_URL")
    with connect() as client:
        assert client.url == "http://127.0.0.1:5"
        assert client._http.headers["authorization"] == "Bearer secret"


def test_version(capsys: pytest.CaptureFixture[str]):
    for line in (["version"], ["--version"]):
        assert run(line) == 0
        assert capsys.readouterr().out == f"{__version__}\n"


def test_help_loads_nothing_heavy():
    """Start-up must stay quick: what is heavy waits inside the commands that need it."""
    heavy = "fastapi sqlalchemy pydantic httpx structlog uvloop aiohttp alembic rich.table"
    code = f"import sys, horae.cli.app; print([m for m in {heavy!r}.split() if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_a_process_without_work_loads_no_more_than_it_needs():
    """Each costs memory in every worker and scheduler."""
    heavy = "alembic.command celery cryptography fastapi jwt prometheus_client pygments rich starlette uvicorn"
    code = (
        "import sys; from horae import wiring; from horae.sealing import Keyring; "
        "from horae.processes import scheduler, worker; Keyring('a key of at least thirty-two bytes, 1'); "
        f"print([m for m in {heavy!r}.split() if m in sys.modules]); import rich.table"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
