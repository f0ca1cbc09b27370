"""The agent in Go (agents/go): its own tests, its style, and the conformance suite against it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lacking import lacking

SOURCE = Path(__file__).resolve().parents[3] / "agents" / "go"
# Nothing is fetched: neither packages, of which there are none, nor another toolchain.
OFFLINE = {"CGO_ENABLED": "0", "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOWORK": "off"}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def go() -> str:
    found = shutil.which("go")
    if found is None:
        lacking("no Go toolchain: install golang-go (Debian) to test the agent in Go")
    return found


def run(*command: str) -> str:
    done = subprocess.run(
        command,
        cwd=SOURCE,
        env={**os.environ, **OFFLINE},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def agent(go: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    program = tmp_path_factory.mktemp("agent") / "horae-agent"
    run(go, "build", "-o", str(program), ".")
    return str(program)


def test_its_own_tests_pass(go):
    run(go, "vet", "./...")
    run(go, "test", "./...")


def test_it_is_formatted_and_needs_the_standard_library_only(go):
    formatter = shutil.which("gofmt") or str(Path(go).resolve().with_name("gofmt"))
    assert run(formatter, "-l", ".") == ""
    assert "require" not in (SOURCE / "go.mod").read_text()


def test_it_keeps_to_the_worker_protocol(agent):
    done = subprocess.run(
        [sys.executable, "-m", "horae.conformance", "--", agent], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, "set HORAE_URL"),
        ({"HORAE_URL": "http://127.0.0.1:1"}, "set HORAE_WORKER_KEY"),
        ({"HORAE_URL": "http://127.0.0.1:1", "HORAE_WORKER_KEY": "k", "HORAE_EXECUTORS": "python"}, 'not "python"'),
    ],
)
def test_a_wrong_configuration_is_named(agent, environment, said):
    done = subprocess.run([agent], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert said in done.stderr
