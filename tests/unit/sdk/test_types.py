"""The clients as type checkers see them."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
def test_what_type_checkers_make_of_the_clients(tmp_path: Path) -> None:
    """Strictly, and without the cache of `make check`: as in a program that uses Horae."""
    (tmp_path / "program.py").write_text((ROOT / "tests/unit/sdk/typed.py").read_text())
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent", "program.py"]
    cache = ["--cache-dir", str(ROOT / ".cache" / "mypy-of-users")]
    done = subprocess.run([*command, *cache], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "Success: no issues found in 1 source file\n"), done.stderr
