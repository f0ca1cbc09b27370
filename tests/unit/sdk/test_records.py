"""The SDK's records, as `tools/records.py` generates them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_they_are_current():
    done = subprocess.run(
        [sys.executable, ROOT / "tools/records.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_they_need_neither_the_api_nor_pydantic():
    """Programs import them with the client; generated code must not make that slower."""
    program = "import sys, horae.sdk.records; print([name for name in ('pydantic', 'fastapi') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
