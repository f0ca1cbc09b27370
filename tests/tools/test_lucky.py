"""CI's last words: the tests that passed only when they were run again."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
from pathlib import Path
def test_lucky():
    tried = Path(__file__).with_name("tried")
    there = tried.exists()
    tried.touch()
    assert there
def test_broken():
    assert False
def test_sound():
    pass
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """With the tool, and a `make` for CI that runs these tests and passes everything else."""
    for folder in ("tools", ".ci", "bin", "tests"):
        (tmp_path / folder).mkdir()
    shutil.copy(ROOT / "tools" / "lucky.py", tmp_path / "tools")
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    (tmp_path / "tests" / "test_some.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\ncache_dir = .cache/pytest\n")
    make = tmp_path / "bin" / "make"
    run = f'"{sys.executable}" -m pytest -q tests'
    make.write_text(
        "#!/bin/sh\n"
        f'case $1 in test) {run};; test-again) {run} --last-failed;; test-databases) echo "later words";; esac\n'
    )
    make.chmod(0o755)
    return tmp_path


def ci(project: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PATH": f"{project / 'bin'}:{os.environ['PATH']}",
    }
    return subprocess.run([project / ".ci" / "run"], capture_output=True, text=True, check=False, env=environment)


LAST = "PASSED ONLY WHEN RUN AGAIN: 1. Mend the cause (CONTRIBUTING.md, Tests):\n  tests/test_some.py::test_lucky\n"


def test_ci_ends_with_them(project: Path):
    some = project / "tests" / "test_some.py"
    some.write_text(some.read_text().replace("assert False", "pass"))
    told = ci(project)
    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.endswith(f"later words\n\n{LAST}")
    assert "ONLY WHEN RUN AGAIN" not in ci(project).stdout  # nothing left from before


def test_also_if_others_fail_again(project: Path):
    told = ci(project)
    assert told.returncode != 0
    assert told.stdout.endswith(LAST)
